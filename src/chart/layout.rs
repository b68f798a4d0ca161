//! How much room each part of a figure gets.
//!
//! From the outside in: the label of the vertical axis above, the legend and the
//! label of the horizontal axis below, the tick labels at the left; what is left is
//! for the panels, and the figure grows when that is too little.

use super::canvas::{FONT, LINE, Rect};
use super::legend::Legend;
use super::number::NumberStyle;
use super::place::{self, StripLabel};
use super::scale::{Prepared, Ruler, Span, span};
use super::spec::{Chart, Direction, Layer, Scale};
use super::text;
use super::ticks::{Tick, Ticks};

/// Free border at the right: half a mark, half a stroke.
const RIGHT: f64 = 14.0;
/// Free border at the left of the words.
const LEFT: f64 = 2.0;
/// From the plot to its tick labels.
const TICK_GAP: f64 = 7.0;
/// From a row of panels to the next.
const ROW_GAP: f64 = 14.0;
/// Least height of a panel.
const LEAST_PANEL: f64 = 110.0;
/// Least width of a panel: narrower ones go to the next row.
const LEAST_COLUMN: f64 = 100.0;
/// Height of a category's row, and rows beyond which only some are named.
const CATEGORY: f64 = 17.0;
const MOST_CATEGORIES: usize = 400;
/// Ticks of a horizontal axis, and the gap between their labels.
const MOST_TICKS: usize = 10;
const WORD_GAP: f64 = 22.0;
/// Height of a row of a rug.
pub(super) const RUG: f64 = 9.0;

/// A panel: where it is and what its axes show.
pub(super) struct PanelPlan {
    pub(super) title: Vec<String>,
    pub(super) frame: Rect,
    pub(super) y: Ruler,
    /// Left and right ends of the room for words above and below it.
    pub(super) ends: (f64, f64),
    /// Labels of vertical reference lines above it.
    pub(super) strip: Vec<StripLabel>,
    /// Whether the tick labels of the horizontal axis stand below it.
    pub(super) lowest: bool,
    /// Whether the tick labels of the vertical axis stand beside it.
    pub(super) first: bool,
}

/// The whole figure.
pub(super) struct Plan {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) y_label: Vec<String>,
    pub(super) x_label: Vec<String>,
    pub(super) x_label_top: f64,
    pub(super) x: Ruler,
    /// Whether the tick labels of the horizontal axis are written upwards.
    pub(super) upwards: bool,
    /// Height of the rug below each panel.
    pub(super) rug: f64,
    pub(super) panels: Vec<PanelPlan>,
    pub(super) legend: Legend,
    pub(super) legend_at: (f64, f64),
}

/// Sizes that the whole grid of panels shares.
struct Grid {
    columns: usize,
    rows: usize,
    left: f64,
    gap: f64,
    column: f64,
    /// How far words may stand out of a column, to the left and to the right.
    slack: (f64, f64),
    panel: f64,
    titles: f64,
}

impl Plan {
    /// Lays out a chart: the ticks of the vertical axis depend on the height of the
    /// panels, which depends on everything else, so a draft tells it.
    pub(super) fn new(chart: &Chart, layers: &[Prepared], style: &NumberStyle) -> Self {
        let draft = Self::for_panels_of(f64::from(chart.height), chart, layers, style);
        let height = draft.panels[0].frame.height();
        Self::for_panels_of(height, chart, layers, style)
    }

