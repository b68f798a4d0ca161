//! Differential item functioning: does an item favour a group of examinees over
//! others who did as well on the rest of the test?
//!
//! Mantel and Haenszel's (1959) method as Holland and Thayer (1988) brought it to
//! tests, matching on the rest score: the right answers to the other items with
//! variance. The item itself is left out of the matching, so that an unfair item
//! does not hide itself. Holland and Thayer would include it, which is exact under
//! the Rasch model: with the rest score groups of unequal ability keep the share of
//! their difference that the score does not measure (one minus its reliability),
//! nothing among hundreds of items but not among five.

mod mantel_haenszel;
mod null;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use mantel_haenszel::{CommonOdds, EtsClass, ItemDif, NoDif, Stratum, mantel_haenszel};
pub use null::{FlagCounts, flag_null};

use crate::data::Responses;

/// The group of an examinee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Group {
    /// Whom the others are compared with.
    Reference,
    /// Whose treatment by the item is in question.
    Focal,
}

/// How examinees are matched on the rest score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Matching {
    /// A stratum for each rest score.
    Thin,
    /// At most so many strata of about equal size; equal scores stay together.
    Quantiles(usize),
}

/// Differential functioning of every item, in the order of the matrix. Examinees
/// without group, without an answer to the item or without any other answer do not
/// count for it. Where answers are missing, the rest score is taken to the full
/// length in proportion.
///
/// Panics unless there is one entry of `groups` per examinee.
pub fn item_dif(
    responses: &Responses,
    groups: &[Option<Group>],
    matching: Matching,
) -> Vec<Result<ItemDif, NoDif>> {
    assert_eq!(groups.len(), responses.n_examinees(), "one group per examinee");
    let matcher = Matcher::new(responses, groups, matching);
    let one = |j| {
        if !both_present(groups) {
            return Err(NoDif::EmptyGroup);
        }
        let placed = matcher.place(j)?;
        mantel_haenszel(&placed.tables(|i| groups[i]))
    };
    (0..responses.n_items()).into_par_iter().map(one).collect()
}

fn both_present(groups: &[Option<Group>]) -> bool {
    [Group::Reference, Group::Focal].iter().all(|group| groups.contains(&Some(*group)))
}

/// Rest scores and the strata that they make.
struct Matcher<'a> {
    responses: &'a Responses,
    varying: Vec<bool>,
    n_varying: u32,
    totals: Vec<u32>,
    answered: Vec<u32>,
    /// Examinees with a group.
    members: Vec<usize>,
    matching: Matching,
}

/// The members who answered an item: examinee, stratum and answer.
struct Placed {
    n_strata: usize,
    cells: Vec<(usize, usize, bool)>,
}

impl<'a> Matcher<'a> {
    fn new(responses: &'a Responses, groups: &[Option<Group>], matching: Matching) -> Self {
        let items = responses.varying_items();
        let n = responses.n_examinees();
        let mut varying = vec![false; responses.n_items()];
        items.iter().for_each(|&j| varying[j] = true);
        Self {
            responses,
            varying,
            n_varying: items.len() as u32,
            totals: responses.count_correct(&items).values(n),
            answered: responses.count_observed(&items).values(n),
            members: (0..n).filter(|&i| groups[i].is_some()).collect(),
            matching,
        }
    }

    /// Strata of the rest score of item `j`.
    fn place(&self, j: usize) -> Result<Placed, NoDif> {
        if !self.varying[j] {
            return Err(NoDif::ConstantItem);
        }
        let bits = self.responses.item(j);
        let scored: Vec<(usize, u32, bool)> = self
            .members
            .iter()
            .filter_map(|&i| {
                let right = bits.get(i)?;
                let (score, answered) = (self.totals[i] - u32::from(right), self.answered[i] - 1);
                Some((i, full_length(score, answered, self.n_varying - 1)?, right))
            })
            .collect();
        let scores: Vec<u32> = scored.iter().map(|&(_, score, _)| score).collect();
        let (strata, n_strata) = strata(&scores, self.matching);
        let cells = scored.iter().zip(strata).map(|(&(i, _, right), s)| (i, s, right)).collect();
        Ok(Placed { n_strata, cells })
    }

