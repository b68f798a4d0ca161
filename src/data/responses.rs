//! The response matrix: who answered what, two bits per cell.
//!
//! Each item owns two bit sets over the examinees: `correct` (answered and
//! right) and `observed` (answered at all). Counting a 2 x 2 table of two items
//! is then a handful of `popcount`s, and a missing answer is a first-class
//! state instead of a special number.

use rayon::prelude::*;

use super::{BitPlanes, digest};

/// Binary responses of `n_examinees` to `n_items`, any cell possibly missing.
///
/// Item-major: item `j` occupies `words()` consecutive 64-bit words of each bit
/// set; examinee `i` is bit `i % 64` of word `i / 64`. Bits beyond the last
/// examinee are zero, and `correct` is always a subset of `observed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Responses {
    n_examinees: usize,
    n_items: usize,
    correct: Vec<u64>,
    observed: Vec<u64>,
}

/// The two bit sets of one item (or, in a transposed matrix, of one examinee).
#[derive(Debug, Clone, Copy)]
pub struct Bits<'a> {
    /// Bit set of the right answers.
    pub correct: &'a [u64],
    /// Bit set of the answers given, right or wrong.
    pub observed: &'a [u64],
}

impl Bits<'_> {
    /// Number of answers given.
    pub fn n_observed(&self) -> usize {
        popcount(self.observed)
    }

    /// Number of right answers.
    pub fn n_correct(&self) -> usize {
        popcount(self.correct)
    }

    /// The answer at position `i`: `None` when missing.
    pub fn get(&self, i: usize) -> Option<bool> {
        let (word, bit) = (i / 64, i % 64);
        (self.observed[word] >> bit & 1 == 1).then(|| self.correct[word] >> bit & 1 == 1)
    }
}

fn popcount(words: &[u64]) -> usize {
    words.iter().map(|w| w.count_ones() as usize).sum()
}

impl Responses {
    /// A matrix whose cells come from `cell(examinee, item)`.
    pub fn from_fn(
        n_examinees: usize,
        n_items: usize,
        mut cell: impl FnMut(usize, usize) -> Option<bool>,
    ) -> Self {
        let words = n_examinees.div_ceil(64);
        let mut matrix = Self {
            n_examinees,
            n_items,
            correct: vec![0; words * n_items],
            observed: vec![0; words * n_items],
        };
        for j in 0..n_items {
            for i in 0..n_examinees {
                matrix.set(i, j, cell(i, j));
            }
        }
        matrix
    }

    /// Overwrites one cell.
    pub fn set(&mut self, examinee: usize, item: usize, answer: Option<bool>) {
        assert!(examinee < self.n_examinees && item < self.n_items);
        let word = item * self.words() + examinee / 64;
        let bit = 1u64 << (examinee % 64);
        self.observed[word] &= !bit;
        self.correct[word] &= !bit;
        if let Some(right) = answer {
            self.observed[word] |= bit;
            if right {
                self.correct[word] |= bit;
            }
        }
    }

    /// Overwrites a whole item with one answer per examinee.
    ///
    /// Panics when their number is not that of the examinees.
    pub fn set_item(&mut self, item: usize, answers: &[Option<bool>]) {
        assert_eq!(answers.len(), self.n_examinees);
        let start = item * self.words();
        for (word, chunk) in answers.chunks(64).enumerate() {
            let bits = |belongs: fn(&Option<bool>) -> bool| {
                chunk.iter().rev().fold(0, |word, answer| word << 1 | u64::from(belongs(answer)))
            };
            self.correct[start + word] = bits(|answer| *answer == Some(true));
            self.observed[start + word] = bits(Option::is_some);
        }
    }

    /// Number of examinees (rows).
    pub fn n_examinees(&self) -> usize {
        self.n_examinees
    }

    /// Number of items (columns).
    pub fn n_items(&self) -> usize {
        self.n_items
    }

    /// 64-bit words that each item occupies in each bit set.
    pub fn words(&self) -> usize {
        self.n_examinees.div_ceil(64)
    }

