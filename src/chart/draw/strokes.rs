//! Layers of lines: curves and reference lines.

use super::super::canvas::{Anchor, Drawn, FONT};
use super::super::rows::Row;
use super::super::scale::Prepared;
use super::super::spec::Direction;
use super::super::{paint, text, thin};
use super::{OVER_DATA, Painter, rows_by_series};
use plotters::style::text_anchor::{HPos, VPos};

impl Painter<'_> {
    pub(super) fn lines(&mut self, layer: &Prepared) -> Drawn {
        let rows: Vec<Row> = layer.rows_in(self.facet).copied().collect();
        let groups = rows_by_series(rows);
        let mut pieces = vec![];
        for (series, rows) in groups {
            let runs = rows.chunk_by(|a, b| a.run == b.run);
            let clipped: Vec<_> = runs.flat_map(|run| self.line_pieces(run)).collect();
            for piece in &clipped {
                let path: Vec<_> = piece.iter().map(|point| self.panel.at(*point)).collect();
                self.obstacles.path(&path);
            }
            pieces.push((series, clipped));
        }
        self.layer("lineas", || {
            pieces.into_iter().try_for_each(|(series, pieces)| {
                self.canvas.group(&paint::line(self.chart, series), || {
                    pieces.into_iter().try_for_each(|piece| self.panel.path(piece))
                })
            })
        })
    }

    /// What is seen of an unbroken line, with no more vertices than can be seen.
    pub(super) fn line_pieces(&self, run: &[Row]) -> Vec<Vec<(f64, f64)>> {
        let points: Vec<(f64, f64)> = run.iter().map(|row| (row.x, row.y)).collect();
        if let [only] = points[..] {
            // A line of one datum is a dot.
            return if self.panel.shows(only) { vec![vec![only, only]] } else { vec![] };
        }
        let mut pieces = self.window().path(&points);
        for piece in &mut pieces {
            let path: Vec<_> = piece.iter().map(|point| self.panel.at(*point)).collect();
            *piece = thin::path(&path).into_iter().map(|i| piece[i]).collect();
        }
        pieces
    }

    pub(super) fn reference(&mut self, layer: &Prepared, axis: Direction, dash: &str) -> Drawn {
        let ruler = if axis == Direction::X { &self.panel.x } else { &self.panel.y };
        let Some(at) = layer.at.filter(|at| ruler.shows(*at)) else {
            if self.facet == 0 {
                let name = layer.layer.name();
                self.notes.push(format!("{name}: queda fuera de los ejes"));
            }
            return Ok(());
        };
        let ends = match axis {
            Direction::X => [(at, self.panel.y.from), (at, self.panel.y.to)],
            Direction::Y => [(self.panel.x.from, at), (self.panel.x.to, at)],
        };
        self.obstacles.path(&ends.map(|end| self.panel.at(end)));
        let attributes = format!(
            "class=\"esc-capa esc-referencia\" fill=\"none\" stroke=\"currentColor\" \
             stroke-opacity=\"0.8\" stroke-width=\"1.25\"{dash}"
        );
        self.canvas.group(&attributes, || self.panel.path(ends.to_vec()))
    }

    pub(super) fn reference_label(&mut self, layer: &Prepared, label: &str) -> Drawn {
        let Some(at) = layer.at.filter(|at| self.panel.y.shows(*at)) else { return Ok(()) };
        let (_, y) = self.panel.at((self.panel.x.from, at));
        let frame = self.panel.frame;
        let label = text::shortened(label, frame.width() - 16.0, FONT);
        let Some(placed) = self.obstacles.along(y, &label, &frame) else {
            self.notes.push(format!("{}: «{label}» no cabe", self.named(layer)));
            return Ok(());
        };
        self.canvas.group(OVER_DATA, || {
            placed.lines().try_for_each(|(at, line)| {
                self.canvas.text(at, line, Anchor::new(HPos::Left, VPos::Center))
            })
        })
    }
}
