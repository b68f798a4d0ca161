//! Where words go so that none covers another; the same places every time.

use super::canvas::{FONT, LINE, Rect};
use super::text;

/// Least gap between labels, in units.
const GAP: f64 = 8.0;

/// A label in the strip above a panel: the middle of the text and its row from the
/// bottom.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StripLabel {
    pub(super) x: f64,
    pub(super) row: usize,
    pub(super) text: String,
}

/// Stacks labels centred at `x` between two ends, in as few rows as first come,
/// first served gives.
pub(super) fn strip(labels: &[(f64, &str)], (left, right): (f64, f64)) -> Vec<StripLabel> {
    let mut rows: Vec<Vec<(f64, f64)>> = vec![];
    let mut placed = vec![];
    for (x, label) in labels {
        let text = text::shortened(label, right - left, FONT);
        let half = text::width(&text, FONT) / 2.0;
        let x = x.min(right - half).max(left + half);
        let span = (x - half - GAP, x + half + GAP);
        let free = |row: &Vec<(f64, f64)>| row.iter().all(|(a, b)| span.1 <= *a || *b <= span.0);
        let row = rows.iter().position(free).unwrap_or(rows.len());
        if row == rows.len() {
            rows.push(vec![]);
        }
        rows[row].push(span);
        placed.push(StripLabel { x, row, text });
    }
    placed
}

/// Rows that placed labels take.
pub(super) fn strip_rows(labels: &[StripLabel]) -> usize {
    labels.iter().map(|label| label.row + 1).max().unwrap_or(0)
}

/// What labels must not cover, and those already placed.
#[derive(Debug, Default)]
pub(super) struct Obstacles {
    marks: Vec<Rect>,
    labels: Vec<Rect>,
}

impl Obstacles {
    /// Adds a mark around a point.
    pub(super) fn mark(&mut self, (x, y): (f64, f64), radius: f64) {
        self.area(Rect {
            left: x - radius,
            top: y - radius,
            right: x + radius,
            bottom: y + radius,
        });
    }

    /// Adds an area.
    pub(super) fn area(&mut self, rect: Rect) {
        self.marks.push(rect);
    }

    /// Adds a path, as marks along it.
    pub(super) fn path(&mut self, points: &[(f64, f64)]) {
        for pair in points.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let steps = ((to.0 - from.0).hypot(to.1 - from.1) / LINE).ceil().max(1.0);
            for i in 0..=(steps as usize) {
                let share = i as f64 / steps;
                let along = |a: f64, b: f64| a + share * (b - a);
                self.mark((along(from.0, to.0), along(from.1, to.1)), 1.0);
            }
        }
    }

    /// Adds words already drawn, centred at a point.
    pub(super) fn words(&mut self, (x, y): (f64, f64), text: &str) {
        let width = text::width(text, FONT);
        self.labels.push(boxed(x - width / 2.0, y, width));
    }

    /// How many marks a rectangle would cover.
    fn covered(&self, rect: &Rect) -> usize {
        self.marks.iter().filter(|other| other.overlaps(rect)).count()
    }

    /// Where the label of a horizontal line at `y` goes: above or below the line,
    /// inside the panel, in one line of text or in two, where it covers fewest marks;
    /// none when words are in every place.
    pub(super) fn along(&mut self, y: f64, text: &str, frame: &Rect) -> Option<LineLabel> {
        let places = [vec![text.to_owned()], text::halves(text)];
        let places = places.into_iter().flat_map(|lines| beside_line(y, &lines, frame));
        let label = places
            .filter(|label| label.rect.top >= frame.top && label.rect.bottom <= frame.bottom)
            .filter(|label| !self.labels.iter().any(|other| other.overlaps(&label.rect)))
            .min_by_key(|label| self.covered(&label.rect))?;
        self.labels.push(label.rect);
        Some(label)
    }

    /// The place for the name of a point: around it, inside the panel and free, or
    /// none.
    pub(super) fn beside(
        &mut self,
        at: (f64, f64),
        text: &str,
        frame: &Rect,
    ) -> Option<(f64, f64)> {
        let (width, off) = (text::width(text, FONT), 7.0);
        let (right, left) = (at.0 + off, at.0 - off - width);
        let centre = at.0 - width / 2.0;
        let (above, below) = (at.1 - 0.85 * LINE, at.1 + 0.85 * LINE);
        let places = [
            (right, at.1),
            (left, at.1),
            (centre, above),
            (centre, below),
            (right, above),
            (right, below),
            (left, above),
            (left, below),
        ];
        let rect = places.into_iter().map(|(x, middle)| boxed(x, middle, width)).find(|rect| {
            frame.contains((rect.left, rect.top))
                && frame.contains((rect.right, rect.bottom))
                && self.covered(rect) == 0
                && !self.labels.iter().any(|other| other.overlaps(rect))
        })?;
        self.labels.push(rect);
        Some((rect.left, (rect.top + rect.bottom) / 2.0))
    }
}