    fn for_panels_of(panel: f64, chart: &Chart, layers: &[Prepared], style: &NumberStyle) -> Self {
        let width = f64::from(chart.width);
        let count = chart.facets.labels.len().max(1);
        let ys = vertical_rulers(chart, layers, count, panel, style);
        let left = tick_room(&ys);
        let mut grid = columns(chart, count, width, left);
        let rug = rug_height(layers);
        let (x, upwards) = horizontal_ruler(chart, layers, &grid, style);
        let legend = Legend::new(chart, layers, width - legend_left(left, width) - RIGHT);

        let y_label = labelled(&chart.y.label, &ys[0], width - LEFT - RIGHT);
        let x_label = labelled(&chart.x.label, &x, width - LEFT - RIGHT);
        let titles: Vec<Vec<String>> = (0..count)
            .map(|facet| chart.facets.labels.get(facet).map_or("", String::as_str))
            .map(|title| text::wrap(title, grid.column, FONT, 2))
            .collect();
        grid.titles = LINE * titles.iter().map(Vec::len).max().unwrap_or(0) as f64;
        let references = references(layers, &x);
        let strips: Vec<_> =
            (0..grid.columns).map(|column| column_strip(&references, &x, &grid, column)).collect();
        let strip_height =
            LINE * strips.iter().map(|strip| place::strip_rows(strip)).max().unwrap_or(0) as f64;

        let above = 10.0 + LINE * y_label.len() as f64 + strip_height;
        let x_ticks = x_tick_height(&x, upwards);
        let below = TICK_GAP
            + x_ticks
            + LINE * x_label.len() as f64
            + legend.height
            + if legend.height > 0.0 { 12.0 } else { 6.0 };
        let around = above + below + (grid.rows - 1) as f64 * ROW_GAP;
        let each = grid.titles + rug;
        let room = (f64::from(chart.height) - around) / grid.rows as f64 - each;
        grid.panel = room.max(least_panel(chart));
        let height = (around + grid.rows as f64 * (grid.panel + each)).ceil();

        let panels = ys
            .into_iter()
            .zip(titles)
            .enumerate()
            .map(|(facet, (y, title))| {
                let frame = grid.frame(facet, above, rug);
                let strip = if facet < grid.columns { strips[facet].clone() } else { vec![] };
                let lowest = facet + grid.columns >= count;
                let first = facet % grid.columns == 0 || chart.facets.free_y;
                let ends = (frame.left - grid.slack.0, frame.right + grid.slack.1);
                PanelPlan { title, frame, y, ends, strip, lowest, first }
            })
            .collect();
        let x_label_top = height - below + TICK_GAP + x_ticks;
        let legend_at = (legend_left(left, width), height - legend.height - 2.0);
        Self {
            width,
            height,
            y_label,
            x_label,
            x_label_top,
            x,
            upwards,
            rug,
            panels,
            legend,
            legend_at,
        }
    }
}

impl Grid {
    fn column_left(&self, column: usize) -> f64 {
        self.left + column as f64 * (self.column + self.gap)
    }

    fn frame(&self, facet: usize, above: f64, rug: f64) -> Rect {
        let (row, column) = (facet / self.columns, facet % self.columns);
        let left = self.column_left(column);
        let top = above + self.titles + row as f64 * (self.panel + self.titles + rug + ROW_GAP);
        Rect { left, top, right: left + self.column, bottom: top + self.panel }
    }
}

fn least_panel(chart: &Chart) -> f64 {
    match &chart.y.scale {
        Scale::Category(names) => (names.len().clamp(3, MOST_CATEGORIES)) as f64 * CATEGORY,
        _ => LEAST_PANEL,
    }
}

fn vertical_rulers(
    chart: &Chart,
    layers: &[Prepared],
    count: usize,
    height: f64,
    style: &NumberStyle,
) -> Vec<Ruler> {
    let most = chart.y.ticks.unwrap_or((height / 36.0) as usize);
    let ruler = |facet| {
        let span = span(chart, layers, Direction::Y, facet);
        let apart = |ticks: &[Tick]| {
            let unit = height / (span.to - span.from).abs();
            ticks.windows(2).all(|pair| (pair[1].at - pair[0].at).abs() * unit >= 0.9 * LINE)
        };
        let mut ticks = Ticks::choose(&chart.y.scale, &span, most, style, apart);
        let room = 0.4 * f64::from(chart.width);
        ticks
            .marks
            .iter_mut()
            .for_each(|tick| tick.label = text::shortened(&tick.label, room, FONT));
        if layers.iter().any(|layer| matches!(layer.layer, Layer::Histogram { mirrored: true, .. }))
        {
            ticks.without_sign(style);
        }
        Ruler { from: span.from, to: span.to, ticks }
    };
    match chart.facets.free_y {
        true => (0..count).map(|facet| ruler(Some(facet))).collect(),
        false => vec![ruler(None); count],
    }
}

/// Room for the tick labels at the left of a panel.
fn tick_room(ys: &[Ruler]) -> f64 {
    let labels = ys.iter().flat_map(Ruler::marks).map(|tick| text::width(&tick.label, FONT));
    LEFT + labels.fold(0.0, f64::max) + TICK_GAP
}

/// As many columns as asked for, as long as they are wide enough to read.
fn columns(chart: &Chart, count: usize, width: f64, left: f64) -> Grid {
    let gap = if chart.facets.free_y { left + 8.0 } else { 22.0 };
    let mut columns = chart.facets.columns.clamp(1, count);
    let column = |n: usize| (width - left - RIGHT - gap * (n - 1) as f64) / n as f64;
    while columns > 1 && column(columns) < LEAST_COLUMN {
        columns -= 1;
    }
    let rows = count.div_ceil(columns);
    let slack = match columns {
        1 => (left - LEFT, RIGHT - 1.0),
        _ => (left.min(gap / 2.0) - LEFT, RIGHT.min(gap / 2.0) - LEFT),
    };
    Grid { columns, rows, left, gap, column: column(columns), slack, panel: 0.0, titles: 0.0 }
}

