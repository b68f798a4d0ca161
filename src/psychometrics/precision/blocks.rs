//! Standard errors of scores when whole blocks of items could have been others.

use rayon::prelude::*;

use crate::data::Responses;
use crate::psychometrics::random::{stream, with_replacement};
use crate::psychometrics::{Undefined, stats};

/// Standard error of each total, in items, by a bootstrap of blocks of items:
/// `blocks` has the block of each item, counted from zero. Each replication draws as
/// many blocks as there are, with replacement, and takes the proportion right over
/// the items drawn (Cameron, Gelbach and Miller, 2008, section II); its standard
/// deviation times the items answered is the error.
///
/// Panics unless there is one block per item.
pub fn block_errors(
    responses: &Responses,
    blocks: &[usize],
    replications: usize,
    seed: u64,
) -> Result<Vec<Result<f64, Undefined>>, Undefined> {
    assert_eq!(blocks.len(), responses.n_items(), "one block per item");
    let n_blocks = blocks.iter().max().map_or(0, |top| top + 1);
    if n_blocks < 2 {
        return Err(Undefined::TooFew { needed: 2, found: n_blocks });
    }
    let counts: Vec<[Vec<u32>; 2]> = (0..n_blocks)
        .map(|block| {
            let items: Vec<usize> = (0..blocks.len()).filter(|&j| blocks[j] == block).collect();
            let n = responses.n_examinees();
            [responses.count_correct(&items), responses.count_observed(&items)].map(|c| c.values(n))
        })
        .collect();
    let draws: Vec<Vec<usize>> = (0..replications as u64)
        .map(|number| with_replacement(&mut stream(seed, number), n_blocks))
        .collect();
    let error = |i: usize| {
        let sum =
            |draw: &[usize], what: usize| -> u32 { draw.iter().map(|&b| counts[b][what][i]).sum() };
        let proportion = |draw: &Vec<usize>| {
            let answered = sum(draw, 1);
            (answered > 0).then(|| f64::from(sum(draw, 0)) / f64::from(answered))
        };
        let proportions: Vec<f64> = draws.iter().filter_map(proportion).collect();
        let answered: u32 = counts.iter().map(|block| block[1][i]).sum();
        Ok(stats::variance(&proportions)?.sqrt() * f64::from(answered))
    };
    Ok((0..responses.n_examinees()).into_par_iter().map(error).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_one_item_give_the_binomial_error() {
        let m = Responses::from_fn(2, 60, |i, j| Some(i == 0 && j < 24));
        let each: Vec<usize> = (0..60).collect();
        let errors = block_errors(&m, &each, 4000, 1).unwrap();
        let binomial = (24.0 * 36.0 / 60.0f64).sqrt();
        // The error of a standard deviation from 4000 draws is 1 / sqrt(8000).
        assert!((errors[0].unwrap() / binomial - 1.0).abs() < 4.0 / 8000f64.sqrt());
        assert_eq!(errors[1], Ok(0.0));
    }

    #[test]
    fn items_that_go_together_make_the_error_larger() {
        // Whole blocks of ten right or wrong.
        let m = Responses::from_fn(1, 60, |_, j| Some(j / 10 % 2 == 0));
        let blocks: Vec<usize> = (0..60).map(|j| j / 10).collect();
        let error = block_errors(&m, &blocks, 500, 1).unwrap()[0].unwrap();
        assert!(error > 2.5 * (60.0 * 0.25f64).sqrt(), "{error}: sqrt(10) times in theory");
        assert_eq!(block_errors(&m, &blocks, 500, 1).unwrap()[0], Ok(error));
    }

    #[test]
    fn one_block_or_no_answers_have_a_reason() {
        let m = Responses::from_fn(2, 4, |i, j| (i == 0).then_some(j % 2 == 0));
        let too_few = Undefined::TooFew { needed: 2, found: 1 };
        assert_eq!(block_errors(&m, &[0; 4], 10, 1), Err(too_few));
        assert!(block_errors(&m, &[0, 0, 1, 1], 10, 1).unwrap()[1].is_err());
    }
}
