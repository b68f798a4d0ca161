//! From the columns of a layer to the rows that can be drawn.

use super::spec::{Axis, Chart, ChartError, Data, Direction, Layer, Scale};
use jiff::civil::{Date, date};

/// Values beyond this are no measurement, and their differences would overflow.
const LARGEST: f64 = 1e100;

/// Days since 1970-01-01: a date's value on an axis of dates.
pub fn day(date: Date) -> f64 {
    let days = date.duration_since(EPOCH).as_hours() / 24;
    days as f64
}

const EPOCH: Date = date(1970, 1, 1);

/// First and last day an axis can show: years 1 to 9999.
pub(super) const CALENDAR: (f64, f64) = (-719_162.0, 2_932_896.0);

/// The date of a day, when the calendar has it.
pub(super) fn date_of(day: f64) -> Option<Date> {
    if !(CALENDAR.0..CALENDAR.1 + 1.0).contains(&day) {
        return None;
    }
    EPOCH.checked_add(jiff::SignedDuration::from_hours(day.floor() as i64 * 24)).ok()
}

/// One datum, in scaled values (the logarithm, on a logarithmic axis). Columns that
/// the layer does not have are zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) series: Option<usize>,
    pub(super) facet: Option<usize>,
    /// Position in the layer's columns.
    pub(super) index: usize,
    /// Changes where a datum was left out: lines break there.
    pub(super) run: usize,
}

impl Scale {
    /// The value as a position on the scale, when it has one.
    pub(super) fn scaled(&self, value: f64) -> Option<f64> {
        let scaled = match self {
            Self::Linear => value,
            Self::Log => {
                return (1.0 / LARGEST..=LARGEST).contains(&value).then(|| libm::log10(value));
            }
            Self::Date => return date_of(value).map(|_| value),
            Self::Category(names) => {
                return (-0.5..names.len() as f64 - 0.5).contains(&value).then_some(value);
            }
        };
        (scaled.abs() <= LARGEST).then_some(scaled)
    }
}

impl Layer {
    /// The columns besides `x`: name, values, whether the layer needs it.
    fn columns(&self) -> Vec<(&'static str, &[f64], bool)> {
        let Some(data) = self.data() else { return vec![] };
        let needs_y = matches!(
            self,
            Self::Points { .. }
                | Self::Line { .. }
                | Self::Interval { .. }
                | Self::Bars { .. }
                | Self::Names { .. }
        );
        let mut columns = vec![("y", data.y.as_slice(), needs_y)];
        if let Self::Interval { low, high, .. } | Self::Band { low, high, .. } = self {
            columns.push(("low", low, true));
            columns.push(("high", high, true));
        }
        columns
    }

    /// The rows of the layer and, in Spanish, what had to be left out.
    pub(super) fn rows(&self, chart: &Chart, notes: &mut Vec<String>) -> Vec<Row> {
        let Some(data) = self.data() else { return vec![] };
        let (mut rows, mut run) = (vec![], 0);
        for index in 0..data.x.len() {
            match self.row(chart, data, index) {
                Some(row) => rows.push(Row { run, ..row }),
                None => run += 1,
            }
        }
        match data.x.len() - rows.len() {
            0 => {}
            1 => notes.push(format!("{}: se omite 1 dato sin valor en su escala", self.name())),
            n => notes.push(format!("{}: se omiten {n} datos sin valor en su escala", self.name())),
        }
        rows
    }

    fn row(&self, chart: &Chart, data: &Data, index: usize) -> Option<Row> {
        let (x_scale, y_scale) = (&chart.x.scale, &chart.y.scale);
        let first = data.x[index];
        let (x, y) = match self {
            Self::Rug { along: Direction::Y, .. } => (0.0, y_scale.scaled(first)?),
            Self::Rug { .. } | Self::Histogram { .. } | Self::Band { .. } => {
                (x_scale.scaled(first)?, 0.0)
            }
            _ => (x_scale.scaled(first)?, y_scale.scaled(data.y[index])?),
        };
        let (low, high) = match self {
            Self::Interval { low, high, along: Direction::X, .. } => {
                (x_scale.scaled(low[index])?, x_scale.scaled(high[index])?)
            }
            Self::Interval { low, high, .. } | Self::Band { low, high, .. } => {
                (y_scale.scaled(low[index])?, y_scale.scaled(high[index])?)
            }
            _ => (0.0, 0.0),
        };
        Some(Row {
            x,
            y,
            low: low.min(high),
            high: low.max(high),
            series: data.series.get(index).copied(),
            facet: data.facet.get(index).copied(),
            index,
            run: 0,
        })
    }
}

/// Whether the chart makes sense, before anything is drawn.
pub(super) fn check(chart: &Chart) -> Result<(), ChartError> {
    let (width, height) = (chart.width, chart.height);
    if !(200..=4000).contains(&width) || !(100..=4000).contains(&height) {
        return Err(ChartError::Size { width, height });
    }
    if chart.facets.columns == 0 {
        return Err(value("el número de columnas de paneles", 0.0));
    }
    for series in &chart.series {
        check_colour(series.colour.as_deref(), &series.name)?;
    }
    check_range(&chart.x)?;
    check_range(&chart.y)?;
    chart.layers.iter().try_for_each(|layer| check_layer(chart, layer))
}

fn value(what: &'static str, found: f64) -> ChartError {
    ChartError::Value { what, found: found.to_string() }
}

fn check_colour(colour: Option<&str>, series: &str) -> Result<(), ChartError> {
    let Some(found) = colour else { return Ok(()) };
    let digits = found.strip_prefix('#').unwrap_or("");
    match matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(()),
        false => Err(ChartError::Colour { series: series.into(), found: found.into() }),
    }
}