fn horizontal_ruler(
    chart: &Chart,
    layers: &[Prepared],
    grid: &Grid,
    style: &NumberStyle,
) -> (Ruler, bool) {
    let span = span(chart, layers, Direction::X, None);
    let most = chart.x.ticks.unwrap_or(MOST_TICKS);
    let side_by_side = |ticks: &[Tick]| labels_fit(ticks, &span, grid);
    let ruler = |ticks| Ruler { from: span.from, to: span.to, ticks };
    if let Scale::Category(names) = &chart.x.scale {
        let all: Vec<Tick> = names
            .iter()
            .enumerate()
            .map(|(i, name)| Tick { at: i as f64, label: name.clone() })
            .collect();
        if !side_by_side(&all) {
            let unit = grid.column / (span.to - span.from);
            let apart = |ticks: &[Tick]| {
                ticks.windows(2).all(|pair| (pair[1].at - pair[0].at) * unit >= LINE)
            };
            let mut ticks = Ticks::choose(&chart.x.scale, &span, most, style, apart);
            for tick in &mut ticks.marks {
                tick.label = text::shortened(&tick.label, 150.0, FONT);
            }
            return (ruler(ticks), true);
        }
    }
    (ruler(Ticks::choose(&chart.x.scale, &span, most, style, side_by_side)), false)
}

/// Whether labels below a panel leave a gap between each other, kept inside the
/// drawing as they are drawn.
fn labels_fit(ticks: &[Tick], span: &Span, grid: &Grid) -> bool {
    let room = grid.column + grid.slack.0 + grid.slack.1;
    let mut end = f64::NEG_INFINITY;
    ticks.iter().all(|tick| {
        let half = text::width(&tick.label, FONT) / 2.0;
        let at = grid.column * (tick.at - span.from) / (span.to - span.from);
        let at = at.min(grid.column + grid.slack.1 - half).max(half - grid.slack.0);
        let free = at - half >= end + WORD_GAP && 2.0 * half <= room;
        end = at + half;
        free
    })
}

fn x_tick_height(x: &Ruler, upwards: bool) -> f64 {
    let widths = x.marks().iter().map(|tick| text::width(&tick.label, FONT));
    match upwards {
        true => widths.fold(0.0, f64::max) + 6.0,
        false => LINE + 3.0,
    }
}

/// The lines of an axis label, with the power of ten of its ticks.
fn labelled(label: &str, ruler: &Ruler, room: f64) -> Vec<String> {
    let label = match ruler.ticks.unit() {
        Some(unit) => format!("{label} ({unit})"),
        None => label.into(),
    };
    text::wrap(&label, room, FONT, 3)
}

/// Rows of rugs below a panel: one per series of each rug.
pub(super) fn rug_rows(layer: &Prepared) -> Vec<Option<usize>> {
    let mut series: Vec<_> = layer.rows.iter().map(|row| row.series).collect();
    series.sort_unstable();
    series.dedup();
    series
}

fn rug_height(layers: &[Prepared]) -> f64 {
    let horizontal =
        |layer: &&Prepared| matches!(layer.layer, Layer::Rug { along: Direction::X, .. });
    let rows: usize = layers.iter().filter(horizontal).map(|layer| rug_rows(layer).len()).sum();
    if rows == 0 { 0.0 } else { rows as f64 * RUG + 4.0 }
}

/// Labelled vertical reference lines that the axis shows.
fn references<'a>(layers: &[Prepared<'a>], x: &Ruler) -> Vec<(f64, &'a str)> {
    layers
        .iter()
        .filter_map(|layer| match layer.layer {
            Layer::Reference { axis: Direction::X, label, .. } if !label.is_empty() => {
                layer.at.filter(|at| x.shows(*at)).map(|at| (at, label.as_str()))
            }
            _ => None,
        })
        .collect()
}

fn column_strip(
    references: &[(f64, &str)],
    x: &Ruler,
    grid: &Grid,
    column: usize,
) -> Vec<StripLabel> {
    let left = grid.column_left(column);
    let at = |value: f64| left + grid.column * x.share(value);
    let labels: Vec<_> = references.iter().map(|(value, text)| (at(*value), *text)).collect();
    place::strip(&labels, (left - grid.slack.0, left + grid.column + grid.slack.1))
}

fn legend_left(left: f64, width: f64) -> f64 {
    if left < 0.2 * width { left } else { LEFT + 6.0 }
}
