//! What is left out before a fit, and the refusals.

use serde::{Deserialize, Serialize};

use super::{IrtError, Model};
use crate::data::Responses;

/// Why an item takes no part in a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DropReason {
    /// No one answered it.
    NoAnswers,
    /// Every answer is right.
    AllCorrect,
    /// Every answer is wrong.
    AllWrong,
}

/// An item left out of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedItem {
    /// Its index in the matrix given.
    pub index: usize,
    /// Why.
    pub reason: DropReason,
}

/// The items that vary, and those that do not.
pub(super) fn split_items(responses: &Responses) -> (Vec<usize>, Vec<DroppedItem>) {
    let (mut used, mut dropped) = (vec![], vec![]);
    for index in 0..responses.n_items() {
        let bits = responses.item(index);
        let reason = match (bits.n_observed(), bits.n_correct()) {
            (0, _) => DropReason::NoAnswers,
            (_, 0) => DropReason::AllWrong,
            (n, correct) if n == correct => DropReason::AllCorrect,
            _ => {
                used.push(index);
                continue;
            }
        };
        dropped.push(DroppedItem { index, reason });
    }
    (used, dropped)
}

/// The matrix of the items used, or why the model is refused.
pub(super) fn admit(
    responses: &Responses,
    model: Model,
    used: &[usize],
    dropped: &[DroppedItem],
) -> Result<Responses, IrtError> {
    match responses.n_answered().iter().filter(|&&n| n > 0).count() {
        0 => return Err(IrtError::NoExaminees),
        1 => return Err(IrtError::OneExaminee),
        _ => {}
    }
    let (k, n_parameters) = (used.len(), model.n_parameters(used.len()));
    // Beyond 63 items 2^k - 1 exceeds any number of parameters.
    let n_patterns = 1u64.checked_shl(k as u32).map_or(u64::MAX, |n| n - 1);
    if k == 0 || n_patterns <= n_parameters as u64 {
        return Err(IrtError::TooFewItems { k, n_parameters, dropped: dropped.to_vec() });
    }
    Ok(responses.select_items(used))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&str]) -> Responses {
        let cell = |i: usize, j: usize| match rows[i].as_bytes()[j] {
            b'1' => Some(true),
            b'0' => Some(false),
            _ => None,
        };
        Responses::from_fn(rows.len(), rows.first().map_or(0, |r| r.len()), cell)
    }

    #[test]
    fn items_that_do_not_vary_are_left_out_with_their_reason() {
        let (used, dropped) = split_items(&matrix(&["10.1", "00.1", "1..1"]));
        assert_eq!(used, [0]);
        let reasons: Vec<_> = dropped.iter().map(|d| (d.index, d.reason)).collect();
        let expected =
            [(1, DropReason::AllWrong), (2, DropReason::NoAnswers), (3, DropReason::AllCorrect)];
        assert_eq!(reasons, expected);
    }

    #[test]
    fn two_items_and_one_examinee_are_refused() {
        let refuse = |rows: &[&str], model| {
            let data = matrix(rows);
            let (used, dropped) = split_items(&data);
            admit(&data, model, &used, &dropped).unwrap_err()
        };
        let too_few = |e| matches!(e, IrtError::TooFewItems { .. });
        assert!(too_few(refuse(&["10", "01", "11"], Model::Rasch)), "3 patterns, 3 parameters");
        assert!(too_few(refuse(&["11", "11"], Model::TwoParameter)), "nothing varies");
        assert_eq!(refuse(&["101"], Model::Rasch), IrtError::OneExaminee);
        assert_eq!(refuse(&["...", "..."], Model::Rasch), IrtError::NoExaminees);
        assert_eq!(refuse(&[], Model::Rasch), IrtError::NoExaminees);
    }
}
