//! The legend: below the plot, in rows, a key and a name per series.

use super::canvas::{Anchor, Canvas, Drawn, FONT, LINE};
use super::paint;
use super::scale::Prepared;
use super::spec::{Chart, Layer};
use super::text;
use plotters::style::text_anchor::{HPos, VPos};

/// Room of a key, and between entries.
const KEY: f64 = 26.0;
const GAP: f64 = 18.0;
const MOST_LINES: usize = 3;

/// How a series looks in the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Key {
    mark: bool,
    line: bool,
    area: bool,
}

/// An entry and where it goes, from the top left corner of the legend.
#[derive(Debug)]
struct Entry {
    series: usize,
    key: Key,
    lines: Vec<String>,
    x: f64,
    y: f64,
}

/// A legend laid out for some width.
#[derive(Debug)]
pub(super) struct Legend {
    entries: Vec<Entry>,
    /// Its height, in units; zero when there is none.
    pub(super) height: f64,
}

impl Legend {
    /// The series that appear, when more than one is declared.
    pub(super) fn new(chart: &Chart, layers: &[Prepared], room: f64) -> Self {
        let mut legend = Self { entries: vec![], height: 0.0 };
        if chart.series.len() < 2 {
            return legend;
        }
        let (mut x, mut y, mut row_height) = (0.0, 0.0, 0.0f64);
        for (series, key) in keys(chart, layers) {
            let lines = text::wrap(&chart.series[series].name, room - KEY, FONT, MOST_LINES);
            let widest = lines.iter().map(|line| text::width(line, FONT)).fold(0.0, f64::max);
            if x > 0.0 && x + KEY + widest > room {
                (x, y, row_height) = (0.0, y + row_height, 0.0);
            }
            row_height = row_height.max(LINE * lines.len().max(1) as f64 + 3.0);
            legend.entries.push(Entry { series, key, lines, x, y });
            x += KEY + widest + GAP;
        }
        legend.height = if legend.entries.is_empty() { 0.0 } else { y + row_height };
        legend
    }

    /// Draws it from its top left corner.
    pub(super) fn draw(&self, chart: &Chart, canvas: &Canvas, (left, top): (f64, f64)) -> Drawn {
        if self.entries.is_empty() {
            return Ok(());
        }
        canvas.group("class=\"esc-leyenda\"", || {
            self.entries.iter().try_for_each(|entry| {
                let (x, y) = (left + entry.x, top + entry.y + 0.5 * LINE);
                entry.draw_key(chart, canvas, (x, y))?;
                canvas.group("class=\"esc-texto\" fill=\"currentColor\"", || {
                    entry.lines.iter().enumerate().try_for_each(|(i, line)| {
                        let at = (x + KEY, y + LINE * i as f64);
                        canvas.text(at, line, Anchor::new(HPos::Left, VPos::Center))
                    })
                })
            })
        })
    }
}

impl Entry {
    fn draw_key(&self, chart: &Chart, canvas: &Canvas, (x, y): (f64, f64)) -> Drawn {
        let series = Some(self.series);
        let middle = x + KEY / 2.0 - 3.0;
        if self.key.area {
            canvas.group(&paint::area(chart, series, paint::BARS), || {
                canvas.rectangle(super::canvas::Rect {
                    left: middle - 6.0,
                    top: y - 6.0,
                    right: middle + 6.0,
                    bottom: y + 6.0,
                })
            })?;
        }
        if self.key.line {
            canvas
                .group(&paint::line(chart, series), || canvas.line((x, y), (x + KEY - 6.0, y)))?;
        }
        if self.key.mark {
            canvas.group(&paint::marks(chart, series), || {
                canvas.mark((middle, y), paint::shape(chart, series), 4.5)
            })?;
        }
        Ok(())
    }
}

/// The series with any datum, in the declared order, and how they look.
fn keys(chart: &Chart, layers: &[Prepared]) -> Vec<(usize, Key)> {
    let mut keys = vec![Key::default(); chart.series.len()];
    for layer in layers {
        for series in layer.rows.iter().filter_map(|row| row.series) {
            let key = &mut keys[series];
            match layer.layer {
                Layer::Points { .. } | Layer::Interval { .. } => key.mark = true,
                Layer::Line { .. } => key.line = true,
                Layer::Histogram { .. } | Layer::Bars { .. } | Layer::Band { .. } => {
                    key.area = true;
                }
                Layer::Rug { .. } | Layer::Names { .. } | Layer::Reference { .. } => {}
            }
        }
    }
    // A rug alone is told by colour.
    for layer in layers.iter().filter(|layer| matches!(layer.layer, Layer::Rug { .. })) {
        for series in layer.rows.iter().filter_map(|row| row.series) {
            keys[series].area |= keys[series] == Key::default();
        }
    }
    keys.into_iter().enumerate().filter(|(_, key)| *key != Key::default()).collect()
}
