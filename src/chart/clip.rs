//! What of a line or of an area is inside a panel.

/// A rectangle of scaled values: lower and upper ends of each axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub(super) x: (f64, f64),
    pub(super) y: (f64, f64),
}

type Point = (f64, f64);

impl Window {
    /// The pieces of a path that are inside.
    pub(super) fn path(&self, points: &[Point]) -> Vec<Vec<Point>> {
        let mut pieces: Vec<Vec<Point>> = vec![];
        for pair in points.windows(2) {
            let Some((from, to)) = self.segment(pair[0], pair[1]) else { continue };
            match pieces.last_mut() {
                Some(piece) if piece.last() == Some(&from) => piece.push(to),
                _ => pieces.push(vec![from, to]),
            }
        }
        pieces
    }

    /// The part of a segment that is inside (Liang and Barsky, 1984).
    pub(super) fn segment(&self, from: Point, to: Point) -> Option<(Point, Point)> {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let (mut enters, mut leaves) = (0.0f64, 1.0f64);
        let edges = [
            (-dx, from.0 - self.x.0),
            (dx, self.x.1 - from.0),
            (-dy, from.1 - self.y.0),
            (dy, self.y.1 - from.1),
        ];
        for (outwards, room) in edges {
            if outwards == 0.0 {
                if room < 0.0 {
                    return None;
                }
            } else if outwards < 0.0 {
                enters = enters.max(room / outwards);
            } else {
                leaves = leaves.min(room / outwards);
            }
        }
        if enters > leaves {
            return None;
        }
        let along = |share: f64| (from.0 + share * dx, from.1 + share * dy);
        let start = if enters == 0.0 { from } else { along(enters) };
        let end = if leaves == 1.0 { to } else { along(leaves) };
        Some((start, end))
    }

    /// The part of a polygon that is inside (Sutherland and Hodgman, 1974).
    pub(super) fn polygon(&self, vertices: &[Point]) -> Vec<Point> {
        let left = half(vertices, |p| p.0 - self.x.0);
        let right = half(&left, |p| self.x.1 - p.0);
        let bottom = half(&right, |p| p.1 - self.y.0);
        half(&bottom, |p| self.y.1 - p.1)
    }
}

/// The part of a polygon where `inside` is not negative.
fn half(vertices: &[Point], inside: impl Fn(Point) -> f64) -> Vec<Point> {
    let mut kept = vec![];
    for (i, &to) in vertices.iter().enumerate() {
        let from = vertices[(i + vertices.len() - 1) % vertices.len()];
        let (before, after) = (inside(from), inside(to));
        if (before < 0.0) != (after < 0.0) {
            let share = before / (before - after);
            kept.push((from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1)));
        }
        if after >= 0.0 {
            kept.push(to);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Window = Window { x: (0.0, 1.0), y: (0.0, 1.0) };

    #[test]
    fn a_line_that_leaves_and_returns_is_two_pieces() {
        let pieces = UNIT.path(&[(0.5, 0.5), (0.5, 2.0), (0.75, 2.0), (0.75, 0.5)]);
        assert_eq!(pieces, [[(0.5, 0.5), (0.5, 1.0)], [(0.75, 1.0), (0.75, 0.5)]]);
    }

    #[test]
    fn what_is_outside_is_not_drawn() {
        assert!(UNIT.path(&[(2.0, 0.0), (3.0, 1.0)]).is_empty());
        assert!(UNIT.polygon(&[(2.0, 0.0), (3.0, 0.0), (3.0, 1.0)]).is_empty());
    }

    #[test]
    fn a_polygon_is_cut_at_the_edges() {
        let cut = UNIT.polygon(&[(-1.0, 0.25), (2.0, 0.25), (2.0, 0.75), (-1.0, 0.75)]);
        assert_eq!(cut.len(), 4);
        assert!(cut.iter().all(|p| p.0 == 0.0 || p.0 == 1.0));
    }
}
