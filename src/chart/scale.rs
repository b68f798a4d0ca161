//! From values to positions: what an axis spans and where a value falls on it.

use super::bins::{self, Bin};
use super::rows::{CALENDAR, Row};
use super::spec::{Axis, Chart, ChartError, Direction, Layer, Scale};
use super::ticks::{Tick, Ticks};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged};
use std::ops::Range;

/// Share of the largest value below which the smallest is near zero.
const NEAR_ZERO: f64 = 0.1;
/// Share of the span left free at each end of an automatic range.
const PADDING: f64 = 0.04;

/// A layer with its data ready to be drawn.
pub(super) struct Prepared<'a> {
    pub(super) layer: &'a Layer,
    pub(super) rows: Vec<Row>,
    pub(super) bins: Vec<Bin>,
    /// Where a reference line stands, in scaled values.
    pub(super) at: Option<f64>,
}

impl<'a> Prepared<'a> {
    /// Reads the columns of a layer; what is left out is told in `notes`.
    pub(super) fn new(
        chart: &Chart,
        layer: &'a Layer,
        notes: &mut Vec<String>,
    ) -> Result<Self, ChartError> {
        let rows = layer.rows(chart, notes);
        let bins = match layer {
            Layer::Histogram { width, start, mirrored, .. } => {
                let end = chart.x.range.and_then(|(_, end)| chart.x.scale.scaled(end));
                bins::count(&rows, (*width, *start), end, if *mirrored { -1.0 } else { 1.0 })?
            }
            _ => vec![],
        };
        let at = match layer {
            Layer::Reference { axis: Direction::X, value, .. } => chart.x.scale.scaled(*value),
            Layer::Reference { value, .. } => chart.y.scale.scaled(*value),
            _ => None,
        };
        Ok(Self { layer, rows, bins, at })
    }

    /// The rows of a panel.
    pub(super) fn rows_in(&self, facet: usize) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.facet.is_none_or(|of| of == facet))
    }

    /// The bars of a panel.
    pub(super) fn bins_in(&self, facet: usize) -> impl Iterator<Item = &Bin> {
        self.bins.iter().filter(move |bin| bin.facet.is_none_or(|of| of == facet))
    }

    /// Everything the layer shows on one axis, in the panels asked for.
    fn values(&self, chart: &Chart, axis: Direction, facet: Option<usize>, to: &mut Extent) {
        let horizontal = axis == Direction::X;
        let shown = |of: Option<usize>| facet.is_none() || of.is_none() || of == facet;
        for bin in self.bins.iter().filter(|bin| shown(bin.facet)) {
            let ends = if horizontal { [bin.left, bin.right] } else { [bin.from, bin.to] };
            ends.into_iter().for_each(|end| to.add(end));
        }
        if let (Layer::Reference { axis: of, .. }, Some(at)) = (self.layer, self.at)
            && *of == axis
        {
            to.add_reference(at);
        }
        for row in self.rows.iter().filter(|row| shown(row.facet)) {
            let own = if horizontal { row.x } else { row.y };
            match self.layer {
                Layer::Histogram { .. } => {}
                Layer::Rug { along, .. } if *along != axis => {}
                Layer::Band { .. } if !horizontal => to.add_span(row.low, row.high),
                Layer::Interval { along, .. } if *along == axis => {
                    to.add(own);
                    to.add_span(row.low, row.high);
                }
                Layer::Bars { width, .. } if bars_stand_on(chart) == axis => {
                    to.add_span(own - width / 2.0, own + width / 2.0);
                }
                Layer::Bars { .. } => to.add_span(0.0, own),
                _ => to.add(own),
            }
        }
    }

    /// Whether the layer's marks start at the zero of this axis.
    pub(super) fn starts_at_zero(&self, chart: &Chart, axis: Direction) -> bool {
        match self.layer {
            Layer::Histogram { .. } => axis == Direction::Y,
            Layer::Bars { .. } => bars_stand_on(chart) != axis,
            _ => false,
        }
    }
}

/// The axis along which bars are side by side.
pub(super) fn bars_stand_on(chart: &Chart) -> Direction {
    match chart.y.scale {
        Scale::Category(_) => Direction::Y,
        _ => Direction::X,
    }
}

/// Smallest and largest of the values seen.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Extent {
    low: f64,
    high: f64,
    whole: bool,
}

impl Extent {
    fn new() -> Self {
        Self { low: f64::INFINITY, high: f64::NEG_INFINITY, whole: true }
    }

    fn add(&mut self, value: f64) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
        self.whole &= value.fract() == 0.0;
    }

    /// A reference line widens the axis but says nothing of what it measures.
    fn add_reference(&mut self, value: f64) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }

    fn add_span(&mut self, low: f64, high: f64) {
        self.add(low);
        self.add(high);
    }

    /// Whether values that are never negative come so near to zero that an axis that
    /// begins elsewhere would have its line beside that of zero, or leave it out.
    fn is_near_zero(self) -> bool {
        self.low >= 0.0 && self.low < NEAR_ZERO * self.high
    }

    fn padded(self, starts_at_zero: bool) -> (f64, f64) {
        let (low, high) = apart(self.low, self.high);
        let pad = (high - low) * PADDING;
        let keeps_low = starts_at_zero && self.low >= 0.0;
        let keeps_high = starts_at_zero && self.high <= 0.0;
        (if keeps_low { 0.0 } else { low - pad }, if keeps_high { 0.0 } else { high + pad })
    }
}

