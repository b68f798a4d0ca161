//! Whole numbers per examinee, stored by binary digit.

use rayon::prelude::*;

/// One non-negative integer per examinee, as bit planes: plane `d` holds, one bit
/// per examinee, the digit of weight `2^d`.
///
/// In this form, adding up over any set of examinees is a weighted sum of
/// `popcount`s, exact, and counting how many of many sets hold each examinee
/// advances 64 examinees at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitPlanes {
    words: usize,
    /// `depth` planes of `words` words, least significant first.
    planes: Vec<u64>,
}

/// Words handled together when counting: small enough for their planes to stay in
/// the first-level cache.
const BLOCK: usize = 32;

impl BitPlanes {
    /// For each examinee, how many of `n_sets` bit sets hold it. `set(i)` has
    /// `words` words.
    pub fn count<'a>(words: usize, n_sets: usize, set: impl Fn(usize) -> &'a [u64] + Sync) -> Self {
        let depth = (usize::BITS - n_sets.leading_zeros()) as usize;
        let blocks: Vec<Vec<u64>> = (0..words.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let range = block * BLOCK..words.min((block + 1) * BLOCK);
                let mut planes = vec![0; depth * range.len()];
                for i in 0..n_sets {
                    add_set(&mut planes, &set(i)[range.clone()]);
                }
                planes
            })
            .collect();
        let mut planes = Vec::with_capacity(depth * words);
        for d in 0..depth {
            for block in &blocks {
                let width = block.len() / depth;
                planes.extend_from_slice(&block[d * width..(d + 1) * width]);
            }
        }
        Self { words, planes }
    }

    /// The planes of the given values.
    pub fn from_values(values: &[u64]) -> Self {
        let words = values.len().div_ceil(64);
        let largest = values.iter().copied().max().unwrap_or(0);
        let depth = (u64::BITS - largest.leading_zeros()) as usize;
        let mut planes = vec![0; depth * words];
        for (i, &value) in values.iter().enumerate() {
            for d in 0..depth {
                planes[d * words + i / 64] |= (value >> d & 1) << (i % 64);
            }
        }
        Self { words, planes }
    }

    /// The values of the first `n` examinees.
    pub fn values(&self, n: usize) -> Vec<u32> {
        let mut values = vec![0; n];
        for (d, plane) in self.planes().enumerate() {
            for (chunk, &word) in values.chunks_mut(64).zip(plane) {
                for (bit, value) in chunk.iter_mut().enumerate() {
                    *value |= ((word >> bit & 1) as u32) << d;
                }
            }
        }
        values
    }

    /// Sum of the values of the examinees in `set`.
    pub fn sum_over(&self, set: &[u64]) -> u64 {
        self.planes()
            .enumerate()
            .map(|(d, plane)| {
                let shared = plane.iter().zip(set).map(|(p, s)| u64::from((p & s).count_ones()));
                shared.sum::<u64>() << d
            })
            .sum()
    }

    /// The examinees whose value is not zero, as a bit set.
    pub fn non_zero(&self) -> Vec<u64> {
        let mut set = vec![0; self.words];
        for plane in self.planes() {
            set.iter_mut().zip(plane).for_each(|(s, p)| *s |= p);
        }
        set
    }

    fn planes(&self) -> impl Iterator<Item = &[u64]> {
        self.planes.chunks_exact(self.words.max(1))
    }
}

/// Adds one to the counters of the examinees in `set`: a ripple carry across the
/// planes, on all examinees of a word at once.
fn add_set(planes: &mut [u64], set: &[u64]) {
    let width = set.len();
    for (w, &word) in set.iter().enumerate() {
        let mut carry = word;
        let mut at = w;
        while carry != 0 {
            let digit = planes[at];
            planes[at] = digit ^ carry;
            carry &= digit;
            at += width;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_and_summing_agree_with_the_naive_way() {
        let (n, n_sets) = (64 * 70 + 13usize, 37usize);
        let words = n.div_ceil(64);
        let holds = |s: usize, i: usize| (i * 31 + s * 17 + i * s) % 5 < 2;
        let sets: Vec<Vec<u64>> = (0..n_sets)
            .map(|s| {
                let mut set = vec![0; words];
                (0..n).filter(|&i| holds(s, i)).for_each(|i| set[i / 64] |= 1 << (i % 64));
                set
            })
            .collect();
        let planes = BitPlanes::count(words, n_sets, |s| &sets[s]);
        let values = planes.values(n);
        let naive: Vec<u32> =
            (0..n).map(|i| (0..n_sets).filter(|&s| holds(s, i)).count() as u32).collect();
        assert_eq!(values, naive);
        let sum: u64 = (0..n).filter(|&i| holds(3, i)).map(|i| u64::from(naive[i])).sum();
        assert_eq!(planes.sum_over(&sets[3]), sum);
        let wide: Vec<u64> = values.iter().map(|&v| u64::from(v)).collect();
        assert_eq!(BitPlanes::from_values(&wide).sum_over(&sets[3]), sum);
        let non_zero: usize = planes.non_zero().iter().map(|w| w.count_ones() as usize).sum();
        assert_eq!(non_zero, naive.iter().filter(|&&v| v > 0).count());
    }

    #[test]
    fn no_examinees_and_no_sets_are_fine() {
        assert!(BitPlanes::count(0, 3, |_| &[]).values(0).is_empty());
        assert_eq!(BitPlanes::count(1, 0, |_| &[0]).values(5), [0; 5]);
        assert_eq!(BitPlanes::from_values(&[]).sum_over(&[]), 0);
    }
}
