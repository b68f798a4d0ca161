//! Counts of a histogram.

use super::rows::Row;
use super::spec::ChartError;
use std::collections::BTreeMap;

/// More bars than this are narrower than a stroke.
const MOST_BINS: usize = 1000;

/// Rounding of decimal widths: 3 × 0.025 is not quite 0.075.
const FUZZ: f64 = 1e-9;

/// One bar: a bin of a panel, a series' share of it, stacked from `from` to `to`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bin {
    pub(super) facet: Option<usize>,
    pub(super) series: Option<usize>,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Bin {
    /// How many data it holds.
    pub(super) fn count(&self) -> f64 {
        (self.to - self.from).abs()
    }
}

/// Counts rows in bins of `width` with an edge at `start`; `end`, when given, is the
/// closed end of the last bin. `sign` is -1 for bars that hang.
pub(super) fn count(
    rows: &[Row],
    (width, start): (f64, f64),
    end: Option<f64>,
    sign: f64,
) -> Result<Vec<Bin>, ChartError> {
    let mut counts: BTreeMap<(Option<usize>, i64, Option<usize>), f64> = BTreeMap::new();
    for row in rows {
        let mut bin = ((row.x - start) / width + FUZZ).floor();
        if end.is_some_and(|end| row.x >= end && start + bin * width >= end - FUZZ * width) {
            bin -= 1.0;
        }
        // Beyond 2^53 neighbouring bins are the same number.
        if bin.abs() > 9e15 {
            return Err(ChartError::Bins { width, found: rows.len(), limit: MOST_BINS });
        }
        *counts.entry((row.facet, bin as i64, row.series)).or_default() += 1.0;
    }
    if counts.len() > MOST_BINS {
        return Err(ChartError::Bins { width, found: counts.len(), limit: MOST_BINS });
    }
    Ok(stacked(counts, width, start, sign))
}

fn stacked(
    counts: BTreeMap<(Option<usize>, i64, Option<usize>), f64>,
    width: f64,
    start: f64,
    sign: f64,
) -> Vec<Bin> {
    let (mut bins, mut place, mut height) = (Vec::with_capacity(counts.len()), None, 0.0);
    for ((facet, bin, series), count) in counts {
        if place != Some((facet, bin)) {
            (place, height) = (Some((facet, bin)), 0.0);
        }
        let left = start + bin as f64 * width;
        let right = start + (bin + 1) as f64 * width;
        let (from, to) = (sign * height, sign * (height + count));
        bins.push(Bin { facet, series, left, right, from, to });
        height += count;
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(x: f64) -> Row {
        Row { x, y: 0.0, low: 0.0, high: 0.0, series: None, facet: None, index: 0, run: 0 }
    }

    #[test]
    fn a_value_on_an_edge_counts_in_the_bin_it_opens() {
        // 0.075 / 0.025 is 2.9999999999999996 in binary.
        let bins = count(&[row(0.075)], (0.025, 0.0), None, 1.0).unwrap();
        assert!((bins[0].left - 0.075).abs() < 1e-12);
    }

    #[test]
    fn the_end_of_a_fixed_range_counts_in_the_last_bin() {
        let bins = count(&[row(1.0), row(0.99)], (0.025, 0.0), Some(1.0), 1.0).unwrap();
        assert_eq!(bins.len(), 1);
        assert_eq!(bins[0].count(), 2.0);
        assert!((bins[0].left - 0.975).abs() < 1e-12);
    }

    #[test]
    fn series_stack_and_mirrored_bars_hang() {
        let rows =
            [row(0.5), Row { series: Some(0), ..row(0.6) }, Row { series: Some(0), ..row(0.7) }];
        let bins = count(&rows, (1.0, 0.0), None, -1.0).unwrap();
        let spans: Vec<_> = bins.iter().map(|bin| (bin.from, bin.to)).collect();
        assert_eq!(spans, [(0.0, -1.0), (-1.0, -3.0)]);
    }

    #[test]
    fn too_many_bins_are_refused() {
        let rows: Vec<Row> = (0..5000).map(|i| row(f64::from(i))).collect();
        assert!(matches!(count(&rows, (1.0, 0.0), None, 1.0), Err(ChartError::Bins { .. })));
        assert!(matches!(
            count(&[row(1e90)], (1e-9, 0.0), None, 1.0),
            Err(ChartError::Bins { .. })
        ));
    }
}
