//! Words in a drawing: how wide they are, where they break, how they are escaped.
//!
//! Widths are those of the site's sans serif, Source Sans 3, which both the page and
//! the files carry; the margin is for the semibold of titles.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Advances of the characters from space to `~`, in thousandths of the font size.
const ASCII_WIDTHS: [u16; 95] = [
    200, 289, 426, 497, 497, 824, 609, 249, 303, 303, 418, 497, 249, 311, 249, 350, 497, 497, 497,
    497, 497, 497, 497, 497, 497, 497, 249, 249, 497, 497, 497, 425, 847, 543, 588, 571, 615, 527,
    494, 617, 652, 263, 479, 579, 486, 727, 647, 664, 566, 664, 569, 534, 536, 645, 515, 786, 513,
    476, 539, 303, 350, 303, 497, 500, 542, 504, 553, 456, 555, 496, 292, 504, 544, 246, 247, 495,
    255, 829, 547, 542, 555, 555, 347, 419, 338, 544, 467, 719, 446, 467, 425, 303, 241, 303, 497,
];

/// The semibold is wider than the regular by this much in a line of Spanish.
const MARGIN: f64 = 1.06;

/// Width of `text` at a font size, in the units of the size.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let thousandths: u32 = text.nfd().map(|c| u32::from(character_width(c))).sum();
    f64::from(thousandths) / 1000.0 * size * MARGIN
}

fn character_width(c: char) -> u16 {
    match c {
        ' '..='~' => ASCII_WIDTHS[c as usize - ' ' as usize],
        '\u{202f}' | '\u{2009}' => 200,
        '\u{200b}'..='\u{200f}' | '\u{2066}'..='\u{2069}' => 0,
        _ if is_combining_mark(c) => 0,
        '\u{a0}'..='\u{10ff}' => 600,
        _ => 1000,
    }
}

/// `text` in lines no wider than `room`, `most` at most; what does not fit ends in
/// an ellipsis. Words longer than a line break where they must.
pub fn wrap(text: &str, room: f64, size: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    let mut line = String::new();
    for word in text.split_whitespace() {
        let joined = if line.is_empty() { word.to_string() } else { format!("{line} {word}") };
        if width(&joined, size) <= room {
            line = joined;
            continue;
        }
        lines.extend(Some(std::mem::take(&mut line)).filter(|line| !line.is_empty()));
        line = broken(word, room, size, &mut lines);
    }
    lines.extend(Some(line).filter(|line| !line.is_empty()));
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = shortened(&format!("{last}…"), room, size);
        }
    }
    lines
}

/// `text` in two lines as alike as its words allow; in one if it is a single word.
pub(super) fn halves(text: &str) -> Vec<String> {
    let longest = |(a, b): &(&str, &str)| {
        let (a, b) = (width(a, 1000.0), width(b, 1000.0));
        a.max(b) as u64
    };
    let breaks = text.match_indices(' ').map(|(at, _)| (&text[..at], &text[at + 1..]));
    match breaks.min_by_key(longest) {
        Some((first, second)) => vec![first.to_owned(), second.to_owned()],
        None => vec![text.to_owned()],
    }
}

/// Pushes the full lines of a word and gives back its rest.
fn broken(word: &str, room: f64, size: f64, lines: &mut Vec<String>) -> String {
    let mut line = String::new();
    for c in word.chars() {
        line.push(c);
        if width(&line, size) > room && line.chars().count() > 1 && !is_combining_mark(c) {
            line.pop();
            lines.push(std::mem::replace(&mut line, c.to_string()));
        }
    }
    line
}

/// `text`, cut before an ellipsis when it is wider than `room`.
pub(super) fn shortened(text: &str, room: f64, size: f64) -> String {
    if width(text, size) <= room {
        return text.into();
    }
    let mut kept: Vec<char> = text.trim_end_matches('…').chars().collect();
    while kept.len() > 1 {
        kept.pop();
        let candidate: String = kept.iter().chain(['…'].iter()).collect();
        if width(&candidate, size) <= room {
            return candidate;
        }
    }
    "…".into()
}

