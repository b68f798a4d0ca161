//! A drawing stays small however many data there are.

use std::collections::BTreeSet;

/// Marks of a layer beyond which neighbours share one.
pub(super) const MOST_MARKS: usize = 4000;

/// Which points to draw, by position: all, or the first in each cell of a square
/// grid, and the side of its cells. `points` are in units, with their series.
pub(super) fn cells(points: &[(Option<usize>, f64, f64)]) -> (Vec<usize>, Option<f64>) {
    if points.len() <= MOST_MARKS {
        return ((0..points.len()).collect(), None);
    }
    let mut side = 2.0;
    loop {
        let mut taken = BTreeSet::new();
        let kept: Vec<usize> = (0..points.len())
            .filter(|&i| {
                let (series, x, y) = points[i];
                taken.insert((series, (x / side).floor() as i64, (y / side).floor() as i64))
            })
            .collect();
        // Cells as large as any drawing: only the number of series is left to bound.
        if kept.len() <= MOST_MARKS || side > 1e4 {
            return (kept.into_iter().take(MOST_MARKS).collect(), Some(side));
        }
        side *= 1.5;
    }
}

/// A path in units with at most about `MOST_MARKS` vertices that looks the same:
/// of the vertices that share a column of one unit, the first, the lowest, the
/// highest and the last.
pub(super) fn path(points: &[(f64, f64)]) -> Vec<usize> {
    if points.len() <= MOST_MARKS {
        return (0..points.len()).collect();
    }
    let mut kept = vec![];
    let mut start = 0;
    while start < points.len() {
        let column = points[start].0.floor();
        let run = points[start..].iter().take_while(|point| point.0.floor() == column).count();
        let within = start..start + run;
        let by_height = |a: &usize, b: &usize| points[*a].1.total_cmp(&points[*b].1);
        let lowest = within.clone().min_by(by_height).unwrap_or(start);
        let highest = within.clone().max_by(by_height).unwrap_or(start);
        kept.extend(BTreeSet::from([start, lowest, highest, start + run - 1]));
        start += run;
    }
    // A path that goes to and fro: every n-th vertex is all that can be promised.
    let every = kept.len().div_ceil(MOST_MARKS);
    kept.into_iter().step_by(every).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_are_all_drawn() {
        assert_eq!(cells(&[(None, 1.0, 1.0), (None, 1.0, 1.0)]), (vec![0, 1], None));
    }

    #[test]
    fn many_points_share_cells_and_every_series_stays() {
        let points: Vec<_> = (0..100_000)
            .map(|i| (Some(i % 2), f64::from(i as u32 % 317), f64::from(i as u32 % 211)))
            .collect();
        let (kept, side) = cells(&points);
        assert!(kept.len() <= MOST_MARKS && kept.len() > 500);
        assert!(side.is_some());
        assert!(kept.iter().any(|i| i % 2 == 0) && kept.iter().any(|i| i % 2 == 1));
    }

    #[test]
    fn a_long_path_keeps_its_peaks() {
        let mut points: Vec<_> =
            (0..50_000).map(|i| (f64::from(i) / 100.0, f64::from(i % 7))).collect();
        points[12_345].1 = 1000.0;
        let kept = path(&points);
        assert!(kept.len() <= MOST_MARKS);
        assert!(kept.contains(&12_345));
    }
}