fn check_range(axis: &Axis) -> Result<(), ChartError> {
    let Some((from, to)) = axis.range else { return Ok(()) };
    match (axis.scale.scaled(from), axis.scale.scaled(to)) {
        (Some(low), Some(high)) if super::scale::distinct(low, high) => Ok(()),
        _ => Err(ChartError::Value { what: "el rango de un eje", found: format!("{from}..{to}") }),
    }
}

fn check_layer(chart: &Chart, layer: &Layer) -> Result<(), ChartError> {
    match layer {
        Layer::Histogram { width, .. } if !(*width > 0.0 && *width <= widest(chart)) => {
            return Err(value("el ancho de las clases de un histograma", *width));
        }
        Layer::Histogram { start, .. } if start.is_nan() || start.abs() > LARGEST => {
            return Err(value("el inicio de las clases de un histograma", *start));
        }
        Layer::Bars { width, .. } if !(*width > 0.0 && *width <= LARGEST) => {
            return Err(value("el ancho de las barras", *width));
        }
        Layer::Points { radius, .. } if !(1.0..=12.0).contains(radius) => {
            return Err(value("el radio de los puntos", *radius));
        }
        _ => {}
    }
    check_counted_scale(chart, layer)?;
    let Some(data) = layer.data() else { return Ok(()) };
    check_lengths(layer, data)?;
    check_positions(layer, "serie", &data.series, chart.series.len())?;
    check_positions(layer, "panel", &data.facet, chart.facets.labels.len())
}

/// The widest bin: on a logarithmic axis bins are measured in powers of ten.
fn widest(chart: &Chart) -> f64 {
    if chart.x.scale == Scale::Log { 100.0 } else { LARGEST }
}

/// Bars start at zero, which only a linear scale has.
fn check_counted_scale(chart: &Chart, layer: &Layer) -> Result<(), ChartError> {
    let scale = match layer {
        Layer::Histogram { .. } => &chart.y.scale,
        Layer::Bars { .. } if matches!(chart.y.scale, Scale::Category(_)) => &chart.x.scale,
        Layer::Bars { .. } => &chart.y.scale,
        _ => return Ok(()),
    };
    match scale {
        Scale::Linear => Ok(()),
        _ => Err(ChartError::Value {
            what: "la escala en que se miden barras o un histograma",
            found: "más que lineal".into(),
        }),
    }
}

fn check_lengths(layer: &Layer, data: &Data) -> Result<(), ChartError> {
    let expected = data.x.len();
    let wrong =
        |column, found| ChartError::Lengths { layer: layer.name(), column, found, expected };
    for (column, values, needed) in layer.columns() {
        if values.len() != expected && (needed || !values.is_empty()) {
            return Err(wrong(column, values.len()));
        }
    }
    let optional =
        [("series", data.series.len()), ("facet", data.facet.len()), ("label", data.label.len())];
    match optional.into_iter().find(|(_, found)| *found != expected && *found != 0) {
        Some((column, found)) => Err(wrong(column, found)),
        None => Ok(()),
    }
}

fn check_positions(
    layer: &Layer,
    what: &'static str,
    positions: &[usize],
    count: usize,
) -> Result<(), ChartError> {
    match positions.iter().find(|position| **position >= count) {
        Some(&found) => Err(ChartError::Position { layer: layer.name(), what, found, count }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_each_other() {
        assert_eq!(day(date(1970, 1, 1)), 0.0);
        assert_eq!(day(date(2026, 10, 25)), 20_751.0);
        assert_eq!(date_of(20_751.9), Some(date(2026, 10, 25)));
        assert_eq!(date_of(CALENDAR.0), Some(date(1, 1, 1)));
        assert_eq!(date_of(CALENDAR.1), Some(date(9999, 12, 31)));
        assert_eq!(date_of(1e18), None);
        assert_eq!(date_of(f64::NAN), None);
    }

    #[test]
    fn a_datum_without_value_is_left_out_told_and_breaks_the_line() {
        let data = Data::xy(vec![1.0, f64::NAN, 3.0, 4.0], vec![1.0, 1.0, f64::INFINITY, 2.0]);
        let mut notes = vec![];
        let rows = Layer::Line { data }.rows(&Chart::default(), &mut notes);
        assert_eq!(
            rows.iter().map(|row| (row.index, row.run)).collect::<Vec<_>>(),
            [(0, 0), (3, 2)]
        );
        assert_eq!(notes, ["línea: se omiten 2 datos sin valor en su escala"]);
    }

    #[test]
    fn charts_without_sense_are_refused_with_the_reason() {
        let with = |layer: Layer| Chart { layers: vec![layer], ..Chart::default() };
        let short = with(Layer::points(Data::xy(vec![1.0, 2.0], vec![1.0])));
        assert_eq!(
            check(&short).unwrap_err().to_string(),
            "capa «puntos»: la columna `y` tiene 1 valores y `x` tiene 2"
        );
        let series = with(Layer::points(Data::xy(vec![1.0], vec![1.0]).in_series(0)));
        assert!(matches!(check(&series), Err(ChartError::Position { what: "serie", .. })));
        let bins = Layer::Histogram {
            data: Data::of(vec![1.0]),
            width: f64::NAN,
            start: 0.0,
            mirrored: false,
        };
        assert!(matches!(check(&with(bins)), Err(ChartError::Value { .. })));
        let range = Axis { range: Some((2.0, 1.0)), ..Axis::default() };
        assert!(check(&Chart { x: range, ..Chart::default() }).is_err());
        let colour = Some("red\" onload=\"x".to_string());
        let series = vec![crate::chart::Series { colour, ..Default::default() }];
        assert!(matches!(
            check(&Chart { series, ..Chart::default() }),
            Err(ChartError::Colour { .. })
        ));
    }
}