    /// Strata of the total score of the members.
    fn place_totals(&self) -> Vec<(usize, usize)> {
        let scored: Vec<(usize, u32)> = self
            .members
            .iter()
            .filter_map(|&i| {
                Some((i, full_length(self.totals[i], self.answered[i], self.n_varying)?))
            })
            .collect();
        let scores: Vec<u32> = scored.iter().map(|&(_, score)| score).collect();
        let (strata, _) = strata(&scores, self.matching);
        scored.iter().zip(strata).map(|(&(i, _), stratum)| (i, stratum)).collect()
    }
}

impl Placed {
    fn tables(&self, group: impl Fn(usize) -> Option<Group>) -> Vec<Stratum> {
        let mut tables = vec![Stratum::default(); self.n_strata];
        for &(i, stratum, right) in &self.cells {
            let counts = match group(i) {
                Some(Group::Reference) => &mut tables[stratum].reference,
                Some(Group::Focal) => &mut tables[stratum].focal,
                None => continue,
            };
            counts[usize::from(right)] += 1;
        }
        tables
    }
}

/// `score` of `answered` items as it would be over all `n`, rounded.
fn full_length(score: u32, answered: u32, n: u32) -> Option<u32> {
    match answered {
        0 => None,
        _ if answered == n => Some(score),
        _ => Some((f64::from(score) * f64::from(n) / f64::from(answered)).round() as u32),
    }
}

