//! Where everything is drawn: the whole drawing in units of the `viewBox`, and its
//! panels in values of their axes. Both are plotters' drawing areas on one backend.

use super::backend::{PER_UNIT, SvgBackend};
use super::scale::{Coordinate, Ruler};
use super::spec::{ChartError, Shape};
use super::text;
use plotters::coord::CoordTranslate;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, EmptyElement, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, FontTransform, IntoFont, TextStyle};
use std::cell::RefCell;
use std::rc::Rc;

/// Size of the letters, in units.
pub(super) const FONT: f64 = 13.0;
/// From one line of text to the next.
pub(super) const LINE: f64 = 17.0;

/// A rectangle in units, `y` growing downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub(super) fn overlaps(&self, other: &Rect) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    pub(super) fn contains(&self, (x, y): (f64, f64)) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }
}

/// How a text hangs from its point.
#[derive(Clone, Copy)]
pub(super) struct Anchor {
    pub(super) h: HPos,
    pub(super) v: VPos,
    pub(super) upwards: bool,
}

impl Anchor {
    pub(super) const fn new(h: HPos, v: VPos) -> Self {
        Self { h, v, upwards: false }
    }
}

pub(super) type Drawn = Result<(), ChartError>;

/// Turns plotters' outcome into ours.
fn drawn<E: std::error::Error>(outcome: Result<(), E>) -> Drawn {
    outcome.map_err(|error| ChartError::Drawing(error.to_string()))
}

fn pixels(units: f64) -> i32 {
    (units * PER_UNIT).round() as i32
}

/// The whole drawing.
pub(super) struct Canvas {
    svg: Rc<RefCell<SvgBackend>>,
    root: DrawingArea<SvgBackend, Shift>,
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64) -> Self {
        let svg = Rc::new(RefCell::new(SvgBackend::new(width, height)));
        let root = DrawingArea::from(&svg);
        Self { svg, root }
    }

    /// Draws something inside a group; attributes are written as they are.
    pub(super) fn group(&self, attributes: &str, inside: impl FnOnce() -> Drawn) -> Drawn {
        self.titled_group(attributes, None, inside)
    }

    /// The same, with a title for the whole group.
    pub(super) fn titled_group(
        &self,
        attributes: &str,
        title: Option<&str>,
        inside: impl FnOnce() -> Drawn,
    ) -> Drawn {
        self.svg.borrow_mut().open(attributes, title);
        inside()?;
        self.svg.borrow_mut().close();
        Ok(())
    }

    /// Draws a text at a point; nothing when it is blank.
    pub(super) fn text(&self, at: (f64, f64), text: &str, anchor: Anchor) -> Drawn {
        if text.trim().is_empty() {
            return Ok(());
        }
        let turn = if anchor.upwards { FontTransform::Rotate270 } else { FontTransform::None };
        let font = ("sans-serif", FONT * PER_UNIT).into_font().transform(turn);
        let style = TextStyle::from(font).pos(Pos::new(anchor.h, anchor.v));
        let at = (pixels(at.0), pixels(at.1));
        drawn(self.root.draw(&Text::new(text.to_string(), at, style)))
    }

    /// Draws a horizontal text centred at a point, or as near as two ends allow.
    pub(super) fn text_between(
        &self,
        (x, y): (f64, f64),
        (left, right): (f64, f64),
        text: &str,
    ) -> Drawn {
        let half = text::width(text, FONT) / 2.0;
        let x = x.min(right - half).max(left + half);
        self.text((x, y), text, Anchor::new(HPos::Center, VPos::Center))
    }

    /// Draws a straight stroke.
    pub(super) fn line(&self, from: (f64, f64), to: (f64, f64)) -> Drawn {
        let ends = [from, to].map(|(x, y)| (pixels(x), pixels(y)));
        drawn(self.root.draw(&PathElement::new(ends.to_vec(), BLACK)))
    }

    /// Draws a rectangle.
    pub(super) fn rectangle(&self, rect: Rect) -> Drawn {
        let corners = [(rect.left, rect.top), (rect.right, rect.bottom)];
        let corners = corners.map(|(x, y)| (pixels(x), pixels(y)));
        drawn(self.root.draw(&Rectangle::new(corners, BLACK.filled())))
    }

    /// Draws a mark.
    pub(super) fn mark(&self, at: (f64, f64), shape: Shape, radius: f64) -> Drawn {
        mark(&self.root, (pixels(at.0), pixels(at.1)), shape, radius)
    }

    /// A panel whose axes span `frame`.
    pub(super) fn panel(&self, x: Ruler, y: Ruler, frame: Rect) -> Panel {
        let horizontal = pixels(frame.left)..pixels(frame.right);
        let vertical = pixels(frame.bottom)..pixels(frame.top);
        let plane =
            Cartesian2d::new(Coordinate(x.clone()), Coordinate(y.clone()), (horizontal, vertical));
        let area = self.root.apply_coord_spec(plane);
        Panel { svg: Rc::clone(&self.svg), area, frame, x, y }
    }

    /// The body of the drawing.
    pub(super) fn finish(self) -> String {
        self.svg.borrow_mut().take()
    }
}