    /// The two bit sets of item `j`.
    pub fn item(&self, j: usize) -> Bits<'_> {
        let range = j * self.words()..(j + 1) * self.words();
        Bits { correct: &self.correct[range.clone()], observed: &self.observed[range] }
    }

    /// The answer of examinee `i` to item `j`; `None` when missing.
    pub fn get(&self, i: usize, j: usize) -> Option<bool> {
        assert!(i < self.n_examinees);
        self.item(j).get(i)
    }

    /// Number of missing cells.
    pub fn n_missing(&self) -> usize {
        self.n_examinees * self.n_items - popcount(&self.observed)
    }

    /// Whether every cell has an answer.
    pub fn is_complete(&self) -> bool {
        self.n_missing() == 0
    }

    /// SHA-256 of the answers and their shape, in hexadecimal.
    pub fn digest(&self) -> String {
        let shape = [self.n_examinees as u64, self.n_items as u64];
        let words = shape.iter().chain(&self.correct).chain(&self.observed);
        digest::of_parts(words.map(|word| word.to_le_bytes()))
    }

    /// Right answers of each examinee.
    pub fn totals(&self) -> Vec<u32> {
        let all: Vec<usize> = (0..self.n_items).collect();
        self.count_correct(&all).values(self.n_examinees)
    }

    /// Answers given by each examinee.
    pub fn n_answered(&self) -> Vec<u32> {
        let all: Vec<usize> = (0..self.n_items).collect();
        self.count_observed(&all).values(self.n_examinees)
    }

    /// Right answers of each examinee to the given items.
    pub fn count_correct(&self, items: &[usize]) -> BitPlanes {
        BitPlanes::count(self.words(), items.len(), |i| self.item(items[i]).correct)
    }

    /// Answers given by each examinee to the given items.
    pub fn count_observed(&self, items: &[usize]) -> BitPlanes {
        BitPlanes::count(self.words(), items.len(), |i| self.item(items[i]).observed)
    }

    /// The items answered both right and wrong by someone: those with variance.
    pub fn varying_items(&self) -> Vec<usize> {
        let varies = |&j: &usize| {
            let item = self.item(j);
            item.n_correct() > 0 && item.n_correct() < item.n_observed()
        };
        (0..self.n_items).filter(varies).collect()
    }

    /// The same answers with examinees and items exchanged, so that
    /// `transposed().item(i)` are the answers of examinee `i`.
    pub fn transposed(&self) -> Self {
        let words = self.n_items.div_ceil(64);
        let mut out = Self {
            n_examinees: self.n_items,
            n_items: self.n_examinees,
            correct: vec![0; words * self.n_examinees],
            observed: vec![0; words * self.n_examinees],
        };
        transpose(&self.correct, self.words(), self.n_items, &mut out.correct, words);
        transpose(&self.observed, self.words(), self.n_items, &mut out.observed, words);
        out
    }

    /// The given items, in the given order.
    pub fn select_items(&self, items: &[usize]) -> Self {
        let mut out = Self { n_items: items.len(), correct: vec![], observed: vec![], ..*self };
        for &j in items {
            out.correct.extend_from_slice(self.item(j).correct);
            out.observed.extend_from_slice(self.item(j).observed);
        }
        out
    }

    /// The same matrix with one more item before the first; `answers` come in
    /// examinee order.
    ///
    /// Panics when there is not exactly one answer per examinee.
    pub fn with_first_item(mut self, answers: impl IntoIterator<Item = Option<bool>>) -> Self {
        let mut first = ResponsesBuilder::new(1);
        answers.into_iter().for_each(|answer| first.push([answer]));
        let first = first.finish();
        assert_eq!(first.n_examinees, self.n_examinees, "one answer per examinee");
        self.correct.splice(..0, first.correct);
        self.observed.splice(..0, first.observed);
        self.n_items += 1;
        self
    }

    /// The given examinees, in the given order (repetitions allowed).
    pub fn select_examinees(&self, examinees: &[usize]) -> Self {
        self.transposed().select_items(examinees).transposed()
    }
}

/// Exchanges sets and positions of `n_sets` bit sets, a square of 64 by 64 bits at
/// a time.
fn transpose(from: &[u64], from_words: usize, n_sets: usize, to: &mut [u64], to_words: usize) {
    let blocks = to.par_chunks_mut((64 * to_words).max(1)).enumerate();
    blocks.for_each(|(word, out)| {
        for (at, first) in (0..n_sets).step_by(64).enumerate() {
            let mut square = [0; 64];
            for (set, row) in (first..n_sets.min(first + 64)).zip(&mut square) {
                *row = from[set * from_words + word];
            }
            transpose_square(&mut square);
            for (target, row) in out.chunks_exact_mut(to_words).zip(square) {
                target[at] = row;
            }
        }
    });
}

