//! Layers of one mark per datum: points, intervals, rugs and names.

use super::super::canvas::{Anchor, Drawn, FONT};
use super::super::layout::{RUG, rug_rows};
use super::super::rows::Row;
use super::super::scale::Prepared;
use super::super::spec::Direction;
use super::super::{paint, text};
use super::{MOST_TOOLTIPS, OVER_DATA, Painter, rows_by_series};
use plotters::style::text_anchor::{HPos, VPos};

/// Names beyond this are a table, not a figure.
const MOST_NAMES: usize = 200;

impl Painter<'_> {
    pub(super) fn points(&mut self, layer: &Prepared, radius: f64) -> Drawn {
        let rows = self.visible(layer);
        let rows = self.thinned(layer, rows);
        for row in &rows {
            self.obstacles.mark(self.panel.at((row.x, row.y)), radius);
        }
        let titled = rows.len() <= MOST_TOOLTIPS;
        self.layer("puntos", || {
            rows_by_series(rows).into_iter().try_for_each(|(series, rows)| {
                let shape = paint::shape(self.chart, series);
                self.canvas.group(&paint::marks(self.chart, series), || {
                    rows.iter().try_for_each(|row| {
                        if titled {
                            self.panel.title_next(self.tooltip(layer, row));
                        }
                        self.panel.mark((row.x, row.y), shape, radius)
                    })
                })
            })
        })
    }

    pub(super) fn intervals(&mut self, layer: &Prepared, along: Direction) -> Drawn {
        let rows = self.visible(layer);
        let rows = self.thinned(layer, rows);
        let window = self.window();
        let ends = |row: &Row| match along {
            Direction::X => ((row.low, row.y), (row.high, row.y)),
            Direction::Y => ((row.x, row.low), (row.x, row.high)),
        };
        for row in &rows {
            self.obstacles.mark(self.panel.at((row.x, row.y)), 3.5);
        }
        self.layer("intervalos", || {
            rows_by_series(rows).into_iter().try_for_each(|(series, rows)| {
                let shape = paint::shape(self.chart, series);
                let attributes = paint::marks(self.chart, series)
                    .replace("fill-opacity=\"0.6\"", "fill-opacity=\"1\"")
                    .replace("stroke-width=\"1\"", "stroke-width=\"1.75\"");
                self.canvas.group(&attributes, || {
                    rows.iter().try_for_each(|row| {
                        let (from, to) = ends(row);
                        let title = self.tooltip(layer, row);
                        self.canvas.titled_group("class=\"esc-dato\"", Some(&title), || {
                            if let Some((from, to)) = window.segment(from, to) {
                                self.panel.path(vec![from, to])?;
                            }
                            self.panel.mark((row.x, row.y), shape, 3.5)
                        })
                    })
                })
            })
        })
    }

    pub(super) fn rug(&mut self, layer: &Prepared, along: Direction) -> Drawn {
        let ruler = if along == Direction::X { &self.panel.x } else { &self.panel.y };
        let value = |row: &Row| if along == Direction::X { row.x } else { row.y };
        let all: Vec<Row> = layer.rows_in(self.facet).copied().collect();
        let total = all.len();
        let rows: Vec<Row> = all.into_iter().filter(|row| ruler.shows(value(row))).collect();
        self.note_outside(layer, total - rows.len());
        // Rows have zero on the other axis: neighbours share a stroke along one line.
        let rows = self.thinned(layer, rows);
        let order = rug_rows(layer);
        let (top, frame) = (self.rug_top, self.panel.frame);
        if along == Direction::X {
            self.rug_top += RUG * order.len() as f64;
        }
        self.layer("margen", || {
            rows_by_series(rows).into_iter().try_for_each(|(series, rows)| {
                let place = order.iter().position(|other| *other == series).unwrap_or(0) as f64;
                let attributes = format!(
                    "{} stroke=\"{}\" stroke-opacity=\"0.9\" stroke-width=\"1.25\"",
                    paint::identity(self.chart, series),
                    paint::colour(self.chart, series)
                );
                self.canvas.group(&attributes, || {
                    rows.iter().try_for_each(|row| {
                        let (x, y) = self.panel.at((row.x, row.y));
                        let start = place * RUG;
                        match along {
                            Direction::X => {
                                self.canvas.line((x, top + start), (x, top + start + RUG - 2.0))
                            }
                            Direction::Y => self
                                .canvas
                                .line((frame.left + start, y), (frame.left + start + RUG - 2.0, y)),
                        }
                    })
                })
            })
        })
    }

    pub(super) fn names(&mut self, layer: &Prepared) -> Drawn {
        let rows = self.visible(layer);
        let Some(data) = layer.layer.data() else { return Ok(()) };
        let (frame, mut placed) = (self.panel.frame, vec![]);
        for row in rows.iter().take(MOST_NAMES) {
            let Some(name) = data.label.get(row.index) else { continue };
            let name = text::shortened(name, 0.5 * frame.width(), FONT);
            let at = self.panel.at((row.x, row.y));
            placed.extend(self.obstacles.beside(at, &name, &frame).map(|place| (place, name)));
        }
        match rows.len() - placed.len() {
            0 => {}
            1 => self.notes.push(format!("{}: 1 no cabe", self.named(layer))),
            n => self.notes.push(format!("{}: {n} no caben", self.named(layer))),
        }
        self.canvas.group("class=\"esc-capa esc-rotulos\"", || {
            self.canvas.group(OVER_DATA, || {
                placed.iter().try_for_each(|(place, name)| {
                    self.canvas.text(*place, name, Anchor::new(HPos::Left, VPos::Center))
                })
            })
        })
    }
}