/// A panel: what is drawn on it is given in scaled values.
pub(super) struct Panel {
    svg: Rc<RefCell<SvgBackend>>,
    area: DrawingArea<SvgBackend, Cartesian2d<Coordinate, Coordinate>>,
    /// Where its axes span.
    pub(super) frame: Rect,
    pub(super) x: Ruler,
    pub(super) y: Ruler,
}

impl Panel {
    /// Where a pair of scaled values falls, in units.
    pub(super) fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let frame = &self.frame;
        (
            frame.left + frame.width() * self.x.share(x),
            frame.bottom - frame.height() * self.y.share(y),
        )
    }

    /// Whether a pair of scaled values is on the panel.
    pub(super) fn shows(&self, (x, y): (f64, f64)) -> bool {
        self.x.shows(x) && self.y.shows(y)
    }

    /// Draws the grid: plotters' mesh at our ticks.
    pub(super) fn grid(&self) -> Drawn {
        use plotters::coord::cartesian::MeshLine;
        drawn(self.area.draw_mesh(
            |backend, line| match line {
                MeshLine::XMesh(from, to, _) | MeshLine::YMesh(from, to, _) => {
                    use plotters_backend::DrawingBackend;
                    backend.draw_line(from, to, &BLACK.to_backend_color())
                }
            },
            usize::MAX,
            usize::MAX,
        ))
    }

    /// Gives the next element a tooltip.
    pub(super) fn title_next(&self, title: String) {
        self.svg.borrow_mut().title_next(title);
    }

    pub(super) fn mark(&self, at: (f64, f64), shape: Shape, radius: f64) -> Drawn {
        mark(&self.area, at, shape, radius)
    }

    pub(super) fn path(&self, points: Vec<(f64, f64)>) -> Drawn {
        drawn(self.area.draw(&PathElement::new(points, BLACK)))
    }

    pub(super) fn polygon(&self, vertices: Vec<(f64, f64)>) -> Drawn {
        drawn(self.area.draw(&Polygon::new(vertices, BLACK.filled())))
    }

    pub(super) fn rectangle(&self, corners: [(f64, f64); 2]) -> Drawn {
        drawn(self.area.draw(&Rectangle::new(corners, BLACK.filled())))
    }
}

/// A mark of about the area of a circle of that radius.
fn mark<C>(area: &DrawingArea<SvgBackend, C>, at: C::From, shape: Shape, radius: f64) -> Drawn
where
    C: CoordTranslate,
    C::From: Clone,
{
    let corners = |points: &[(f64, f64)]| -> Vec<(i32, i32)> {
        points.iter().map(|(x, y)| (pixels(x * radius), pixels(y * radius))).collect()
    };
    let fill = BLACK.filled();
    let polygon = |points: &[(f64, f64)]| {
        let element = EmptyElement::at(at.clone()) + Polygon::new(corners(points), fill);
        drawn(area.draw(&element))
    };
    match shape {
        Shape::Circle => drawn(area.draw(&Circle::new(at, pixels(radius), fill))),
        Shape::Triangle => polygon(&[(0.0, -1.25), (1.15, 0.8), (-1.15, 0.8)]),
        Shape::Diamond => polygon(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        Shape::Square => {
            let side = pixels(0.9 * radius);
            let element =
                EmptyElement::at(at) + Rectangle::new([(-side, -side), (side, side)], fill);
            drawn(area.draw(&element))
        }
    }
}
