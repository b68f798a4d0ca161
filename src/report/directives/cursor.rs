//! Reading the inside of a directive, piece by piece.

use std::ops::Range;

/// Where reading goes on.
pub(super) struct Stop {
    pub(super) end: usize,
    pub(super) closed: bool,
}

/// Where to go on after a malformed directive: past its `>>` on the same line, or
/// at the end of the line.
pub(super) fn recover(text: &str, from: usize) -> Stop {
    let line_end = text[from..].find('\n').map_or(text.len(), |end| from + end);
    match text[from..line_end].find(">>") {
        Some(close) => Stop { end: from + close + 2, closed: true },
        None => Stop { end: line_end, closed: false },
    }
}

/// A place in the text of a directive.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

/// A text in quotes, or what there is instead.
pub(super) enum Quoted {
    None,
    Closed(Range<usize>),
    Unclosed,
}

impl<'a> Cursor<'a> {
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips spaces and single line breaks; a blank line ends a directive. A quote
    /// mark at the start of a continued line belongs to Markdown.
    pub(super) fn skip_space(&mut self) {
        let mut broke = false;
        while let Some(c) = self.rest().chars().next() {
            match c {
                '\n' if broke => return,
                '\n' => broke = true,
                c if c.is_whitespace() => {}
                _ => return,
            }
            self.at += c.len_utf8();
        }
    }

    pub(super) fn word(&mut self) -> Range<usize> {
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.at += length;
        self.at - length..self.at
    }

    pub(super) fn bare(&mut self) -> Range<usize> {
        let rest = self.rest();
        let ends = |c: char| c.is_whitespace() || c == '>';
        let length = rest.find(ends).unwrap_or(rest.len());
        self.at += length;
        self.at - length..self.at
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// A text in double quotes; `\"` is a quote; it may hold one line break at a
    /// time, not a blank line.
    pub(super) fn quoted(&mut self) -> Quoted {
        if !self.rest().starts_with('"') {
            return Quoted::None;
        }
        let start = self.at + 1;
        let mut previous = '"';
        for (offset, c) in self.text[start..].char_indices() {
            if c == '"' && previous != '\\' {
                self.at = start + offset + 1;
                return Quoted::Closed(start..start + offset);
            }
            if c == '\n' && previous == '\n' {
                return Quoted::Unclosed;
            }
            if !(c == ' ' && previous == '\n') {
                previous = c;
            }
        }
        Quoted::Unclosed
    }
}
