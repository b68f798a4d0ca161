//! From SVG to PNG, with the site's own fonts and no others: the same bytes on
//! every machine. Scripts that those fonts lack show as empty boxes.

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{FontResolver, Options, Tree, fontdb};
use std::sync::{Arc, LazyLock};

/// Pixels for each unit of a figure.
pub const SCALE: f32 = 2.0;
/// Sides of a card: what Open Graph asks for.
pub const CARD: (u32, u32) = (1200, 630);
const GREEK: std::ops::RangeInclusive<char> = '\u{370}'..='\u{3ff}';

/// Latin and Greek of the sans serif, and of the serif.
const FONTS: [&[u8]; 4] = [
    include_bytes!("../../static/fuentes/source-sans-3-latin.woff2"),
    include_bytes!("../../static/fuentes/source-sans-3-greek.woff2"),
    include_bytes!("../../static/fuentes/source-serif-4-latin.woff2"),
    include_bytes!("../../static/fuentes/source-serif-4-greek.woff2"),
];

struct Faces {
    database: Arc<fontdb::Database>,
    ids: Vec<fontdb::ID>,
}

static FACES: LazyLock<Faces> = LazyLock::new(|| {
    let mut database = fontdb::Database::new();
    for font in FONTS {
        // Ours: a test reads them all.
        database.load_font_data(wuff::decompress_woff2(font).unwrap_or_default());
    }
    let ids = database.faces().map(|face| face.id).collect();
    Faces { database: Arc::new(database), ids }
});

/// Whoever names "serif" first gets it; all others the sans serif; Greek letters
/// come from the second file of each.
fn options() -> Options<'static> {
    let family = |font: &resvg::usvg::Font| {
        let serif = font.families().first() == Some(&resvg::usvg::FontFamily::Serif);
        FACES.ids.get(if serif { 2 } else { 0 }).copied()
    };
    let greek = |c: char, used: &[fontdb::ID]| {
        let first = FACES.ids.iter().position(|id| used.first() == Some(id))?;
        FACES.ids.get(first + 1).copied().filter(|_| GREEK.contains(&c))
    };
    Options {
        fontdb: FACES.database.clone(),
        font_resolver: FontResolver {
            select_font: Box::new(move |font, _| family(font)),
            select_fallback: Box::new(move |c, used, _| greek(c, used)),
        },
        ..Options::default()
    }
}

/// A drawing at twice its size. `None` when it is not SVG or has no size.
pub fn figure(svg: &[u8]) -> Option<Vec<u8>> {
    let tree = Tree::from_data(svg, &options()).ok()?;
    let size = tree.size().to_int_size().scale_by(SCALE)?;
    let mut sheet = sheet((size.width(), size.height()))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut sheet.as_mut());
    png(&sheet)
}

/// A card: words, and under `top` a drawing as large as fits.
pub fn card(words: &str, svg: Option<&[u8]>, top: f32, margin: f32) -> Option<Vec<u8>> {
    let options = options();
    let mut sheet = sheet(CARD)?;
    let words = Tree::from_str(words, &options).ok()?;
    resvg::render(&words, Transform::identity(), &mut sheet.as_mut());
    if let Some(tree) = svg.and_then(|svg| Tree::from_data(svg, &options).ok()) {
        let room = (CARD.0 as f32 - 2.0 * margin, CARD.1 as f32 - top - margin / 2.0);
        let size = tree.size();
        let scale = (room.0 / size.width()).min(room.1 / size.height());
        let left = margin + (room.0 - scale * size.width()) / 2.0;
        let at = Transform::from_row(scale, 0.0, 0.0, scale, left, top);
        resvg::render(&tree, at, &mut sheet.as_mut());
    }
    png(&sheet)
}

fn sheet((width, height): (u32, u32)) -> Option<Pixmap> {
    let mut sheet = Pixmap::new(width, height)?;
    sheet.fill(Color::WHITE);
    Some(sheet)
}

/// Opaque, three bytes a pixel.
fn png(sheet: &Pixmap) -> Option<Vec<u8>> {
    let rgb: Vec<u8> = sheet.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    let mut bytes = vec![];
    let mut encoder = png::Encoder::new(&mut bytes, sheet.width(), sheet.height());
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&rgb).ok()?;
    drop(writer);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_font_of_ours_can_be_read() {
        assert_eq!(FACES.ids.len(), FONTS.len());
    }

    #[test]
    fn letters_of_both_scripts_leave_ink_and_what_is_no_drawing_gives_nothing() {
        let word = |text: &str| {
            let svg = format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\">\
                 <text y=\"15\">{text}</text></svg>"
            );
            figure(svg.as_bytes()).unwrap()
        };
        let blank = word("");
        for text in ["a", "θ", "Ñ", "−"] {
            assert_ne!(word(text), blank, "{text}");
            assert_eq!(word(text), word(text), "{text}");
        }
        assert_eq!(figure(b"<p>"), None);
    }
}
