//! How many items a classification flags when no item treats the groups
//! differently.

use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{EtsClass, Group, Matcher, Matching, both_present, mantel_haenszel};
use crate::data::Responses;
use crate::psychometrics::random::stream;

/// Items by class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlagCounts {
    /// Items of class B.
    pub b: usize,
    /// Items of class C.
    pub c: usize,
}

/// The counts of flagged items in `n` permutations of the groups among examinees of
/// like total score (the strata of `matching`): abilities stay as they are, and with
/// them whatever the classification makes of their difference. Empty when a group
/// is.
///
/// Panics unless there is one entry of `groups` per examinee.
pub fn flag_null(
    responses: &Responses,
    groups: &[Option<Group>],
    matching: Matching,
    n: usize,
    seed: u64,
) -> Vec<FlagCounts> {
    assert_eq!(groups.len(), responses.n_examinees(), "one group per examinee");
    if !both_present(groups) {
        return vec![];
    }
    let matcher = Matcher::new(responses, groups, matching);
    let strata = by_stratum(matcher.place_totals());
    let permuted: Vec<Vec<Option<Group>>> =
        (0..n as u64).map(|number| permute(groups, &strata, seed, number)).collect();
    let classes = |j: usize| -> Vec<Option<EtsClass>> {
        let Ok(placed) = matcher.place(j) else { return vec![None; n] };
        let class = |groups: &Vec<Option<Group>>| {
            Some(mantel_haenszel(&placed.tables(|i| groups[i])).ok()?.class())
        };
        permuted.iter().map(class).collect()
    };
    let by_item: Vec<Vec<Option<EtsClass>>> =
        (0..responses.n_items()).into_par_iter().map(classes).collect();
    let count = |number: usize, class| {
        by_item.iter().filter(|classes| classes[number] == Some(class)).count()
    };
    (0..n)
        .map(|number| FlagCounts { b: count(number, EtsClass::B), c: count(number, EtsClass::C) })
        .collect()
}

fn by_stratum(placed: Vec<(usize, usize)>) -> Vec<Vec<usize>> {
    let n_strata = placed.iter().map(|&(_, stratum)| stratum + 1).max().unwrap_or(0);
    let mut strata = vec![vec![]; n_strata];
    placed.into_iter().for_each(|(i, stratum)| strata[stratum].push(i));
    strata
}

fn permute(
    groups: &[Option<Group>],
    strata: &[Vec<usize>],
    seed: u64,
    number: u64,
) -> Vec<Option<Group>> {
    let mut random = stream(seed, number);
    let mut permuted = groups.to_vec();
    for members in strata {
        let mut labels: Vec<Option<Group>> = members.iter().map(|&i| groups[i]).collect();
        labels.shuffle(&mut random);
        members.iter().zip(labels).for_each(|(&i, label)| permuted[i] = label);
    }
    permuted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> (Responses, Vec<Option<Group>>) {
        let m = Responses::from_fn(80, 10, |i, j| Some((i * 7 + j * 13 + i * j) % 80 < i + 4 * j));
        let group = |i: usize| {
            if i % 5 == 4 { None } else { Some([Group::Focal, Group::Reference][i % 2]) }
        };
        (m, (0..80).map(group).collect())
    }

    #[test]
    fn permutations_keep_the_groups_of_each_stratum() {
        let (m, groups) = example();
        let matcher = Matcher::new(&m, &groups, Matching::Quantiles(4));
        let strata = by_stratum(matcher.place_totals());
        let permuted = permute(&groups, &strata, 1, 0);
        assert_ne!(permuted, groups);
        for members in &strata {
            let focal = |g: &[Option<Group>]| {
                members.iter().filter(|&&i| g[i] == Some(Group::Focal)).count()
            };
            assert_eq!(focal(&permuted), focal(&groups));
        }
        assert!((0..80).all(|i| permuted[i].is_none() == groups[i].is_none()));
    }

    #[test]
    fn counts_do_not_depend_on_the_number_of_threads() {
        let (m, groups) = example();
        let count = || flag_null(&m, &groups, Matching::Quantiles(5), 30, 9);
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(count(), one_thread.install(count));
        assert_eq!(count().len(), 30);
        assert!(flag_null(&m, &[None; 80], Matching::Thin, 3, 1).is_empty());
    }
}
