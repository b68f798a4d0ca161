//! From a chart to its SVG.

use super::canvas::{Anchor, Canvas, Drawn, FONT, LINE, Panel};
use super::draw::Painter;
use super::layout::{PanelPlan, Plan};
use super::number::NumberStyle;
use super::rows;
use super::scale::Prepared;
use super::spec::{Chart, ChartError, Direction, Scale};
use super::text::{escape, identifier};
use plotters::style::text_anchor::{HPos, VPos};

/// From a panel to the words above it.
const STRIP_GAP: f64 = 5.0;
/// Half of the largest usual mark.
const MARK: f64 = 6.0;
/// Width of the drawing for narrow screens.
const NARROW: u32 = 360;

/// A figure, drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// One `<svg>` element.
    pub svg: String,
    /// What a thumbnail shows: the `viewBox` of the panels, without the words around.
    pub panels: String,
    /// What a reader should know that the picture does not tell, in Spanish: data
    /// left out, marks that stand for several data.
    pub notes: Vec<String>,
}

/// Draws a chart as one inline `<svg>`, always of the same bytes.
///
/// # Errors
///
/// When the columns of a layer differ in length, a series or panel does not exist,
/// or a width, colour or range has no meaning. Data without a place on their scale
/// are left out and told in the notes; a chart without data says "sin datos".
pub fn render(chart: &Chart, style: &NumberStyle) -> Result<Drawing, ChartError> {
    rows::check(chart)?;
    let mut notes = vec![];
    let layers = chart
        .layers
        .iter()
        .map(|layer| Prepared::new(chart, layer, &mut notes))
        .collect::<Result<Vec<_>, _>>()?;
    let plan = Plan::new(chart, &layers, style);
    let canvas = Canvas::new(plan.width, plan.height);
    draw_words(chart, &plan, &canvas)?;
    for (facet, panel) in plan.panels.iter().enumerate() {
        let figure = Figure { chart, plan: &plan, layers: &layers, style, canvas: &canvas };
        figure.draw_panel(facet, panel, &mut notes)?;
    }
    plan.legend.draw(chart, &canvas, plan.legend_at)?;
    Ok(Drawing { svg: element(chart, &plan, &canvas.finish()), panels: panels(&plan), notes })
}

/// Two `<svg>`: the drawing of a chart (class `esc-ancha`) and another one for screens
/// narrower than 480 px (`esc-estrecha`), where the first would be too small to read.
/// The rules in [`STYLE`](super::STYLE) show one of them.
///
/// # Errors
///
/// Those of [`render`].
pub fn responsive(
    chart: &Chart,
    wide: &Drawing,
    style: &NumberStyle,
) -> Result<String, ChartError> {
    let narrow = Chart {
        id: format!("{}-estrecha", chart.id),
        width: NARROW.min(chart.width),
        height: chart.height.min(NARROW),
        ..chart.clone()
    };
    let narrow = render(&narrow, style)?;
    let classed = |svg: &str, class| svg.replacen("\"esc-figura\"", class, 1);
    Ok(classed(&wide.svg, "\"esc-figura esc-ancha\"")
        + &classed(&narrow.svg, "\"esc-figura esc-estrecha\""))
}

/// The `viewBox` of the panels, with room for half a mark and for what hangs below.
fn panels(plan: &Plan) -> String {
    let frames = || plan.panels.iter().map(|panel| &panel.frame);
    let left = frames().map(|frame| frame.left).fold(f64::INFINITY, f64::min) - MARK;
    let top = frames().map(|frame| frame.top).fold(f64::INFINITY, f64::min) - MARK;
    let right = frames().map(|frame| frame.right).fold(0.0, f64::max) + MARK;
    let bottom = frames().map(|frame| frame.bottom).fold(0.0, f64::max) + MARK + plan.rug;
    format!("{left:.0} {top:.0} {:.0} {:.0}", right - left, bottom - top)
}

fn element(chart: &Chart, plan: &Plan, body: &str) -> String {
    let id = identifier(&chart.id);
    let (title, description) = (escape(&chart.title), escape(&chart.description));
    let (width, height) = (plan.width, plan.height);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"esc-figura\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"{id}-titulo {id}-desc\" font-size=\"{FONT}\">\n\
         <title id=\"{id}-titulo\">{title}</title>\n<desc id=\"{id}-desc\">{description}</desc>\n\
         {body}</svg>\n"
    )
}

