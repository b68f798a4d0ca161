//! A drawing outside its page: the file a reader downloads, which is also the
//! thumbnail of its chapter.

use super::render::Drawing;

/// Rules a page needs for the drawings in it.
pub const STYLE: &str = "\
.esc-figura{display:block;width:100%;height:auto;font-variant-numeric:tabular-nums}
.esc-estrecha{display:none}
@media screen and (max-width:30rem){.esc-ancha{display:none}.esc-estrecha{display:block}}
";

/// Rules of a file: its own font, ink and paper, light and dark; of its thumbnail,
/// neither words nor paper.
const FILE_STYLE: &str = "<style>\
svg{font-family:system-ui,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,sans-serif;\
color:#1b1f24;background:#fff}.esc-halo{stroke:#fff}\
@media (prefers-color-scheme:dark){svg{color:#e6e8eb;background:#15181c}.esc-halo{stroke:#15181c}}\
svg:has(:target){background:none}\
svg:has(:target)>:not(.esc-panel,view),svg:has(:target) text{display:none}\
</style>";

/// What follows the address of a file to show its panels alone.
pub const THUMBNAIL: &str = "#miniatura";

/// An SVG file from a [`Drawing`]: it carries its size and its style, and its colours
/// are values, because programs that are no browser do not read CSS variables.
pub fn standalone(drawing: &Drawing) -> String {
    let svg = without_variables(&drawing.svg);
    let Some((head, body)) = svg.split_once('>') else { return svg };
    let size = size_attributes(head);
    let (id, panels) = (THUMBNAIL.trim_start_matches('#'), &drawing.panels);
    format!("{head}{size}>\n{FILE_STYLE}<view id=\"{id}\" viewBox=\"{panels}\"/>{body}")
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
        let svg = "<svg viewBox=\"0 0 720 420\"><g fill=\"var(--serie-1, #2a78d6)\"/></svg>";
        let panels = "30 20 680 380".to_owned();
        let file = standalone(&Drawing { svg: svg.into(), panels, notes: vec![] });
        assert!(file.contains("<view id=\"miniatura\" viewBox=\"30 20 680 380\"/>"));
        assert!(file.contains("width=\"720\" height=\"420\""));
        assert!(file.contains("<g fill=\"#2a78d6\"/>"));
        assert!(file.contains("prefers-color-scheme:dark"));
    }
}
