//! One function per kind of layer: here what they share, and the order of things.

mod areas;
mod marks;
mod strokes;

use super::canvas::{Anchor, Canvas, Drawn, Panel};
use super::clip::Window;
use super::number::NumberStyle;
use super::paint;
use super::place::Obstacles;
use super::rows::Row;
use super::scale::Prepared;
use super::spec::{Axis, Chart, Direction, Layer};
use super::thin;
use plotters::style::text_anchor::{HPos, VPos};
use std::collections::BTreeMap;

/// Marks beyond this carry no tooltip: nobody finds one among them.
const MOST_TOOLTIPS: usize = 1500;

/// Words among the data: a halo of the paper's colour keeps them legible, and lets
/// what is below show.
const OVER_DATA: &str = "class=\"esc-texto esc-halo\" fill=\"currentColor\" \
    stroke=\"var(--esc-papel, Canvas)\" stroke-width=\"2.5\" stroke-opacity=\"0.75\" stroke-linejoin=\"round\" \
    paint-order=\"stroke\"";

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
        if self.empty {
            self.say_empty()?;
        }
        for layer in layers {
            match layer.layer {
                Layer::Reference { axis: Direction::Y, label, .. } if !label.is_empty() => {
                    self.reference_label(layer, label)?;
                }
                Layer::Names { .. } => self.names(layer)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn say_empty(&mut self) -> Drawn {
        let frame = &self.panel.frame;
        let middle = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
        self.obstacles.words(middle, "sin datos");
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
        let name = self.named(layer);
        match outside {
            0 => {}
            1 => self.notes.push(format!("{name}: 1 dato queda fuera de los ejes")),
            n => self.notes.push(format!("{name}: {n} datos quedan fuera de los ejes")),
        }
    }

    /// A layer's name in a note, with its panel when there are several.
    fn named(&self, layer: &Prepared) -> String {
        let name = layer.layer.name();
        match self.chart.facets.labels.get(self.facet) {
            Some(panel) => format!("{name} («{panel}»)"),
            None => name.into(),
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
            let (name, style) = (self.named(layer), self.style);
            self.notes.push(format!(
                "{name}: {} datos en {} marcas; las vecinas comparten una",
                style.format(rows.len() as f64, 0),
                style.format(kept.len() as f64, 0)
            ));
        }
        kept.into_iter().map(|i| rows[i]).collect()
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
}

/// Things by series, in the declared order; within one, in the order they came.
fn by_series<T>(
    things: impl IntoIterator<Item = T>,
    series: impl Fn(&T) -> Option<usize>,
) -> BTreeMap<Option<usize>, Vec<T>> {
    let mut groups: BTreeMap<_, Vec<T>> = BTreeMap::new();
    for thing in things {
        groups.entry(series(&thing)).or_default().push(thing);
    }
    groups
}

/// Rows by series.
fn rows_by_series(rows: Vec<Row>) -> BTreeMap<Option<usize>, Vec<Row>> {
    by_series(rows, |row| row.series)
}
