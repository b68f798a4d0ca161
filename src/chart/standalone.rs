//! A drawing outside its page: the file a reader downloads, which is also the
//! thumbnail of its chapter.

use super::render::Drawing;
use base64::prelude::*;
use std::sync::LazyLock;

/// Rules a page needs for the drawings in it.
pub const STYLE: &str = "\
.esc-figura{display:block;width:100%;height:auto;font-variant-numeric:tabular-nums}
.esc-estrecha{display:none}
@media screen and (max-width:30rem){.esc-ancha{display:none}.esc-estrecha{display:block}}
";

/// Rules of a file: ink and paper, light and dark; of its thumbnail, which has neither
/// words nor paper nor grid, heavier strokes.
const FILE_STYLE: &str = "\
svg{font-family:\"Source Sans 3\",system-ui,sans-serif;color:#1b1f24;background:#fff}\
.esc-halo{stroke:#fff}\
@media (prefers-color-scheme:dark){svg{color:#e6e8eb;background:#15181c}.esc-halo{stroke:#15181c}}\
svg:has(:target){background:none}\
svg:has(:target)>:not(.esc-panel,view),svg:has(:target) :is(text,.esc-rejilla){display:none}\
svg:has(:target) .esc-capa *{stroke-width:3.5}";

/// The site's sans serif, so that a file looks as the figure of its page wherever it
/// goes.
const LATIN: &[u8] = include_bytes!("../../static/fuentes/source-sans-3-latin.woff2");
const GREEK: &[u8] = include_bytes!("../../static/fuentes/source-sans-3-greek.woff2");

static LATIN_FACE: LazyLock<String> = LazyLock::new(|| face(LATIN, ""));
static GREEK_FACE: LazyLock<String> = LazyLock::new(|| face(GREEK, ";unicode-range:U+0370-03FF"));

fn face(font: &[u8], range: &str) -> String {
    let bytes = BASE64_STANDARD.encode(font);
    format!(
        "@font-face{{font-family:\"Source Sans 3\";font-weight:200 900{range};\
         src:url(data:font/woff2;base64,{bytes})}}"
    )
}

/// What follows the address of a file to show its panels alone.
pub const THUMBNAIL: &str = "#miniatura";

/// An SVG file from a [`Drawing`]: it carries its size and its style, and its colours
/// are values, because programs that are no browser do not read CSS variables.
pub fn standalone(drawing: &Drawing) -> String {
    let svg = without_variables(&drawing.svg);
    let Some((head, body)) = svg.split_once('>') else { return svg };
    let size = size_attributes(head);
    let is_greek = |c: char| ('\u{370}'..='\u{3ff}').contains(&c);
    let greek = if body.contains(is_greek) { GREEK_FACE.as_str() } else { "" };
    let latin = LATIN_FACE.as_str();
    let (id, panels) = (THUMBNAIL.trim_start_matches('#'), &drawing.panels);
    format!(
        "{head}{size}>\n<style>{latin}{greek}{FILE_STYLE}</style><view id=\"{id}\" viewBox=\"{panels}\"/>{body}"
    )
}

/// `width` and `height`, from the `viewBox`.
fn size_attributes(head: &str) -> String {
    let numbers = head.split_once("viewBox=\"0 0 ").and_then(|(_, rest)| rest.split_once('"'));
    match numbers.and_then(|(numbers, _)| numbers.split_once(' ')) {
        Some((width, height)) => format!(" width=\"{width}\" height=\"{height}\""),
        None => String::new(),
    }
}

/// `="var(--name, value)"` becomes `="value"`; text that says `var(` is escaped
/// differently (its quotes are entities), so it never matches.
fn without_variables(svg: &str) -> String {
    let mut parts = svg.split("=\"var(--");
    let mut plain = parts.next().unwrap_or("").to_string();
    for part in parts {
        match part.split_once(", ").and_then(|(_, rest)| rest.split_once(")\"")) {
            Some((value, rest)) => plain += &format!("=\"{value}\"{rest}"),
            None => plain += &format!("=\"var(--{part}"),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_size_style_and_no_variables() {
        let svg = "<svg viewBox=\"0 0 640 400\"><g fill=\"var(--serie-1, #2a78d6)\"/></svg>";
        let panels = "30 20 680 380".to_owned();
        let file = standalone(&Drawing { svg: svg.into(), panels, notes: vec![] });
        assert!(file.contains("<view id=\"miniatura\" viewBox=\"30 20 680 380\"/>"));
        assert!(file.contains("width=\"640\" height=\"400\""));
        assert!(file.contains("<g fill=\"#2a78d6\"/>"));
        assert!(file.contains("prefers-color-scheme:dark"));
    }
}