/// The label of a horizontal line, and where.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LineLabel {
    lines: Vec<String>,
    rect: Rect,
}

impl LineLabel {
    /// Its lines of text: left end and middle height of each.
    pub(super) fn lines(&self) -> impl Iterator<Item = ((f64, f64), &str)> {
        let middle = |i: usize| self.rect.top + 0.5 * FONT + LINE * i as f64;
        self.lines.iter().enumerate().map(move |(i, line)| ((self.rect.left, middle(i)), &**line))
    }
}

/// Where the label of a line at `y` may stand: above it and below, from the right
/// end of the panel to the left.
fn beside_line(y: f64, lines: &[String], frame: &Rect) -> Vec<LineLabel> {
    let width = lines.iter().map(|line| text::width(line, FONT)).fold(0.0, f64::max);
    let height = FONT + LINE * (lines.len() - 1) as f64;
    let room = (frame.width() - width - 2.0 * GAP).max(0.0);
    let off = 0.6 * LINE - 0.5 * FONT;
    let tops = [y - off - height, y + off].into_iter();
    let rects = tops.flat_map(|top| {
        (0..=24).rev().map(move |i| {
            let left = frame.left + GAP + room * f64::from(i) / 24.0;
            Rect { left, top, right: left + width, bottom: top + height }
        })
    });
    rects.map(|rect| LineLabel { lines: lines.to_vec(), rect }).collect()
}

fn boxed(left: f64, middle: f64, width: f64) -> Rect {
    let half = 0.5 * FONT;
    Rect { left, top: middle - half, right: left + width, bottom: middle + half }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Rect = Rect { left: 0.0, top: 0.0, right: 400.0, bottom: 300.0 };

    #[test]
    fn labels_above_a_panel_stack_when_they_would_touch() {
        let placed =
            strip(&[(100.0, "máximo de θ"), (105.0, "mediana"), (300.0, "fin")], (0.0, 400.0));
        assert_eq!(placed.iter().map(|label| label.row).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!(strip_rows(&placed), 2);
    }

    #[test]
    fn labels_stay_between_the_ends() {
        let placed = strip(&[(399.0, "una etiqueta larga")], (0.0, 400.0));
        assert!(placed[0].x + text::width(&placed[0].text, FONT) / 2.0 <= 400.0 + 1e-9);
    }

    #[test]
    fn the_label_of_a_line_avoids_the_data() {
        let mut obstacles = Obstacles::default();
        obstacles.area(Rect { left: 200.0, top: 0.0, right: 400.0, bottom: 300.0 });
        let label = obstacles.along(150.0, "máximo", &FRAME).unwrap();
        assert!(label.rect.right <= 200.0);
    }

    #[test]
    fn the_label_of_a_line_breaks_only_where_one_line_would_cover_data() {
        let label = "máximo de información";
        let lines = |covered_from: f64| {
            let mut obstacles = Obstacles::default();
            obstacles.area(Rect { left: covered_from, top: 0.0, right: 400.0, bottom: 300.0 });
            let label = obstacles.along(150.0, label, &FRAME).unwrap();
            assert!(label.rect.right <= covered_from);
            label.lines().map(|(_, line)| line.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(lines(200.0), [label]);
        assert_eq!(lines(120.0), ["máximo de", "información"]);
    }

    #[test]
    fn names_never_cover_each_other() {
        let mut obstacles = Obstacles::default();
        let places: Vec<_> =
            (0..20).filter_map(|_| obstacles.beside((200.0, 150.0), "nombre", &FRAME)).collect();
        assert!((1..=8).contains(&places.len()));
        for (i, a) in obstacles.labels.iter().enumerate() {
            assert!(obstacles.labels[i + 1..].iter().all(|b| !a.overlaps(b)));
        }
    }
}
