//! One function per kind of layer.

use super::canvas::{Anchor, Canvas, Drawn, Panel, Rect};
use super::clip::Window;
use super::layout::{RUG, rug_rows};
use super::number::NumberStyle;
use super::paint;
use super::place::Obstacles;
use super::rows::Row;
use super::scale::{Prepared, bars_stand_on};
use super::spec::{Axis, Chart, Direction, Layer};
use super::thin::{self, MOST_MARKS};
use plotters::style::text_anchor::{HPos, VPos};

/// Names beyond this are a table, not a figure.
const MOST_NAMES: usize = 200;

/// Draws the layers of one panel.
pub(super) struct Painter<'a> {
    chart: &'a Chart,
    style: &'a NumberStyle,
    canvas: &'a Canvas,
    panel: &'a Panel,
    facet: usize,
    notes: &'a mut Vec<String>,
    /// What labels, drawn last, should not cover.
    obstacles: Obstacles,
    /// Top of the next row of rugs.
    rug_top: f64,
    empty: bool,
}

impl<'a> Painter<'a> {
    pub(super) fn new(
        chart: &'a Chart,
        style: &'a NumberStyle,
        canvas: &'a Canvas,
        panel: &'a Panel,
        facet: usize,
        notes: &'a mut Vec<String>,
    ) -> Self {
        let rug_top = panel.frame.bottom + 4.0;
        let obstacles = Obstacles::default();
        Self { chart, style, canvas, panel, facet, notes, obstacles, rug_top, empty: true }
    }

    /// Draws a layer, all but its words.
    pub(super) fn draw(&mut self, layer: &Prepared) -> Drawn {
        self.empty &= layer.rows_in(self.facet).next().is_none();
        match layer.layer {
            Layer::Points { radius, .. } => self.points(layer, *radius),
            Layer::Line { .. } => self.lines(layer),
            Layer::Histogram { .. } => self.histogram(layer),
            Layer::Rug { along, .. } => self.rug(layer, *along),
            Layer::Reference { axis, dash, .. } => self.reference(layer, *axis, paint::dash(*dash)),
            Layer::Interval { along, .. } => self.intervals(layer, *along),
            Layer::Band { .. } => self.bands(layer),
            Layer::Bars { width, .. } => self.bars(layer, *width),
            Layer::Names { .. } => Ok(()),
        }
    }

    /// Draws the words of the layers, where they cover least, and says so when there
    /// was nothing to draw.
    pub(super) fn finish(&mut self, layers: &[Prepared]) -> Drawn {
        for layer in layers {
            match layer.layer {
                Layer::Reference { axis: Direction::Y, label, .. } if !label.is_empty() => {
                    self.reference_label(layer, label)?;
                }
                Layer::Names { .. } => self.names(layer)?,
                _ => {}
            }
        }
        if !self.empty {
            return Ok(());
        }
        let frame = &self.panel.frame;
        let middle = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
        self.canvas.group("class=\"esc-texto esc-vacio\" fill=\"currentColor\"", || {
            self.canvas.text(middle, "sin datos", Anchor::new(HPos::Center, VPos::Center))
        })
    }

    fn layer(&self, class: &str, inside: impl FnOnce() -> Drawn) -> Drawn {
        self.canvas.group(&format!("class=\"esc-capa esc-{class}\""), inside)
    }

    /// The rows of the panel that its axes show; how many do not is noted.
    fn visible(&mut self, layer: &Prepared) -> Vec<Row> {
        let all: Vec<Row> = layer.rows_in(self.facet).copied().collect();
        let total = all.len();
        let shown: Vec<Row> =
            all.into_iter().filter(|row| self.panel.shows((row.x, row.y))).collect();
        self.note_outside(layer, total - shown.len());
        shown
    }

    fn note_outside(&mut self, layer: &Prepared, outside: usize) {
        let name = layer.layer.name();
        match outside {
            0 => {}
            1 => self.notes.push(format!("{name}: 1 dato queda fuera de los ejes")),
            n => self.notes.push(format!("{name}: {n} datos quedan fuera de los ejes")),
        }
    }

    /// The rows to draw when there are more than a drawing should hold.
    fn thinned(&mut self, layer: &Prepared, rows: Vec<Row>) -> Vec<Row> {
        let at = |row: &Row| {
            let (x, y) = self.panel.at((row.x, row.y));
            (row.series, x, y)
        };
        let (kept, side) = thin::cells(&rows.iter().map(at).collect::<Vec<_>>());
        if side.is_some() {
            let (name, style) = (layer.layer.name(), self.style);
            self.notes.push(format!(
                "{name}: {} datos en {} marcas; las vecinas comparten una",
                style.format(rows.len() as f64, 0),
                style.format(kept.len() as f64, 0)
            ));
        }
        kept.into_iter().map(|i| rows[i]).collect()
    }

