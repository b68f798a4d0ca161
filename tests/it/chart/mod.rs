//! Charts: what a browser, a reader and a diff see of them.

mod figures;

use escritura::chart::{
    Axis, Chart, Dash, Data, Direction, Drawing, Layer, NumberStyle, STYLE, Scale, Series, render,
    responsive, standalone,
};

fn drawn(chart: &Chart) -> Drawing {
    render(chart, &NumberStyle::default()).expect("a chart that can be drawn")
}

fn svg(chart: &Chart) -> String {
    drawn(chart).svg
}

#[test]
fn every_figure_is_well_formed_xml() {
    for chart in figures::all() {
        let drawn = drawn(&chart);
        roxmltree::Document::parse(&drawn.svg)
            .unwrap_or_else(|error| panic!("{}: {error}", chart.id));
        let file = standalone(&drawn);
        roxmltree::Document::parse(&file).unwrap_or_else(|error| panic!("{}: {error}", chart.id));
    }
}

#[test]
fn the_same_chart_gives_the_same_bytes() {
    for chart in figures::all() {
        assert_eq!(svg(&chart), svg(&chart.clone()), "{}", chart.id);
    }
}

/// Small enough to be read whole in a diff.
fn small() -> Chart {
    let data = Data {
        series: vec![0, 1, 1],
        label: vec!["uno".into(), "dos".into(), "tres".into()],
        ..Data::xy(vec![19_675.0, 19_800.0, 20_100.0], vec![-0.5, 0.25, 1.0])
    };
    Chart {
        title: "Tres envíos".into(),
        description: "Tres puntos que suben.".into(),
        x: Axis { label: "Fecha".into(), scale: Scale::Date, ..Axis::default() },
        y: Axis { label: "Habilidad θ".into(), ..Axis::default() },
        series: vec![Series::named("A"), Series::named("B")],
        layers: vec![
            Layer::points(data),
            Layer::reference(Direction::Y, 0.4, "máximo", Dash::Dotted),
        ],
        ..Chart::default()
    }
}

#[test]
fn points_by_date() {
    insta::assert_snapshot!(svg(&small()));
}

#[test]
fn a_mirrored_histogram_and_its_file() {
    let half = |series, mirrored| Layer::Histogram {
        data: Data::of(vec![0.1, 0.2, 1.4, f64::NAN]).in_series(series),
        width: 0.5,
        start: 0.0,
        mirrored,
    };
    let chart = Chart { layers: vec![half(0, false), half(1, true)], ..small() };
    let chart = Chart { x: Axis::default(), ..chart };
    let drawing = drawn(&chart);
    let notes = drawing.notes.join("\n");
    // The fonts it carries are not for reading.
    insta::with_settings!({filters => vec![("base64,[^)]*", "base64,…")]}, {
        insta::assert_snapshot!(format!("{}\n{notes}", standalone(&drawing)));
    });
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
        let drawing = drawn(&chart);
        let svg = responsive(&chart, &drawing, &NumberStyle::default()).expect("a figure");
        page += &format!(
            "<figure>{}<figcaption>{} {:?}</figcaption></figure>",
            svg, chart.title, drawing.notes
        );
        let file = folder.join(format!("{}.svg", chart.id));
        std::fs::write(file, standalone(&drawing)).expect("a folder to write to");
    }
    std::fs::write(folder.join("galeria.html"), page).expect("a folder to write to");
}
