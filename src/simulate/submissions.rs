//! The examinees of the demonstration: submissions of three families.

use super::random::Random;
use jiff::civil::{Date, date};

/// What a submission is built on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Baseline,
    Agent,
    Mini,
}

/// Why a folder is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exclusion {
    NoItemData,
    Inconsistent,
}

/// The machine that ran a submission, where its logs can be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Machine {
    pub two_cores: bool,
    pub service_fails: bool,
    pub logs: bool,
}

/// One folder of results.
#[derive(Debug, Clone)]
pub(super) struct Submission {
    pub id: String,
    pub name: String,
    pub date: Date,
    pub agent: String,
    pub family: Family,
    pub model: String,
    pub organisation: String,
    /// `1`, `2+` or nothing.
    pub attempts: &'static str,
    pub ability: f64,
    /// Probability that the infrastructure loses a patch.
    pub loss: f64,
    pub machine: Machine,
    pub exclusion: Option<Exclusion>,
    /// Whether it repeats the submission before it with hardly a change.
    pub repeats: bool,
}

/// Included submissions: 6 + 135 + 32 = 173.
const BASELINES: usize = 6;
const AGENTS: usize = 135;
const MINIS: usize = 32;
/// Folders without results by item.
const WITHOUT_DATA: usize = 5;
/// Folders whose results by item are a fraction of what they declare.
const INCONSISTENT: usize = 2;
const EXCLUDED: usize = WITHOUT_DATA + INCONSISTENT;

/// First day of the agents, from which progress is counted.
const START: Date = date(2024, 3, 1);
/// From this day on the external service fails more.
const RECENT: Date = date(2025, 3, 1);
const MODELS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// All the submissions, in the order of their identifiers.
pub(super) fn submissions(random: &mut Random) -> Vec<Submission> {
    let mut all: Vec<Submission> = vec![];
    all.extend((0..BASELINES).map(|i| baseline(random, i)));
    all.extend((0..AGENTS).map(|i| agent(random, i)));
    all.extend((0..MINIS + EXCLUDED).map(|i| mini(random, i)));
    all.sort_by(|a, b| a.id.cmp(&b.id));
    repeat_one(&mut all);
    all
}

fn baseline(random: &mut Random, i: usize) -> Submission {
    let date = if i < 4 { date(2023, 10, 10) } else { date(2024, 4, 2) };
    let model = MODELS[i];
    Submission {
        id: format!("{}_sim_rag_modelo-{model}", compact(date)),
        name: format!("RAG + Modelo simulado {}", model.to_uppercase()),
        agent: "RAG baseline".into(),
        family: Family::Baseline,
        organisation: String::new(),
        attempts: "1",
        ability: random.normal(-6.0, 0.5),
        ..blank(random, date, model, 0.0)
    }
}

fn agent(random: &mut Random, i: usize) -> Submission {
    // The last few come after the source restricted new submissions.
    let days = if i < 7 { random.between(670.0, 750.0) } else { random.between(11.0, 650.0) };
    let date = day(days);
    let model = MODELS[random.below(MODELS.len())];
    let attempts = ["1", "1", "1", "1", "2+", "2+", "2+", "2+", "2+", ""][random.below(10)];
    let gain = if attempts == "2+" { 0.2 } else { 0.0 };
    let number = i + 1;
    Submission {
        id: format!("{}_sim_agente-{number:03}", compact(date)),
        name: format!("Agente simulado {number} + Modelo simulado {}", model.to_uppercase()),
        agent: format!("Agente simulado {number}"),
        family: Family::Agent,
        organisation: format!("Organización simulada {}", random.below(40) + 1),
        attempts,
        ability: trend(days) + gain + random.normal(0.0, 0.75),
        ..blank(random, date, model, 0.12)
    }
}

fn mini(random: &mut Random, i: usize) -> Submission {
    let days = random.between(506.0, 730.0);
    let date = day(days);
    let model = MODELS[random.below(MODELS.len())];
    let (version, number) = (random.below(16), i + 1);
    let exclusion = match i {
        0..WITHOUT_DATA => Some(Exclusion::NoItemData),
        WITHOUT_DATA..EXCLUDED => Some(Exclusion::Inconsistent),
        _ => None,
    };
    let drawn = blank(random, date, model, 0.93);
    let loss = if exclusion == Some(Exclusion::Inconsistent) { 0.75 } else { drawn.loss };
    Submission {
        id: format!("{}_sim_mini-v1.{version}.0_modelo-{model}{number:02}", compact(date)),
        name: format!("mini-SWE-agent + Modelo simulado {}{number}", model.to_uppercase()),
        agent: "mini-SWE-agent".into(),
        family: Family::Mini,
        organisation: "Organización simulada 1; Organización simulada 2".into(),
        attempts: "1",
        ability: trend(days) - 0.3 + random.normal(0.0, 0.9),
        exclusion,
        loss,
        ..drawn
    }
}

/// Mean ability of the agents so many days after the start: fast at first.
fn trend(days: f64) -> f64 {
    -2.2 + 4.0 * (1.0 - libm::exp(-days / 400.0))
}

/// What all families draw alike. `one_core` is the probability of a small machine.
fn blank(random: &mut Random, date: Date, model: &str, one_core: f64) -> Submission {
    let loss = match random.uniform() {
        u if u < 0.85 => random.between(0.0, 0.004),
        u if u < 0.96 => random.between(0.01, 0.04),
        _ => random.between(0.08, 0.16),
    };
    let machine = Machine {
        two_cores: !random.chance(one_core),
        // The service gets worse with the years.
        service_fails: random.chance(if date < RECENT { 0.05 } else { 0.3 }),
        logs: random.chance(0.88),
    };
    Submission {
        id: String::new(),
        name: String::new(),
        date,
        agent: String::new(),
        family: Family::Agent,
        model: format!("modelo-simulado-{model}"),
        organisation: String::new(),
        attempts: "",
        ability: 0.0,
        loss,
        machine,
        exclusion: None,
        repeats: false,
    }
}

/// Some team submits the same run twice: the last agent that follows another one.
fn repeat_one(all: &mut [Submission]) {
    let agents = |pair: &[Submission]| pair.iter().all(|s| s.family == Family::Agent);
    if let Some(at) = all.windows(2).rposition(agents) {
        all[at + 1].repeats = true;
    }
}

fn day(days: f64) -> Date {
    START.saturating_add(jiff::Span::new().days(days as i64))
}

fn compact(date: Date) -> String {
    date.to_string().replace('-', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_173_included_submissions_of_three_families() {
        let all = submissions(&mut Random::new(1, 0));
        let count =
            |family| all.iter().filter(|s| s.family == family && s.exclusion.is_none()).count();
        assert_eq!(count(Family::Baseline), BASELINES);
        assert_eq!(count(Family::Agent), AGENTS);
        assert_eq!(count(Family::Mini), MINIS);
        assert_eq!(BASELINES + AGENTS + MINIS, 173);
        assert_eq!(all.iter().filter(|s| s.repeats).count(), 1);
    }

    #[test]
    fn identifiers_are_synthetic_different_and_in_order() {
        let all = submissions(&mut Random::new(1, 0));
        assert!(all.is_sorted_by(|a, b| a.id < b.id));
        assert!(all.iter().all(|s| s.id.contains("_sim_")));
        let years: BTreeSet<i16> = all.iter().map(|s| s.date.year()).collect();
        assert_eq!(years, BTreeSet::from([2023, 2024, 2025, 2026]));
    }
}