/// The stratum of each score, and how many there are. A quantile stratum is that of
/// the middle of the run of equal scores.
fn strata(scores: &[u32], matching: Matching) -> (Vec<usize>, usize) {
    let top = scores.iter().max().map_or(0, |&top| top as usize);
    let mut counts = vec![0usize; top + 1];
    scores.iter().for_each(|&score| counts[score as usize] += 1);
    let n_strata = match matching {
        Matching::Thin => top + 1,
        Matching::Quantiles(n) => n.max(1),
    };
    let mut below = 0;
    let mut stratum = Vec::with_capacity(counts.len());
    for (score, &count) in counts.iter().enumerate() {
        stratum.push(match matching {
            Matching::Thin => score,
            // (below + count / 2) / n of the strata, in whole numbers.
            Matching::Quantiles(_) => {
                ((2 * below + count) * n_strata / (2 * scores.len()).max(1)).min(n_strata - 1)
            }
        });
        below += count;
    }
    (scores.iter().map(|&score| stratum[score as usize]).collect(), n_strata)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::psychometrics::irt::{ItemParameters, simulate};

    const UNMATCHED: Matching = Matching::Quantiles(1);

    fn groups(n: usize) -> Vec<Option<Group>> {
        (0..n).map(|i| Some(if i % 3 == 0 { Group::Focal } else { Group::Reference })).collect()
    }

    fn fair(n: usize, k: usize) -> Responses {
        let like = Responses::from_fn(n, k, |_, _| Some(true));
        let item = |j: usize| ItemParameters { slope: 1.0, intercept: 1.2 - 0.1 * j as f64 };
        simulate(&like, &(0..k).map(item).collect::<Vec<_>>(), 1.0, 5, 0)
    }

    #[test]
    fn strata_are_of_like_size_and_keep_ties_together() {
        let scores = [3, 1, 2, 2, 2, 0, 5, 4];
        assert_eq!(strata(&scores, Matching::Quantiles(2)).0, [1, 0, 0, 0, 0, 0, 1, 1]);
        assert_eq!(strata(&scores, Matching::Quantiles(4)).0, [2, 0, 1, 1, 1, 0, 3, 3]);
        assert_eq!(strata(&scores, Matching::Thin), (vec![3, 1, 2, 2, 2, 0, 5, 4], 6));
        assert_eq!(strata(&[], Matching::Quantiles(3)), (vec![], 3));
        assert_eq!(strata(&[7, 7], Matching::Quantiles(0)).0, [0, 0]);
    }

    #[test]
    fn an_item_made_harder_for_one_group_is_found() {
        let mut m = fair(600, 20);
        (0..600).step_by(3).filter(|i| i % 2 == 0).for_each(|i| m.set(i, 7, Some(false)));
        let found = item_dif(&m, &groups(600), Matching::Quantiles(10));
        let hard = found[7].unwrap();
        assert_eq!(hard.class(), EtsClass::C);
        assert!(hard.odds.unwrap().delta() < -1.5 && hard.standardised_difference < -0.1);
        let others = (0..20).filter(|&j| j != 7 && found[j].unwrap().class() == EtsClass::C);
        assert_eq!(others.count(), 0);
    }

    #[test]
    fn matching_takes_differences_of_ability_out() {
        // A logit less on every item: the focal group is less able, no item unfair.
        let able = fair(600, 30);
        let item = |j: usize| ItemParameters { slope: 1.0, intercept: 0.2 - 0.1 * j as f64 };
        let items: Vec<ItemParameters> = (0..30).map(item).collect();
        let less = simulate(&able, &items, 1.0, 5, 1);
        let m = Responses::from_fn(1200, 30, |i, j| {
            if i < 600 { able.get(i, j) } else { less.get(i - 600, j) }
        });
        let group = |i| Some(if i < 600 { Group::Reference } else { Group::Focal });
        let groups: Vec<_> = (0..1200).map(group).collect();
        let mean_delta = |matching| {
            let found = item_dif(&m, &groups, matching);
            let delta = |dif: &Result<ItemDif, NoDif>| dif.unwrap().odds.unwrap().delta();
            assert!(
                matching == UNMATCHED || found.iter().all(|d| d.unwrap().class() != EtsClass::C)
            );
            found.iter().map(delta).sum::<f64>() / 30.0
        };
        // What is left is the unreliability of the rest score: 1 - KR20, about .17.
        assert!(mean_delta(UNMATCHED) < -1.8);
        assert!(mean_delta(Matching::Thin).abs() < 0.25 * mean_delta(UNMATCHED).abs());
    }

    #[test]
    fn the_order_of_the_examinees_does_not_matter() {
        let (m, groups) = (fair(90, 6), groups(90));
        let backwards: Vec<usize> = (0..90).rev().collect();
        let reversed: Vec<_> = backwards.iter().map(|&i| groups[i]).collect();
        let matching = Matching::Quantiles(5);
        let turned = item_dif(&m.select_examinees(&backwards), &reversed, matching);
        assert_eq!(item_dif(&m, &groups, matching), turned);
    }

    #[test]
    fn who_has_no_group_or_no_answer_does_not_count() {
        let (m, groups) = (fair(90, 6), groups(90));
        let more = Responses::from_fn(92, 6, |i, j| match i {
            90 => Some(j % 2 == 0),
            91 => (j == 0).then_some(true),
            _ => m.get(i, j),
        });
        let mut more_groups = groups.clone();
        more_groups.extend([None, Some(Group::Focal)]);
        let (a, b) =
            (item_dif(&m, &groups, Matching::Thin), item_dif(&more, &more_groups, Matching::Thin));
        assert_eq!(a, b);
    }

    #[test]
    fn empty_groups_and_constant_items_have_a_reason() {
        let m = Responses::from_fn(6, 2, |i, j| Some(j == 0 || i > 2));
        let all = [Some(Group::Focal); 6];
        assert_eq!(item_dif(&m, &all, Matching::Thin)[1], Err(NoDif::EmptyGroup));
        let two = groups(6);
        assert_eq!(item_dif(&m, &two, Matching::Thin)[0], Err(NoDif::ConstantItem));
        // A single item with variance: nothing to match on.
        assert_eq!(item_dif(&m, &two, Matching::Thin)[1], Err(NoDif::NoInformativeStratum));
        assert!(item_dif(&Responses::from_fn(0, 2, |_, _| None), &[], Matching::Thin)[0].is_err());
    }
}
