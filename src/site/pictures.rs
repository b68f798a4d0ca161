//! What is drawn again as PNG: every figure, for documents and slides, and a card
//! per page, which is what a link to it shows elsewhere.

use super::markup::escape;
use super::raster;
use super::words::SPANISH;
use crate::chart;
use crate::data::{Cache, digest};
use rayon::prelude::*;

/// From the edges of a card to what it holds.
const MARGIN: f32 = 64.0;
const TITLE: f64 = 50.0;
const TITLE_LINE: f32 = 58.0;
const TEXT: f64 = 34.0;
const TEXT_LINE: f32 = 50.0;
/// Baseline of the first line of the title.
const TITLE_TOP: f32 = 136.0;

/// Something to draw.
#[derive(Debug)]
pub enum Picture<'a> {
    /// A figure: its SVG file.
    Figure(&'a [u8]),
    /// A page.
    Card(Card<'a>),
}

/// What a card says and shows.
#[derive(Debug)]
pub struct Card<'a> {
    /// Name of the section that the site is.
    pub section: &'a str,
    /// Title of the page.
    pub title: &'a str,
    /// Its summary, shown where there is no figure.
    pub description: Option<&'a str>,
    /// Whether the data are simulated.
    pub simulated: bool,
    /// Its first figure: the SVG file.
    pub figure: Option<&'a [u8]>,
}

/// The PNG of each picture, by path, in the same order; those that cannot be
/// drawn are left out. What `cache` has is not drawn again.
pub fn draw(pictures: Vec<(String, Picture<'_>)>, cache: &Cache) -> Vec<(String, Vec<u8>)> {
    let drawn = pictures.into_par_iter().map(|(path, picture)| {
        let key = picture.key();
        let png = cache.get(&key).or_else(|| {
            let png = picture.draw()?;
            cache.put(&key, &png);
            Some(png)
        });
        Some((path, png?))
    });
    drawn.collect::<Vec<_>>().into_iter().flatten().collect()
}

impl Picture<'_> {
    fn draw(&self) -> Option<Vec<u8>> {
        match self {
            Self::Figure(svg) => raster::figure(svg),
            Self::Card(card) => card.draw(),
        }
    }

    /// Digest of everything that is drawn.
    fn key(&self) -> String {
        let (words, svg) = match self {
            Self::Figure(svg) => ("figure".to_owned(), Some(*svg)),
            Self::Card(Card { section, title, description, simulated, figure }) => {
                (format!("{:?}", (section, title, description, simulated)), *figure)
            }
        };
        digest::of_parts([words.as_bytes(), b"\n", svg.unwrap_or_default()])
    }
}

impl Card<'_> {
    fn draw(&self) -> Option<Vec<u8>> {
        let room = f64::from(raster::CARD.0 as f32 - 2.0 * MARGIN);
        let title = chart::wrap(self.title, room, TITLE, 2);
        let under = TITLE_TOP + TITLE_LINE * (title.len() as f32 - 1.0);
        let mut words = line(MARGIN, 70.0, "start", self.section, "font-size=\"25\"");
        if self.simulated {
            let right = raster::CARD.0 as f32 - MARGIN;
            words += &line(right, 70.0, "end", SPANISH.datos_simulados, "font-size=\"25\"");
        }
        for (i, text) in title.iter().enumerate() {
            let y = TITLE_TOP + TITLE_LINE * i as f32;
            let style = format!(
                "font-size=\"{TITLE}\" font-family=\"serif\" font-weight=\"600\" fill=\"#1d1b18\""
            );
            words += &line(MARGIN, y, "start", text, &style);
        }
        let text = self.description.filter(|_| self.figure.is_none()).unwrap_or_default();
        for (i, text) in chart::wrap(text, room, TEXT, 6).iter().enumerate() {
            let y = under + 70.0 + TEXT_LINE * i as f32;
            words += &line(MARGIN, y, "start", text, &format!("font-size=\"{TEXT}\""));
        }
        let (width, height) = raster::CARD;
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             fill=\"#5d5952\">{words}</svg>"
        );
        raster::card(&svg, self.figure, under + 34.0, MARGIN)
    }
}

fn line(x: f32, y: f32, anchor: &str, text: &str, style: &str) -> String {
    let text = escape(text);
    format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" {style}>{text}</text>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_always_drawn_whatever_its_title() {
        let size = |png: &[u8]| {
            let reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
            (reader.info().width, reader.info().height)
        };
        let figure = b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"900\"/>";
        for title in ["", "a < b & \"c\"", "\u{5e9}\u{5dc}\u{5d5}\u{5dd}", &"palabra".repeat(90)] {
            for figure in [None, Some(&figure[..]), Some(b"no es SVG")] {
                let card = Card {
                    section: "Sección",
                    title,
                    description: Some("Un resumen."),
                    simulated: true,
                    figure,
                };
                assert_eq!(size(&card.draw().unwrap()), raster::CARD, "{title}");
            }
        }
    }
}
