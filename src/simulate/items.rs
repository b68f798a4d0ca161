//! The items of the demonstration.

use super::random::{Random, logistic};

/// The repositories of SWE-bench Verified and their items: 500 in all.
pub const REPOSITORIES: [(&str, usize); 12] = [
    ("astropy__astropy", 22),
    ("django__django", 231),
    ("matplotlib__matplotlib", 34),
    ("mwaskom__seaborn", 2),
    ("pallets__flask", 1),
    ("psf__requests", 8),
    ("pydata__xarray", 22),
    ("pylint-dev__pylint", 10),
    ("pytest-dev__pytest", 19),
    ("scikit-learn__scikit-learn", 32),
    ("sphinx-doc__sphinx", 44),
    ("sympy__sympy", 75),
];

/// The items whose result depends on the machine: two skip tests on fewer than
/// two cores (the environment file follows the first), four call an external
/// service.
pub const ENVIRONMENT_ITEMS: [&str; 6] = [
    "pylint-dev__pylint-sim0007",
    "pylint-dev__pylint-sim0004",
    "psf__requests-sim0002",
    "psf__requests-sim0003",
    "psf__requests-sim0004",
    "psf__requests-sim0005",
];

/// Items that nobody can solve.
const IMPOSSIBLE: usize = 27;
/// Items that weak examinees solve more often: a shortcut passes their tests.
const INVERSE: usize = 5;
/// Items whose result is chance: their tests are unstable.
const CHANCE: usize = 6;

/// How an item answers to ability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Behaviour {
    /// Two-parameter logistic: slope and difficulty.
    Logistic { slope: f64, difficulty: f64 },
    /// The same probability for everybody.
    Constant(f64),
}

/// What the result of an item depends on, besides ability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    Nothing,
    TwoCores,
    Service,
}

/// An item of the demonstration.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub name: String,
    /// Index in [`REPOSITORIES`].
    pub repository: usize,
    pub behaviour: Behaviour,
    pub needs: Needs,
}

impl Item {
    /// Probability of a right answer, on a machine that has what the item needs.
    pub fn probability(&self, ability: f64) -> f64 {
        match self.behaviour {
            Behaviour::Logistic { slope, difficulty } => logistic(slope * (ability - difficulty)),
            Behaviour::Constant(probability) => probability,
        }
    }
}

/// All the items, in the order of their names.
pub(super) fn items(random: &mut Random) -> Vec<Item> {
    let mut items = vec![];
    for (repository, (prefix, n)) in REPOSITORIES.into_iter().enumerate() {
        let shift = random.normal(0.0, 0.25);
        for number in 1..=n {
            let name = format!("{prefix}-sim{number:04}");
            let needs = needs(&name);
            items.push(Item { behaviour: ordinary(random, needs, shift), needs, name, repository });
        }
    }
    spoil(&mut items, random);
    items
}

fn needs(name: &str) -> Needs {
    match ENVIRONMENT_ITEMS.iter().position(|&item| item == name) {
        Some(0 | 1) => Needs::TwoCores,
        Some(_) => Needs::Service,
        None => Needs::Nothing,
    }
}

/// Items that depend on the machine are easy otherwise: that is what makes their
/// failures strange.
fn ordinary(random: &mut Random, needs: Needs, shift: f64) -> Behaviour {
    let slope = libm::exp(random.normal(0.25, 0.35));
    let difficulty = match needs {
        Needs::Nothing => shift + random.normal(-0.2, 2.1),
        Needs::TwoCores | Needs::Service => random.normal(-3.5, 0.3),
    };
    Behaviour::Logistic { slope, difficulty }
}

/// Turns some ordinary items into impossible, inverse and chance ones.
fn spoil(items: &mut [Item], random: &mut Random) {
    let mut order = random.order(items.len());
    order.retain(|&j| items[j].needs == Needs::Nothing);
    let (impossible, rest) = order.split_at(IMPOSSIBLE);
    let (inverse, rest) = rest.split_at(INVERSE);
    for &j in impossible {
        items[j].behaviour = Behaviour::Constant(0.0);
    }
    for &j in inverse {
        let (slope, difficulty) = (-random.between(0.3, 0.7), random.between(-2.5, 0.0));
        items[j].behaviour = Behaviour::Logistic { slope, difficulty };
    }
    for &j in &rest[..CHANCE] {
        items[j].behaviour = Behaviour::Constant(random.between(0.04, 0.3));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_500_items_in_the_order_of_their_names() {
        let items = items(&mut Random::new(1, 0));
        assert_eq!(items.len(), 500);
        assert!(items.is_sorted_by(|a, b| a.name < b.name));
        let dependent: Vec<_> = items.iter().filter(|i| i.needs != Needs::Nothing).collect();
        assert_eq!(dependent.len(), ENVIRONMENT_ITEMS.len());
    }
}