    /// Rows by series, in the declared order; within one, in the order of the data.
    fn by_series(rows: Vec<Row>) -> Vec<(Option<usize>, Vec<Row>)> {
        let mut groups: std::collections::BTreeMap<Option<usize>, Vec<Row>> = Default::default();
        for row in rows {
            groups.entry(row.series).or_default().push(row);
        }
        groups.into_iter().collect()
    }

    fn points(&mut self, layer: &Prepared, radius: f64) -> Drawn {
        let rows = self.visible(layer);
        let rows = self.thinned(layer, rows);
        for row in &rows {
            self.obstacles.mark(self.panel.at((row.x, row.y)), radius);
        }
        let titled = rows.len() < MOST_MARKS;
        self.layer("puntos", || {
            Self::by_series(rows).into_iter().try_for_each(|(series, rows)| {
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

    /// Name and values of a datum, each on its own line so that a name written from
    /// right to left leaves the numbers alone.
    fn tooltip(&self, layer: &Prepared, row: &Row) -> String {
        let Some(data) = layer.layer.data() else { return String::new() };
        let line = |axis: &Axis, ticks: &super::ticks::Ticks, value: f64, name: &str| {
            let name = if axis.label.is_empty() { name } else { &axis.label };
            format!("{name}: {}", ticks.written(&axis.scale, value, self.style))
        };
        let (x, y) = (data.x[row.index], data.y.get(row.index).copied().unwrap_or(0.0));
        let mut lines: Vec<String> = data.label.get(row.index).cloned().into_iter().collect();
        lines.push(line(&self.chart.x, &self.panel.x.ticks, x, "x"));
        lines.push(line(&self.chart.y, &self.panel.y.ticks, y, "y"));
        if let Layer::Interval { low, high, along, .. } = layer.layer {
            let (axis, ticks) = match along {
                Direction::X => (&self.chart.x, &self.panel.x.ticks),
                Direction::Y => (&self.chart.y, &self.panel.y.ticks),
            };
            let end = |value: f64| ticks.written(&axis.scale, value, self.style);
            lines.push(format!("de {} a {}", end(low[row.index]), end(high[row.index])));
        }
        lines.join("\n")
    }

    fn window(&self) -> Window {
        Window { x: self.panel.x.ends(), y: self.panel.y.ends() }
    }

    fn lines(&mut self, layer: &Prepared) -> Drawn {
        let rows: Vec<Row> = layer.rows_in(self.facet).copied().collect();
        let groups = Self::by_series(rows);
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
    fn line_pieces(&self, run: &[Row]) -> Vec<Vec<(f64, f64)>> {
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

    fn histogram(&mut self, layer: &Prepared) -> Drawn {
        let mut groups: std::collections::BTreeMap<Option<usize>, Vec<_>> = Default::default();
        for bin in layer.bins_in(self.facet) {
            let cut = |value: f64, (low, high): (f64, f64)| value.clamp(low, high);
            let (x, y) = (self.panel.x.ends(), self.panel.y.ends());
            let corners =
                [(cut(bin.left, x), cut(bin.from, y)), (cut(bin.right, x), cut(bin.to, y))];
            if corners[0].0 < corners[1].0 {
                self.obstacles.area(self.covered(corners));
                groups.entry(bin.series).or_default().push((bin, corners));
            }
        }
        let outside = layer
            .bins_in(self.facet)
            .filter(|bin| !self.panel.x.shows(0.5 * (bin.left + bin.right)));
        let outside: f64 = outside.map(super::bins::Bin::count).sum();
        self.note_outside(layer, outside as usize);
        let (x, style) = (&self.panel.x.ticks, self.style);
        self.layer("histograma", || {
            groups.into_iter().try_for_each(|(series, bins)| {
                let attributes = paint::area(self.chart, series, "0.75");
                self.canvas.group(&attributes, || {
                    bins.into_iter().try_for_each(|(bin, corners)| {
                        let edge = |value| x.written(&self.chart.x.scale, value, style);
                        let (left, right) = (edge(bin.left), edge(bin.right));
                        let count = style.format(bin.count(), 0);
                        self.panel.title_next(format!("{left} a {right}: {count}"));
                        self.panel.rectangle(corners)
                    })
                })
            })
        })
    }

    fn covered(&self, corners: [(f64, f64); 2]) -> Rect {
        let [(x0, y0), (x1, y1)] = corners.map(|corner| self.panel.at(corner));
        Rect { left: x0.min(x1), top: y0.min(y1), right: x0.max(x1), bottom: y0.max(y1) }
    }

    fn rug(&mut self, layer: &Prepared, along: Direction) -> Drawn {
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
            Self::by_series(rows).into_iter().try_for_each(|(series, rows)| {
                let place = order.iter().position(|other| *other == series).unwrap_or(0) as f64;
                let attributes = format!(
                    "{} stroke=\"{}\" stroke-opacity=\"0.8\" stroke-width=\"1.25\"",
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

    fn reference(&mut self, layer: &Prepared, axis: Direction, dash: &str) -> Drawn {
        let ruler = if axis == Direction::X { &self.panel.x } else { &self.panel.y };
        let Some(at) = layer.at.filter(|at| ruler.shows(*at)) else {
            self.note_outside(layer, 1);
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

    fn reference_label(&mut self, layer: &Prepared, label: &str) -> Drawn {
        let Some(at) = layer.at.filter(|at| self.panel.y.shows(*at)) else { return Ok(()) };
        let (_, y) = self.panel.at((self.panel.x.from, at));
        let frame = self.panel.frame;
        let label = super::text::shortened(label, frame.width() - 16.0, super::canvas::FONT);
        let place = self.obstacles.along(y, &label, &frame);
        self.canvas.group("class=\"esc-texto\" fill=\"currentColor\"", || {
            self.canvas.text(place, &label, Anchor::new(HPos::Left, VPos::Center))
        })
    }

    fn intervals(&mut self, layer: &Prepared, along: Direction) -> Drawn {
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
            Self::by_series(rows).into_iter().try_for_each(|(series, rows)| {
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

    fn bands(&mut self, layer: &Prepared) -> Drawn {
        let rows: Vec<Row> = layer.rows_in(self.facet).copied().collect();
        let window = self.window();
        self.layer("bandas", || {
            Self::by_series(rows).into_iter().try_for_each(|(series, rows)| {
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

    fn bars(&mut self, layer: &Prepared, width: f64) -> Drawn {
        let rows: Vec<Row> = layer.rows_in(self.facet).copied().collect();
        let rows = self.thinned(layer, rows);
        let groups = Self::by_series(rows);
        let slot = 0.8 * width / groups.len().max(1) as f64;
        let stand = bars_stand_on(self.chart);
        let (x, y) = (self.panel.x.ends(), self.panel.y.ends());
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
                    (row, corners.map(|(a, b)| (a.clamp(x.0, x.1), b.clamp(y.0, y.1))))
                })
                .collect();
            bars.iter().for_each(|(_, corners)| self.obstacles.area(self.covered(*corners)));
            drawn.push((series, bars));
        }
        self.layer("barras", || {
            drawn.into_iter().try_for_each(|(series, bars)| {
                self.canvas.group(&paint::area(self.chart, series, "0.8"), || {
                    bars.iter().try_for_each(|(row, corners)| {
                        self.panel.title_next(self.tooltip(layer, row));
                        self.panel.rectangle(*corners)
                    })
                })
            })
        })
    }

    fn names(&mut self, layer: &Prepared) -> Drawn {
        let rows = self.visible(layer);
        let Some(data) = layer.layer.data() else { return Ok(()) };
        let (frame, mut placed) = (self.panel.frame, vec![]);
        for row in rows.iter().take(MOST_NAMES) {
            let Some(name) = data.label.get(row.index) else { continue };
            let name = super::text::shortened(name, 0.5 * frame.width(), super::canvas::FONT);
            let at = self.panel.at((row.x, row.y));
            placed.extend(self.obstacles.beside(at, &name, &frame).map(|place| (place, name)));
        }
        match rows.len() - placed.len() {
            0 => {}
            1 => self.notes.push("rótulos: 1 no cabe".into()),
            n => self.notes.push(format!("rótulos: {n} no caben")),
        }
        self.canvas.group("class=\"esc-capa esc-texto esc-rotulos\" fill=\"currentColor\"", || {
            placed.iter().try_for_each(|(place, name)| {
                self.canvas.text(*place, name, Anchor::new(HPos::Left, VPos::Center))
            })
        })
    }
}