/// The labels of both axes: the vertical one above the plot, where it reads without
/// turning the head.
fn draw_words(chart: &Chart, plan: &Plan, canvas: &Canvas) -> Drawn {
    if chart.x.label.is_empty() && chart.y.label.is_empty() {
        return Ok(());
    }
    canvas.group("class=\"esc-texto esc-titulo-eje\" fill=\"currentColor\"", || {
        for (i, line) in plan.y_label.iter().enumerate() {
            let at = (2.0, LINE * (i as f64 + 0.5));
            canvas.text(at, line, Anchor::new(HPos::Left, VPos::Center))?;
        }
        let (first, last) = (&plan.panels[0].frame, &plan.panels[plan.panels.len() - 1].frame);
        let middle = (first.left + last.right.max(first.right)) / 2.0;
        plan.x_label.iter().enumerate().try_for_each(|(i, line)| {
            let at = (middle, plan.x_label_top + LINE * (i as f64 + 0.5));
            canvas.text_between(at, (2.0, plan.width - 2.0), line)
        })
    })
}

/// What every panel needs.
struct Figure<'a> {
    chart: &'a Chart,
    plan: &'a Plan,
    layers: &'a [Prepared<'a>],
    style: &'a NumberStyle,
    canvas: &'a Canvas,
}

impl Figure<'_> {
    fn draw_panel(&self, facet: usize, plan: &PanelPlan, notes: &mut Vec<String>) -> Drawn {
        let panel = self.canvas.panel(self.plan.x.clone(), plan.y.clone(), plan.frame);
        self.canvas.group("class=\"esc-panel\"", || {
            self.canvas.group(
                "class=\"esc-rejilla\" stroke=\"currentColor\" stroke-opacity=\"0.13\"",
                || panel.grid(),
            )?;
            self.draw_labels(plan, &panel)?;
            let mut painter =
                Painter::new(self.chart, self.style, self.canvas, &panel, facet, notes);
            for layer in self.layers {
                painter.draw(layer)?;
            }
            painter.finish(self.layers)?;
            self.draw_base(&panel)
        })
    }

    /// Tick labels, title and the labels of the vertical reference lines.
    fn draw_labels(&self, plan: &PanelPlan, panel: &Panel) -> Drawn {
        let frame = &plan.frame;
        self.canvas.group(
            "class=\"esc-texto esc-marcas\" fill=\"currentColor\" fill-opacity=\"0.75\"",
            || {
                for tick in plan.y.marks().iter().filter(|_| plan.first) {
                    let (_, y) = panel.at((panel.x.from, tick.at));
                    let at = (frame.left - 7.0, y);
                    self.canvas.text(at, &tick.label, Anchor::new(HPos::Right, VPos::Center))?;
                }
                if plan.lowest { self.draw_x_labels(plan, panel) } else { Ok(()) }
            },
        )?;
        if plan.title.is_empty() && plan.strip.is_empty() {
            return Ok(());
        }
        self.canvas.group("class=\"esc-texto\" fill=\"currentColor\"", || {
            for label in &plan.strip {
                let y = frame.top - STRIP_GAP - LINE * (label.row as f64 + 0.5);
                let at = (label.x, y);
                self.canvas.text(at, &label.text, Anchor::new(HPos::Center, VPos::Center))?;
            }
            let strip = super::place::strip_rows(&plan.strip) as f64;
            let lines = plan.title.len();
            self.canvas.group("class=\"esc-panel-titulo\" font-weight=\"600\"", || {
                plan.title.iter().enumerate().try_for_each(|(i, line)| {
                    let up = strip + (lines - i) as f64 - 0.5;
                    let at = (frame.left, frame.top - STRIP_GAP - LINE * up);
                    self.canvas.text(at, line, Anchor::new(HPos::Left, VPos::Center))
                })
            })
        })
    }

    fn draw_x_labels(&self, plan: &PanelPlan, panel: &Panel) -> Drawn {
        let top = plan.frame.bottom + self.plan.rug + 7.0;
        panel.x.marks().iter().try_for_each(|tick| {
            let (x, _) = panel.at((tick.at, panel.y.from));
            match self.plan.upwards {
                true => {
                    let anchor = Anchor { h: HPos::Right, v: VPos::Center, upwards: true };
                    self.canvas.text((x, top), &tick.label, anchor)
                }
                false => self.canvas.text_between((x, top + 0.5 * LINE), plan.ends, &tick.label),
            }
        })
    }

    /// The line the marks stand on: zero under bars, else the lower edge.
    fn draw_base(&self, panel: &Panel) -> Drawn {
        let vertical_names = matches!(self.chart.y.scale, Scale::Category(_));
        let (low, _) = panel.y.ends();
        let zero = self.layers.iter().any(|layer| layer.starts_at_zero(self.chart, Direction::Y));
        let base = if zero && panel.y.shows(0.0) { 0.0 } else { low };
        let base = if vertical_names { panel.y.from } else { base };
        let (_, y) = panel.at((panel.x.from, base));
        let (left, right) = (panel.frame.left, panel.frame.right);
        self.canvas
            .group("class=\"esc-eje\" stroke=\"currentColor\" stroke-opacity=\"0.55\"", || {
                self.canvas.line((left, y), (right, y))
            })
    }
}