/// Transposes a square of bits in place by exchanging ever smaller quarters
/// (Warren, Hacker's Delight, 2013, section 7-3).
fn transpose_square(rows: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, u64::from(u32::MAX));
    while width > 0 {
        for row in (0..64).filter(|row| row & width == 0) {
            let exchanged = ((rows[row] >> width) ^ rows[row + width]) & mask;
            rows[row] ^= exchanged << width;
            rows[row + width] ^= exchanged;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

/// Collects a matrix row by row, as a file is read, without ever holding more
/// than the packed bits.
#[derive(Debug)]
pub struct ResponsesBuilder {
    n_items: usize,
    n_examinees: usize,
    /// Blocks of 64 examinees; within a block, one word per item.
    correct: Vec<u64>,
    observed: Vec<u64>,
}

impl ResponsesBuilder {
    /// An empty matrix of `n_items` columns.
    pub fn new(n_items: usize) -> Self {
        Self { n_items, n_examinees: 0, correct: vec![], observed: vec![] }
    }

    /// Adds an examinee whose answers come in item order; missing ones as `None`.
    ///
    /// Panics when the number of answers is not `n_items`.
    pub fn push(&mut self, answers: impl IntoIterator<Item = Option<bool>>) {
        if self.n_examinees.is_multiple_of(64) {
            self.correct.resize(self.correct.len() + self.n_items, 0);
            self.observed.resize(self.observed.len() + self.n_items, 0);
        }
        let block = self.n_examinees / 64 * self.n_items;
        let bit = self.n_examinees % 64;
        let mut seen = 0;
        for answer in answers {
            assert!(seen < self.n_items, "more answers than items");
            self.correct[block + seen] |= u64::from(answer == Some(true)) << bit;
            self.observed[block + seen] |= u64::from(answer.is_some()) << bit;
            seen += 1;
        }
        assert_eq!(seen, self.n_items, "fewer answers than items");
        self.n_examinees += 1;
    }

    /// Adds up to 64 examinees at once: one word per item in each bit set, where
    /// bit `i` belongs to the `i`-th of them. Only the last block may hold fewer
    /// than 64.
    ///
    /// Panics when the words are not `n_items` or a partial block came before.
    pub fn push_block(&mut self, correct: &[u64], observed: &[u64], n_examinees: usize) {
        assert!(self.n_examinees.is_multiple_of(64), "a partial block must be the last one");
        assert!(n_examinees <= 64 && correct.len() == self.n_items);
        assert_eq!(observed.len(), self.n_items);
        self.correct.extend_from_slice(correct);
        self.observed.extend_from_slice(observed);
        self.n_examinees += n_examinees;
    }

    /// The finished matrix.
    pub fn finish(self) -> Responses {
        let words = self.n_examinees.div_ceil(64);
        let regroup = |blocks: Vec<u64>| {
            let mut out = vec![0; blocks.len()];
            // Eight blocks at a time fill whole cache lines of the result.
            for (tile, blocks) in blocks.chunks((8 * self.n_items).max(1)).enumerate() {
                for j in 0..self.n_items {
                    let first = j * words + tile * 8;
                    for (w, block) in blocks.chunks_exact(self.n_items).enumerate() {
                        out[first + w] = block[j];
                    }
                }
            }
            out
        };
        Responses {
            n_examinees: self.n_examinees,
            n_items: self.n_items,
            correct: regroup(self.correct),
            observed: regroup(self.observed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkerboard(n: usize, k: usize) -> Responses {
        Responses::from_fn(n, k, |i, j| ((i + j) % 5 != 0).then_some((i * 7 + j * 3) % 2 == 0))
    }

    #[test]
    fn builder_and_from_fn_agree() {
        let direct = checkerboard(131, 70);
        let mut builder = ResponsesBuilder::new(70);
        for i in 0..131 {
            builder.push((0..70).map(|j| direct.get(i, j)));
        }
        assert_eq!(builder.finish(), direct);
    }

    #[test]
    fn blocks_of_64_examinees_build_the_same_matrix() {
        let direct = checkerboard(131, 70);
        let mut builder = ResponsesBuilder::new(70);
        for block in 0..3 {
            let word = |set: fn(Bits<'_>) -> &[u64]| -> Vec<u64> {
                (0..70).map(|j| set(direct.item(j))[block]).collect()
            };
            let rows = (131 - block * 64).min(64);
            builder.push_block(&word(|b| b.correct), &word(|b| b.observed), rows);
        }
        assert_eq!(builder.finish(), direct);
    }

    #[test]
    fn a_matrix_without_items_has_examinees_all_the_same() {
        let mut builder = ResponsesBuilder::new(0);
        (0..70).for_each(|_| builder.push([]));
        let matrix = builder.finish();
        assert_eq!(matrix.totals(), [0; 70]);
        assert_eq!(matrix.with_first_item((0..70).map(|_| Some(true))).totals(), [1; 70]);
    }

    #[test]
    fn an_item_can_be_put_before_the_first() {
        let matrix = checkerboard(131, 70);
        let rest = matrix.select_items(&(1..70).collect::<Vec<_>>());
        let whole = rest.with_first_item((0..131).map(|i| matrix.get(i, 0)));
        assert_eq!(whole, matrix);
    }

    #[test]
    fn transposing_twice_gives_the_matrix_back() {
        let matrix = checkerboard(131, 70);
        let flipped = matrix.transposed();
        assert_eq!(flipped.get(69, 130), matrix.get(130, 69));
        assert_eq!(flipped.transposed(), matrix);
    }

    #[test]
    fn counts_ignore_missing_cells() {
        let matrix = checkerboard(131, 70);
        let totals = matrix.totals();
        let by_hand = (0..70).filter(|&j| matrix.get(12, j) == Some(true)).count();
        assert_eq!(totals[12] as usize, by_hand);
        assert_eq!(matrix.item(3).n_observed(), (0..131).filter(|i| (i + 3) % 5 != 0).count());
    }

    #[test]
    fn selecting_keeps_the_given_order() {
        let matrix = checkerboard(131, 70);
        let picked = matrix.select_examinees(&[130, 2, 2]).select_items(&[69, 0]);
        assert_eq!((picked.n_examinees(), picked.n_items()), (3, 2));
        assert_eq!(picked.get(0, 0), matrix.get(130, 69));
        assert_eq!(picked.get(2, 1), matrix.get(2, 0));
    }
}
