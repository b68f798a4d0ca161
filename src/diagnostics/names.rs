//! The nearest valid name, for hints.

/// The candidate closest to `name`, when it is close enough to be a slip.
///
/// Damerau-Levenshtein distance on lower-case text; at most a third of the
/// name's length, and always one slip at least.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let limit = (wanted.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| {
            (strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase()), candidate)
        })
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// "¿quiso decir «x»?", or the list of what exists when it is short.
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    if let Some(candidate) = nearest(name, candidates.clone()) {
        return Some(format!("¿quiso decir «{candidate}»?"));
    }
    let all: Vec<_> = candidates.into_iter().collect();
    match all.len() {
        0 => None,
        1..=12 => Some(format!("existen: {}", all.join(", "))),
        more => Some(format!("existen {more} nombres, entre ellos: {}", all[..8].join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_does_not() {
        let names = ["tabla", "figura", "valor"];
        assert_eq!(nearest("tabal", names), Some("tabla"));
        assert_eq!(nearest("Figura", names), Some("figura"));
        assert_eq!(nearest("endl", names), None);
    }

    #[test]
    fn a_short_list_is_shown_whole() {
        assert_eq!(did_you_mean("zzz", ["a", "b"]).unwrap(), "existen: a, b");
    }
}
