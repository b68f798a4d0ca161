//! Colours, shapes and dashes of the series, as SVG attributes.

use super::spec::{Chart, Dash, Shape};
use super::text::escape;

/// Colours by position: told apart by most colour-blind readers, and legible on
/// light and on dark paper.
const PALETTE: [&str; 8] =
    ["#2a78d6", "#eb6834", "#1baf7a", "#8a63d2", "#c9467b", "#a88400", "#3a9db5", "#7a7f87"];
const SHAPES: [Shape; 4] = [Shape::Circle, Shape::Triangle, Shape::Square, Shape::Diamond];
const DASHES: [Dash; 4] = [Dash::Solid, Dash::Dashed, Dash::DashDot, Dash::Dotted];

/// The colour of a series as a CSS variable with its value: by position when the
/// palette chose it, by its own digits when the author did (series of that colour
/// look the same in every figure, whatever their position). What belongs to no
/// series is drawn in ink beside those that do, so that it is not taken for one.
pub(super) fn colour(chart: &Chart, series: Option<usize>) -> String {
    let position = match series {
        None if !chart.series.is_empty() => return "currentColor".into(),
        other => other.unwrap_or(0),
    };
    match series.and_then(|position| chart.series[position].colour.as_deref()) {
        Some(hex) => {
            let hex = hex.to_ascii_lowercase();
            format!("var(--color-{}, {hex})", &hex[1..])
        }
        None => format!("var(--serie-{}, {})", position + 1, PALETTE[position % PALETTE.len()]),
    }
}

/// The mark of a series.
pub(super) fn shape(chart: &Chart, series: Option<usize>) -> Shape {
    let position = series.unwrap_or(0);
    let declared = series.and_then(|position| chart.series[position].shape);
    declared.unwrap_or(SHAPES[position % SHAPES.len()])
}

/// The stroke of a series' line: the dash pattern, as an attribute.
pub(super) fn dash_of(chart: &Chart, series: Option<usize>) -> &'static str {
    let position = series.unwrap_or(0);
    let declared = series.and_then(|position| chart.series[position].dash);
    dash(declared.unwrap_or(DASHES[position % DASHES.len()]))
}

/// A dash pattern, as an attribute.
pub(super) fn dash(dash: Dash) -> &'static str {
    match dash {
        Dash::Solid => "",
        Dash::Dashed => " stroke-dasharray=\"7 4\"",
        Dash::Dotted => " stroke-dasharray=\"1.5 4\" stroke-linecap=\"round\"",
        Dash::DashDot => " stroke-dasharray=\"8 3.5 1.5 3.5\"",
    }
}

/// Attributes that name a series in the drawing.
pub(super) fn identity(chart: &Chart, series: Option<usize>) -> String {
    match series {
        None => "class=\"serie\"".into(),
        Some(position) => format!(
            "class=\"serie serie-{}\" data-serie=\"{}\"",
            position + 1,
            escape(&chart.series[position].name)
        ),
    }
}

/// Attributes of a series drawn as marks: filled, with a rim that keeps neighbours
/// apart.
pub(super) fn marks(chart: &Chart, series: Option<usize>) -> String {
    let (identity, colour) = (identity(chart, series), colour(chart, series));
    format!(
        "{identity} fill=\"{colour}\" fill-opacity=\"0.6\" stroke=\"{colour}\" stroke-width=\"1\""
    )
}

/// Attributes of a series drawn as a line.
pub(super) fn line(chart: &Chart, series: Option<usize>) -> String {
    let (identity, colour) = (identity(chart, series), colour(chart, series));
    let dash = dash_of(chart, series);
    format!(
        "{identity} fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
         stroke-linejoin=\"round\"{dash}"
    )
}

/// How opaque bars are: gridlines show through, and every colour of the series still
/// stands out from a white page three to one.
pub(super) const BARS: &str = "0.9";

/// Attributes of a series drawn as an area.
pub(super) fn area(chart: &Chart, series: Option<usize>, opacity: &str) -> String {
    let (identity, colour) = (identity(chart, series), colour(chart, series));
    format!("{identity} fill=\"{colour}\" fill-opacity=\"{opacity}\"")
}