/// `text`, cut in the middle when it is wider than `room`: names that begin alike
/// are told apart by how they end.
pub(super) fn abridged(text: &str, room: f64, size: f64) -> String {
    if width(text, size) <= room {
        return text.into();
    }
    let letters: Vec<char> = text.chars().collect();
    let keeping = |kept: usize| -> String {
        let (head, tail) = (kept / 3, letters.len() - (kept - kept / 3));
        letters[..head].iter().chain(['…'].iter()).chain(&letters[tail..]).collect()
    };
    let mut candidates = (1..letters.len()).rev().map(keeping);
    candidates.find(|short| width(short, size) <= room).unwrap_or_else(|| "…".into())
}

/// `text` fit for XML content and for double-quoted attributes; characters that
/// XML 1.0 does not admit become U+FFFD.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            '\n' | '\t' => escaped.push(c),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// `id` with every character that is not safe in an identifier written in hex.
pub(super) fn identifier(id: &str) -> String {
    let mut safe = String::new();
    for c in id.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' => safe.push(c),
            _ => safe += &format!("_{:x}", c as u32),
        }
    }
    match safe.chars().next() {
        Some('a'..='z' | 'A'..='Z') => safe,
        _ => format!("figura-{safe}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_begin_alike_keep_their_ends() {
        let short = |text: &str| abridged(text, 90.0, 12.0);
        let (one, other) =
            (short("20251101_agente_modelo-a35"), short("20251101_agente_modelo-b07"));
        assert_ne!(one, other);
        assert!(one.starts_with('2') && one.contains('…') && one.ends_with("a35"), "{one}");
        assert!(width(&one, 12.0) <= 90.0);
        assert_eq!(short("corto"), "corto");
        assert_eq!(abridged("nada cabe", 1.0, 12.0), "…");
    }

    #[test]
    fn widths_are_those_of_the_font() {
        use skrifa::{FontRef, MetadataProvider, instance::Size};
        let font = include_bytes!("../../static/fuentes/source-sans-3-latin.woff2");
        let font = wuff::decompress_woff2(font).unwrap();
        let font = FontRef::new(&font).unwrap();
        let regular = font.axes().location([("wght", 400.0)]);
        let advances = font.glyph_metrics(Size::new(1000.0), &regular);
        for (c, &thousandths) in (' '..='~').zip(&ASCII_WIDTHS) {
            let exact = advances.advance_width(font.charmap().map(c).unwrap()).unwrap();
            // The table has whole numbers, and so have the advances of the weight.
            assert!((exact - f32::from(thousandths)).abs() <= 1.0, "{c}: {exact}");
        }
    }

    #[test]
    fn accents_add_no_width() {
        assert_eq!(width("envío", 13.0), width("envio", 13.0));
        assert!(width("mmm", 13.0) > width("iii", 13.0));
    }

    #[test]
    fn long_names_wrap_and_then_end_in_an_ellipsis() {
        let name = "Universidad de un nombre larguísimo que nadie recuerda";
        let lines = wrap(name, 120.0, 13.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with('…'));
        assert!(lines.iter().all(|line| width(line, 13.0) <= 120.0));
        assert_eq!(wrap(name, 1000.0, 13.0, 2), [name]);
    }

    #[test]
    fn a_word_without_spaces_breaks_where_it_must() {
        let lines = wrap(&"x".repeat(200), 100.0, 13.0, 50);
        assert!(lines.len() > 5);
        assert_eq!(lines.concat().len(), 200);
        assert!(lines.iter().all(|line| width(line, 13.0) <= 100.0));
    }

    #[test]
    fn what_xml_does_not_admit_is_replaced() {
        assert_eq!(
            escape("<a href=\"x\">&'\u{1}"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\u{fffd}"
        );
        assert_eq!(escape("אבג"), "אבג");
    }

    #[test]
    fn identifiers_are_safe_and_different_when_the_names_are() {
        assert_eq!(identifier("fig-1"), "fig-1");
        assert_ne!(identifier("a b"), identifier("a_b"));
        assert_eq!(identifier("1"), "figura-1");
        assert_eq!(identifier(""), "figura-");
    }
}
