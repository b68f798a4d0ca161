//! Charts: what a browser, a reader and a diff see of them.

mod figures;

use escritura::chart::{Chart, NumberStyle, STYLE, render, responsive, standalone};

fn svg(chart: &Chart) -> String {
    render(chart, &NumberStyle::default()).expect("a chart that can be drawn").svg
}

#[test]
fn every_figure_is_well_formed_xml() {
    for chart in figures::all() {
        let svg = svg(&chart);
        roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{}: {error}", chart.id));
        let file = standalone(&svg);
        roxmltree::Document::parse(&file).unwrap_or_else(|error| panic!("{}: {error}", chart.id));
    }
}

/// Writes the gallery where `ESCRITURA_GALERIA` says, to be looked at.
#[test]
fn the_gallery_is_written_where_asked() {
    let Some(folder) = std::env::var_os("ESCRITURA_GALERIA").map(std::path::PathBuf::from) else {
        return;
    };
    let mut page = format!(
        "<!doctype html><html lang=\"es\"><meta charset=\"utf-8\"><style>{STYLE}\
         body{{margin:0 auto;padding:16px;max-width:720px;font:16px system-ui,sans-serif;\
         color-scheme:light dark;color:CanvasText;background:Canvas}}\
         figure{{margin:0 0 40px}}</style>"
    );
    for chart in figures::all() {
        let drawing = responsive(&chart, &NumberStyle::default()).expect("a figure");
        page += &format!(
            "<figure>{}<figcaption>{} {:?}</figcaption></figure>",
            drawing.svg, chart.title, drawing.notes
        );
        let file = folder.join(format!("{}.svg", chart.id));
        std::fs::write(file, standalone(&svg(&chart))).expect("a folder to write to");
    }
    std::fs::write(folder.join("galeria.html"), page).expect("a folder to write to");
}
