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
    rug: f64,
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
        let mut grid = Grid::new(chart, layers, count, tick_room(&ys));
        let (x, upwards) = horizontal_ruler(chart, layers, &grid, style);
        let words = Words::new(chart, layers, (&x, &ys[0]), &grid);
        let legend_left = if grid.left < 0.2 * width { grid.left } else { LEFT + 6.0 };
        let legend = Legend::new(chart, layers, width - legend_left - RIGHT);

        let above = words.height_above();
        let x_ticks = TICK_GAP + x_tick_height(&x, upwards);
        let legend_gap = if legend.height > 0.0 { 12.0 } else { 6.0 };
        let below = x_ticks + LINE * words.x.len() as f64 + legend.height + legend_gap;
        grid.titles = words.title_height();
        let height = grid.fill(f64::from(chart.height), least_panel(chart), above + below);
        let panels = (ys.into_iter().enumerate())
            .map(|(facet, y)| grid.panel(chart, facet, y, &words, above))
            .collect();
        Self {
            width,
            height,
            y_label: words.y,
            x_label: words.x,
            x_label_top: height - below + x_ticks,
            x,
            upwards,
            rug: grid.rug,
            panels,
            legend_at: (legend_left, height - legend.height - 2.0),
            legend,
        }
    }
}

/// The words around the panels.
struct Words {
    y: Vec<String>,
    x: Vec<String>,
    titles: Vec<Vec<String>>,
    /// Labels of the vertical reference lines, by column.
    strips: Vec<Vec<StripLabel>>,
}

impl Words {
    fn new(chart: &Chart, layers: &[Prepared], (x, y): (&Ruler, &Ruler), grid: &Grid) -> Self {
        let room = f64::from(chart.width) - LEFT - RIGHT;
        let references = references(layers, x);
        let wrapped = |title: &String| text::wrap(title, grid.column, FONT, 2);
        Self {
            y: labelled(&chart.y.label, y, room),
            x: labelled(&chart.x.label, x, room),
            titles: chart.facets.labels.iter().map(wrapped).collect(),
            strips: (0..grid.columns).map(|column| grid.strip(&references, x, column)).collect(),
        }
    }

    fn title_height(&self) -> f64 {
        LINE * self.titles.iter().map(Vec::len).max().unwrap_or(0) as f64
    }

    /// Height of the label of the vertical axis and of the strip below it.
    fn height_above(&self) -> f64 {
        let strip = self.strips.iter().map(|strip| place::strip_rows(strip)).max().unwrap_or(0);
        10.0 + LINE * (self.y.len() + strip) as f64
    }
}

impl Grid {
    /// As many columns as asked for, as long as they are wide enough to read.
    fn new(chart: &Chart, layers: &[Prepared], count: usize, left: f64) -> Self {
        let width = f64::from(chart.width);
        let gap = if chart.facets.free_y { left + 8.0 } else { 22.0 };
        let column = |n: usize| (width - left - RIGHT - gap * (n - 1) as f64) / n as f64;
        let mut columns = chart.facets.columns.clamp(1, count);
        while columns > 1 && column(columns) < LEAST_COLUMN {
            columns -= 1;
        }
        let slack = match columns {
            1 => (left - LEFT, RIGHT - 1.0),
            _ => (left.min(gap / 2.0) - LEFT, RIGHT.min(gap / 2.0) - LEFT),
        };
        Self {
            columns,
            rows: count.div_ceil(columns),
            left,
            gap,
            column: column(columns),
            slack,
            rug: rug_height(layers),
            panel: 0.0,
            titles: 0.0,
        }
    }

    /// Gives the panels what `around` leaves of a height, or what they need at
    /// least; gives back the height of all.
    fn fill(&mut self, height: f64, least: f64, around: f64) -> f64 {
        let rows = self.rows as f64;
        let around = around + (rows - 1.0) * ROW_GAP + rows * (self.titles + self.rug);
        self.panel = ((height - around) / rows).max(least);
        (around + rows * self.panel).ceil()
    }

    fn column_left(&self, column: usize) -> f64 {
        self.left + column as f64 * (self.column + self.gap)
    }

    fn panel(&self, chart: &Chart, facet: usize, y: Ruler, words: &Words, above: f64) -> PanelPlan {
        let (row, column) = (facet / self.columns, facet % self.columns);
        let left = self.column_left(column);
        let step = self.panel + self.titles + self.rug + ROW_GAP;
        let top = above + self.titles + row as f64 * step;
        let frame = Rect { left, top, right: left + self.column, bottom: top + self.panel };
        PanelPlan {
            title: words.titles.get(facet).cloned().unwrap_or_default(),
            frame,
            y,
            ends: (frame.left - self.slack.0, frame.right + self.slack.1),
            strip: if row == 0 { words.strips[column].clone() } else { vec![] },
            lowest: facet + self.columns >= chart.facets.labels.len(),
            first: column == 0 || chart.facets.free_y,
        }
    }

    /// The labels of the vertical reference lines above a column.
    fn strip(&self, references: &[(f64, &str)], x: &Ruler, column: usize) -> Vec<StripLabel> {
        let left = self.column_left(column);
        let at = |value: f64| left + self.column * x.share(value);
        let labels: Vec<_> = references.iter().map(|(value, text)| (at(*value), *text)).collect();
        place::strip(&labels, (left - self.slack.0, left + self.column + self.slack.1))
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
            .for_each(|tick| tick.label = text::abridged(&tick.label, room, FONT));
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
                tick.label = text::abridged(&tick.label, 150.0, FONT);
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