/// Whether an axis from `low` to `high` can have ticks in double precision.
pub(super) fn distinct(low: f64, high: f64) -> bool {
    high - low > (low.abs().max(high.abs()) * 1e-9).max(1e-100)
}

/// The ends, moved apart when they are the same number or nearly so.
fn apart(low: f64, high: f64) -> (f64, f64) {
    if distinct(low, high) {
        return (low, high);
    }
    let largest = low.abs().max(high.abs());
    let room = (largest * 0.05).max(0.5);
    (low - room, high + room)
}

/// An axis ready to be drawn: its span in scaled values and its ticks.
#[derive(Debug, Clone)]
pub(super) struct Ruler {
    /// Scaled value at the left or at the bottom.
    pub(super) from: f64,
    /// Scaled value at the right or at the top.
    pub(super) to: f64,
    /// Its ticks, from `from` to `to`, and how its values are written.
    pub(super) ticks: Ticks,
}

/// What an axis has to show, before anyone knows how much room it gets.
pub(super) struct Span {
    pub(super) from: f64,
    pub(super) to: f64,
    /// Only whole numbers: ticks have no decimals.
    pub(super) whole: bool,
    /// No value and no fixed range: no ticks either.
    pub(super) empty: bool,
}

/// What `axis` spans in a panel (or in all of them).
pub(super) fn span(
    chart: &Chart,
    layers: &[Prepared],
    direction: Direction,
    facet: Option<usize>,
) -> Span {
    let axis = if direction == Direction::X { &chart.x } else { &chart.y };
    let mut extent = Extent::new();
    layers.iter().for_each(|layer| layer.values(chart, direction, facet, &mut extent));
    let empty = extent.low > extent.high;
    let starts_at_zero = layers.iter().any(|layer| layer.starts_at_zero(chart, direction))
        || direction == Direction::Y && axis.scale == Scale::Linear && extent.is_near_zero();
    let (from, to) = match fixed(axis) {
        Some(range) => range,
        None if empty => (0.0, 1.0),
        None => extent.padded(starts_at_zero),
    };
    let (from, to) = match &axis.scale {
        Scale::Date => (from.max(CALENDAR.0), to.min(CALENDAR.1)),
        Scale::Category(names) if direction == Direction::Y => (names.len() as f64 - 0.5, -0.5),
        Scale::Category(names) => (-0.5, names.len() as f64 - 0.5),
        _ => (from, to),
    };
    let (from, to) = if from == to { (from, from + 1.0) } else { (from, to) };
    Span { from, to, whole: extent.whole && !empty, empty: empty && axis.range.is_none() }
}

fn fixed(axis: &Axis) -> Option<(f64, f64)> {
    let (low, high) = axis.range?;
    Some((axis.scale.scaled(low)?, axis.scale.scaled(high)?))
}

impl Ruler {
    /// Smallest and largest scaled value it shows.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.from.min(self.to), self.from.max(self.to))
    }

    /// Whether a scaled value is on it, but for rounding.
    pub(super) fn shows(&self, value: f64) -> bool {
        let (low, high) = self.ends();
        let slack = (high - low) * 1e-9;
        value >= low - slack && value <= high + slack
    }

    /// Where a scaled value falls: 0 at the beginning, 1 at the end.
    pub(super) fn share(&self, value: f64) -> f64 {
        ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    /// Its ticks.
    pub(super) fn marks(&self) -> &[Tick] {
        &self.ticks.marks
    }
}

/// A [`Ruler`] as plotters' coordinate: its key points are our ticks.
#[derive(Debug, Clone)]
pub(super) struct Coordinate(pub(super) Ruler);

impl Ranged for Coordinate {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        (f64::from(start) + f64::from(end - start) * self.0.share(*value)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.0.marks().iter().map(|tick| tick.at).collect()
    }

    fn range(&self) -> Range<f64> {
        self.0.from..self.0.to
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Data;

    fn spans(layer: Layer, direction: Direction) -> (f64, f64) {
        let chart = Chart { layers: vec![layer], ..Chart::default() };
        let layers = [Prepared::new(&chart, &chart.layers[0], &mut vec![]).unwrap()];
        let span = span(&chart, &layers, direction, None);
        (span.from, span.to)
    }

    #[test]
    fn one_value_gets_an_axis_around_it() {
        assert_eq!(apart(3.0, 3.0), (2.5, 3.5));
        assert_eq!(apart(1e6, 1e6), (950_000.0, 1_050_000.0));
        let (from, to) = spans(Layer::points(Data::xy(vec![0.0], vec![0.0])), Direction::X);
        assert!(from < 0.0 && to > 0.0);
    }

    #[test]
    fn bars_stand_on_zero_and_points_do_not() {
        let histogram = Layer::Histogram {
            data: Data::of(vec![1.0, 1.0, 5.0]),
            width: 1.0,
            start: 0.0,
            mirrored: false,
        };
        let (from, to) = spans(histogram, Direction::Y);
        assert!(from == 0.0 && to > 2.0);
        let (from, _) = spans(Layer::points(Data::xy(vec![1.0], vec![2.0])), Direction::Y);
        assert!(from > 0.0);
    }

    #[test]
    fn an_axis_without_values_is_empty() {
        let chart = Chart::default();
        assert!(span(&chart, &[], Direction::X, None).empty);
    }
}
