//! plotters' drawing backend for clean SVG.
//!
//! Its pixels are hundredths of a unit of the `viewBox`, so that plotters' whole
//! coordinates come out as decimals, always with a point. Elements are written
//! bare: colours, strokes and classes are those of the group that is open.

use super::text::escape;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use std::convert::Infallible;
use std::fmt::Write;

/// Backend pixels per unit of the `viewBox`.
pub(super) const PER_UNIT: f64 = 100.0;

/// An SVG body under construction.
pub(super) struct SvgBackend {
    size: (u32, u32),
    body: String,
    title: Option<String>,
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl SvgBackend {
    /// An empty body of `width` by `height` units.
    pub(super) fn new(width: f64, height: f64) -> Self {
        let size = ((width * PER_UNIT) as u32, (height * PER_UNIT) as u32);
        Self { size, body: String::new(), title: None }
    }

    /// Opens a group; `attributes` are written as they are, the title is escaped.
    pub(super) fn open(&mut self, attributes: &str, title: Option<&str>) {
        let _ = write!(self.body, "<g {attributes}>");
        if let Some(title) = title {
            let _ = write!(self.body, "<title>{}</title>", escape(title));
        }
    }

    /// Closes the innermost group.
    pub(super) fn close(&mut self) {
        self.body += "</g>\n";
    }

    /// Gives the next element a title (a tooltip).
    pub(super) fn title_next(&mut self, title: String) {
        self.title = Some(title);
    }

    /// The body, done.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.body)
    }

    fn element(&mut self, name: &str, attributes: &str) -> Drawn {
        let _ = match self.title.take() {
            None => write!(self.body, "<{name}{attributes}/>"),
            Some(title) => {
                write!(self.body, "<{name}{attributes}><title>{}</title></{name}>", escape(&title))
            }
        };
        Ok(())
    }

    fn points(path: impl IntoIterator<Item = BackendCoord>) -> String {
        let pairs: Vec<String> =
            path.into_iter().map(|(x, y)| format!("{},{}", units(x), units(y))).collect();
        format!(" points=\"{}\"", pairs.join(" "))
    }
}

/// Hundredths as a decimal, exactly and as short as possible.
fn units(hundredths: i32) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, rest) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    match rest {
        0 => format!("{sign}{whole}"),
        _ if rest % 10 == 0 => format!("{sign}{whole}.{}", rest / 10),
        _ => format!("{sign}{whole}.{rest:02}"),
    }
}

impl DrawingBackend for SvgBackend {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Drawn {
        self.draw_rect(at, (at.0 + 1, at.1 + 1), &color, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, a: BackendCoord, b: BackendCoord, _: &S) -> Drawn {
        let (x1, y1, x2, y2) = (units(a.0), units(a.1), units(b.0), units(b.1));
        self.element("line", &format!(" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\""))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        a: BackendCoord,
        b: BackendCoord,
        _: &S,
        _: bool,
    ) -> Drawn {
        let (x, y) = (units(a.0.min(b.0)), units(a.1.min(b.1)));
        let (w, h) = (units((b.0 - a.0).abs()), units((b.1 - a.1).abs()));
        self.element("rect", &format!(" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\""))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        _: &S,
    ) -> Drawn {
        self.element("polyline", &Self::points(path))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        _: &S,
        _: bool,
    ) -> Drawn {
        let (cx, cy, r) = (units(center.0), units(center.1), units(radius as i32));
        self.element("circle", &format!(" cx=\"{cx}\" cy=\"{cy}\" r=\"{r}\""))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        vertices: I,
        _: &S,
    ) -> Drawn {
        self.element("polygon", &Self::points(vertices))
    }

    /// The baseline is placed here: `dominant-baseline` is not read everywhere.
    fn draw_text<T: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &T,
        (x, y): BackendCoord,
    ) -> Drawn {
        let anchor = style.anchor();
        let drop = match anchor.v_pos {
            VPos::Top => 0.8,
            VPos::Center => 0.35,
            VPos::Bottom => -0.2,
        };
        let baseline = y + (drop * style.size()).round() as i32;
        let mut attributes = format!(" x=\"{}\" y=\"{}\"", units(x), units(baseline));
        attributes += match anchor.h_pos {
            HPos::Left => "",
            HPos::Center => " text-anchor=\"middle\"",
            HPos::Right => " text-anchor=\"end\"",
        };
        let degrees = match style.transform() {
            FontTransform::None => 0,
            FontTransform::Rotate90 => 90,
            FontTransform::Rotate180 => 180,
            FontTransform::Rotate270 => -90,
        };
        if degrees != 0 {
            let _ =
                write!(attributes, " transform=\"rotate({degrees} {} {})\"", units(x), units(y));
        }
        let _ = write!(self.body, "<text{attributes}>{}</text>", escape(text));
        Ok(())
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        Ok((super::text::width(text, style.size()).ceil() as u32, style.size().ceil() as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::units;

    #[test]
    fn hundredths_are_written_with_a_point_and_nothing_to_spare() {
        assert_eq!(units(12_345), "123.45");
        assert_eq!(units(-5), "-0.05");
        assert_eq!(units(1_250), "12.5");
        assert_eq!(units(700), "7");
    }
}
