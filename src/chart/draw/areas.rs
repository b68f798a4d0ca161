//! Layers of areas: histograms, bars and bands.

use super::super::bins::Bin;
use super::super::canvas::{Drawn, Rect};
use super::super::rows::Row;
use super::super::scale::{Prepared, bars_stand_on};
use super::super::spec::Direction;
use super::super::{paint, thin};
use super::{Painter, by_series, rows_by_series};

impl Painter<'_> {
    pub(super) fn histogram(&mut self, layer: &Prepared) -> Drawn {
        let mut bars = vec![];
        for bin in layer.bins_in(self.facet) {
            let corners = self.inside([(bin.left, bin.from), (bin.right, bin.to)]);
            if corners[0].0 < corners[1].0 {
                self.obstacles.area(self.covered(corners));
                bars.push((bin, self.set_apart(corners)));
            }
        }
        let groups = by_series(bars, |(bin, _)| bin.series);
        let outside = layer
            .bins_in(self.facet)
            .filter(|bin| !self.panel.x.shows(0.5 * (bin.left + bin.right)));
        let outside: f64 = outside.map(Bin::count).sum();
        self.note_outside(layer, outside as usize);
        let (x, style) = (&self.panel.x.ticks, self.style);
        self.layer("histograma", || {
            groups.into_iter().try_for_each(|(series, bins)| {
                let attributes = paint::area(self.chart, series, paint::BARS);
                self.canvas.group(&attributes, || {
                    bins.into_iter().try_for_each(|(bin, corners)| {
                        let edge = |value| x.edge(&self.chart.x.scale, value, style);
                        let (left, right) = (edge(bin.left), edge(bin.right));
                        let count = style.format(bin.count(), 0);
                        self.panel.title_next(format!("{left} a {right}: {count}"));
                        self.panel.rectangle(corners)
                    })
                })
            })
        })
    }

    /// The part of a rectangle that the axes show.
    fn inside(&self, corners: [(f64, f64); 2]) -> [(f64, f64); 2] {
        let (x, y) = (self.panel.x.ends(), self.panel.y.ends());
        corners.map(|(a, b)| (a.clamp(x.0, x.1), b.clamp(y.0, y.1)))
    }

    /// The bar, a hair narrower when that leaves most of it.
    fn set_apart(&self, corners: [(f64, f64); 2]) -> [(f64, f64); 2] {
        let width = self.covered(corners).width();
        let hair = (corners[1].0 - corners[0].0) * if width > 4.0 { 0.4 / width } else { 0.0 };
        [(corners[0].0 + hair, corners[0].1), (corners[1].0 - hair, corners[1].1)]
    }

    pub(super) fn covered(&self, corners: [(f64, f64); 2]) -> Rect {
        let [(x0, y0), (x1, y1)] = corners.map(|corner| self.panel.at(corner));
        Rect { left: x0.min(x1), top: y0.min(y1), right: x0.max(x1), bottom: y0.max(y1) }
    }

    pub(super) fn bands(&mut self, layer: &Prepared) -> Drawn {
        let rows: Vec<Row> = layer.rows_in(self.facet).copied().collect();
        let window = self.window();
        self.layer("bandas", || {
            rows_by_series(rows).into_iter().try_for_each(|(series, rows)| {
                let attributes = paint::area(self.chart, series, "0.18");
                self.canvas.group(&attributes, || {
                    rows.chunk_by(|a, b| a.run == b.run).try_for_each(|run| {
                        let upper = run.iter().map(|row| (row.x, row.high));
                        let lower = run.iter().rev().map(|row| (row.x, row.low));
                        let ribbon: Vec<_> = upper.chain(lower).collect();
                        let path: Vec<_> = ribbon.iter().map(|p| self.panel.at(*p)).collect();
                        let ribbon: Vec<_> =
                            thin::path(&path).into_iter().map(|i| ribbon[i]).collect();
                        let seen = window.polygon(&ribbon);
                        if seen.len() < 3 { Ok(()) } else { self.panel.polygon(seen) }
                    })
                })
            })
        })
    }

    pub(super) fn bars(&mut self, layer: &Prepared, width: f64) -> Drawn {
        let rows: Vec<Row> = layer.rows_in(self.facet).copied().collect();
        let rows = self.thinned(layer, rows);
        let groups = rows_by_series(rows);
        let slot = 0.8 * width / groups.len().max(1) as f64;
        let stand = bars_stand_on(self.chart);
        let mut drawn = vec![];
        for (place, (series, rows)) in groups.into_iter().enumerate() {
            let bars: Vec<_> = rows
                .into_iter()
                .map(|row| {
                    let (at, size) =
                        if stand == Direction::X { (row.x, row.y) } else { (row.y, row.x) };
                    let start = at - 0.4 * width + place as f64 * slot;
                    let corners = match stand {
                        Direction::X => [(start, 0.0), (start + slot, size)],
                        Direction::Y => [(0.0, start), (size, start + slot)],
                    };
                    (row, self.inside(corners))
                })
                .collect();
            bars.iter().for_each(|(_, corners)| self.obstacles.area(self.covered(*corners)));
            drawn.push((series, bars));
        }
        self.layer("barras", || {
            drawn.into_iter().try_for_each(|(series, bars)| {
                self.canvas.group(&paint::area(self.chart, series, paint::BARS), || {
                    bars.iter().try_for_each(|(row, corners)| {
                        self.panel.title_next(self.tooltip(layer, row));
                        self.panel.rectangle(*corners)
                    })
                })
            })
        })
    }
}
