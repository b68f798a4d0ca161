//! Ticks: round values, as many as the room allows, written in Spanish.

use super::number::{NumberStyle, superscript};
use super::rows::date_of;
use super::scale::Span;
use super::spec::Scale;
use jiff::civil::Date;

/// One tick: where, in scaled values, and what it says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) label: String,
}

/// The ticks of an axis and how its values are written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ticks {
    pub(super) marks: Vec<Tick>,
    decimals: usize,
    /// Values are written divided by this power of ten, which the axis label tells.
    exponent: i32,
}

impl Ticks {
    /// The finest round ticks, `most` at most, whose labels `fit`.
    pub(super) fn choose(
        scale: &Scale,
        span: &Span,
        most: usize,
        style: &NumberStyle,
        fit: impl Fn(&[Tick]) -> bool,
    ) -> Self {
        if span.empty && !matches!(scale, Scale::Category(_)) {
            return Self { marks: vec![], decimals: 0, exponent: 0 };
        }
        if let Scale::Category(names) = scale {
            return Self { marks: categories(names, &fit), decimals: 0, exponent: 0 };
        }
        let most = most.clamp(2, 20);
        let mut coarsest = None;
        for count in (2..=most).rev() {
            let ticks = match scale {
                Scale::Date => dates(span, count),
                Scale::Log => logarithmic(span, count, style),
                _ => linear(span, count, style),
            };
            if fit(&ticks.marks) {
                return ticks;
            }
            coarsest = Some(ticks);
        }
        let mut ticks = coarsest.unwrap_or_else(|| linear(span, 2, style));
        ticks.marks.truncate(1);
        ticks
    }

    /// Writes counts that hang below zero as the counts they are.
    pub(super) fn without_sign(&mut self, style: &NumberStyle) {
        for tick in &mut self.marks {
            tick.label = tick.label.trim_start_matches(style.minus).into();
        }
    }

    /// An edge of a bin: as many decimals as it needs, three more than the ticks at
    /// most.
    pub(super) fn edge(&self, scale: &Scale, value: f64, style: &NumberStyle) -> String {
        match scale {
            Scale::Linear if self.exponent == 0 => style.shortest(value, self.decimals + 3),
            Scale::Log => significant(10f64.powf(value), style),
            _ => self.written(scale, value, style),
        }
    }

    /// A power of ten for the axis label, when the ticks are divided by one.
    pub(super) fn unit(&self) -> Option<String> {
        (self.exponent != 0).then(|| format!("× 10{}", superscript(self.exponent)))
    }

    /// A value of the axis, for a tooltip: a decimal more than the ticks.
    pub(super) fn written(&self, scale: &Scale, value: f64, style: &NumberStyle) -> String {
        match scale {
            Scale::Date => date_of(value).map_or(String::new(), written_date),
            Scale::Category(names) => {
                names.get(value.round().max(0.0) as usize).cloned().unwrap_or_default()
            }
            Scale::Log => significant(value, style),
            Scale::Linear => {
                let scaled = value / 10f64.powi(self.exponent);
                let whole = self.decimals == 0 && scaled.fract() == 0.0;
                let text = style.format(scaled, if whole { 0 } else { self.decimals + 1 });
                self.unit().map_or(text.clone(), |unit| format!("{text} {unit}"))
            }
        }
    }
}

/// Three significant digits.
fn significant(value: f64, style: &NumberStyle) -> String {
    let magnitude = libm::log10(value.abs().max(f64::MIN_POSITIVE)).floor() as i32;
    match magnitude {
        -4..=6 => style.shortest(value, (2 - magnitude).max(0) as usize),
        _ => {
            let mantissa = style.shortest(value / 10f64.powi(magnitude), 2);
            format!("{mantissa} × 10{}", superscript(magnitude))
        }
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `rough`.
fn round_step(rough: f64) -> (f64, i32) {
    let exponent = libm::log10(rough).floor() as i32;
    let leading = rough / 10f64.powi(exponent);
    let nice = [1.0, 2.0, 5.0].into_iter().find(|nice| leading <= nice * (1.0 + 1e-9));
    nice.map_or((1.0, exponent + 1), |nice| (nice, exponent))
}

fn linear(span: &Span, count: usize, style: &NumberStyle) -> Ticks {
    let (low, high) = (span.from.min(span.to), span.from.max(span.to));
    let least = if span.whole { 1.0 } else { f64::MIN_POSITIVE };
    let (nice, power) = round_step(((high - low) / count as f64).max(least));
    let largest = libm::log10(low.abs().max(high.abs())).floor() as i32;
    let exponent = if largest >= 7 || power < -5 { largest } else { 0 };
    let decimals = (exponent - power).clamp(0, 15) as usize;
    let values = multiples(low, high, nice, power);
    let label = |value: f64| style.format(value / 10f64.powi(exponent), decimals);
    let marks = values.into_iter().map(|at| Tick { at, label: label(at) }).collect();
    Ticks { marks, decimals, exponent }
}

/// The multiples of `nice * 10^power` between two values, without drift.
fn multiples(low: f64, high: f64, nice: f64, power: i32) -> Vec<f64> {
    let step = nice * 10f64.powi(power);
    let slack = 1e-9;
    let (first, last) = ((low / step - slack).ceil(), (high / step + slack).floor());
    let count = (last - first).clamp(-1.0, 100.0) as i64;
    let value = |i: i64| {
        let times = (first + i as f64) * nice;
        // Dividing by an exact power of ten rounds once; multiplying by 0.1 does not.
        if power < 0 { times / 10f64.powi(-power) } else { times * 10f64.powi(power) }
    };
    (0..=count).map(value).map(|at| if at == 0.0 { 0.0 } else { at }).collect()
}

fn logarithmic(span: &Span, count: usize, style: &NumberStyle) -> Ticks {
    let (low, high) = (span.from.min(span.to), span.from.max(span.to));
    let decades = high - low;
    let values: Vec<f64> = if decades >= 1.5 {
        let every = (decades / count as f64).ceil().max(1.0);
        let digits: &[f64] = if decades * 3.0 <= count as f64 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = (low / every).floor() as i32;
        let last = (high / every).ceil() as i32;
        let decade = |i: i32| i * every as i32;
        (first..=last)
            .flat_map(|i| digits.iter().map(move |digit| digit * 10f64.powi(decade(i))))
            .collect()
    } else {
        let (from, to) = (10f64.powf(low), 10f64.powf(high));
        let (nice, power) = round_step((to - from) / count as f64);
        multiples(from, to, nice, power)
    };
    let marks = values
        .into_iter()
        .map(|value| Tick { at: libm::log10(value), label: significant(value, style) })
        .filter(|tick| tick.at >= low - 1e-9 && tick.at <= high + 1e-9)
        .collect();
    Ticks { marks, decimals: 0, exponent: 0 }
}

/// All the names, or every second, third... when they do not fit.
fn categories(names: &[String], fit: &impl Fn(&[Tick]) -> bool) -> Vec<Tick> {
    let every = |n: usize| -> Vec<Tick> {
        let numbered = names.iter().enumerate().step_by(n);
        numbered.map(|(i, name)| Tick { at: i as f64, label: name.clone() }).collect()
    };
    let mut n = 1;
    while n < names.len() && !fit(&every(n)) {
        n += 1 + n / 4;
    }
    every(n)
}

const MONTHS: [&str; 12] =
    ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"];

fn month(date: Date) -> &'static str {
    MONTHS[(date.month() - 1) as usize]
}

fn written_date(date: Date) -> String {
    format!("{} {} {}", date.day(), month(date), date.year())
}

/// Steps of an axis of dates: whole days, then months, then years.
const DAY_STEPS: [i64; 4] = [1, 2, 7, 14];
const MONTH_STEPS: [i32; 16] =
    [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12_000, 24_000, 60_000];

fn dates(span: &Span, count: usize) -> Ticks {
    let done = |marks| Ticks { marks, decimals: 0, exponent: 0 };
    let days = span.to - span.from;
    if let Some(step) = DAY_STEPS.into_iter().find(|step| days / *step as f64 <= count as f64) {
        return done(day_ticks(span, step));
    }
    let months = days / 30.4369;
    let step = MONTH_STEPS
        .into_iter()
        .find(|step| months / f64::from(*step) <= count as f64)
        .unwrap_or(MONTH_STEPS[15]);
    done(month_ticks(span, step))
}

fn day_ticks(span: &Span, step: i64) -> Vec<Tick> {
    let first = (span.from / step as f64).ceil() as i64;
    let last = (span.to / step as f64).floor() as i64;
    let tick = |i: i64| {
        let at = (i * step) as f64;
        date_of(at).map(|date| Tick { at, label: written_date(date) })
    };
    (first..=last).filter_map(tick).collect()
}

fn month_ticks(span: &Span, step: i32) -> Vec<Tick> {
    let month_of = |day: f64| {
        date_of(day).map_or(0, |date| i32::from(date.year()) * 12 + i32::from(date.month()) - 1)
    };
    let (first, last) = (month_of(span.from).div_euclid(step), month_of(span.to).div_euclid(step));
    let tick = |i: i32| {
        let months = i * step;
        let (year, month_index) = (months.div_euclid(12), months.rem_euclid(12));
        let first_day = Date::new(year as i16, month_index as i8 + 1, 1).ok()?;
        let label = match step {
            12.. => year.to_string(),
            _ => format!("{} {year}", month(first_day)),
        };
        Some(Tick { at: super::rows::day(first_day), label })
    };
    (first..=last)
        .filter_map(tick)
        .filter(|tick| tick.at >= span.from && tick.at <= span.to)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::rows::{CALENDAR, day};
    use jiff::civil::date;

    fn labels(scale: Scale, from: f64, to: f64, most: usize) -> Vec<String> {
        let span = Span { from, to, whole: false, empty: false };
        let ticks = Ticks::choose(&scale, &span, most, &NumberStyle::default(), |_| true);
        ticks.marks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_share_their_decimals() {
        assert_eq!(labels(Scale::Linear, 0.0, 1.0, 5), ["0,0", "0,2", "0,4", "0,6", "0,8", "1,0"]);
        assert_eq!(labels(Scale::Linear, -7.0, 7.0, 7), ["−6", "−4", "−2", "0", "2", "4", "6"]);
        assert_eq!(labels(Scale::Linear, 0.0, 500.0, 5), ["0", "100", "200", "300", "400", "500"]);
    }

    #[test]
    fn large_and_small_numbers_share_a_power_of_ten() {
        let span = Span { from: 0.0, to: 3e9, whole: true, empty: false };
        let ticks = Ticks::choose(&Scale::Linear, &span, 4, &NumberStyle::default(), |_| true);
        assert_eq!(ticks.unit().as_deref(), Some("× 10⁹"));
        assert_eq!(ticks.marks[1].label, "1");
        assert_eq!(ticks.written(&Scale::Linear, 1.5e9, &NumberStyle::default()), "1,5 × 10⁹");
    }

    #[test]
    fn counts_have_whole_ticks() {
        let span = Span { from: 0.0, to: 2.1, whole: true, empty: false };
        let ticks = Ticks::choose(&Scale::Linear, &span, 6, &NumberStyle::default(), |_| true);
        let labels: Vec<_> = ticks.marks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["0", "1", "2"]);
    }

    #[test]
    fn dates_are_written_in_spanish() {
        let (from, to) = (day(date(2023, 10, 1)), day(date(2026, 3, 1)));
        assert_eq!(
            labels(Scale::Date, from, to, 6),
            ["ene 2024", "jul 2024", "ene 2025", "jul 2025", "ene 2026"]
        );
        assert_eq!(labels(Scale::Date, from, to, 4), ["2024", "2025", "2026"]);
        let week = labels(Scale::Date, from, from + 3.0, 5);
        assert_eq!(week, ["1 oct 2023", "2 oct 2023", "3 oct 2023", "4 oct 2023"]);
    }

    #[test]
    fn the_whole_calendar_has_ticks() {
        let labels = labels(Scale::Date, CALENDAR.0, CALENDAR.1, 8);
        assert!((2..=8).contains(&labels.len()));
    }

    #[test]
    fn logarithmic_ticks_are_decades_or_round_values() {
        assert_eq!(labels(Scale::Log, -2.0, 3.0, 6), ["0,01", "0,1", "1", "10", "100", "1000"]);
        assert_eq!(labels(Scale::Log, 0.0, 0.8, 4), ["2", "4", "6"]);
        assert_eq!(labels(Scale::Log, 0.0, 20.0, 3).last().map(String::as_str), Some("1 × 10¹⁴"));
    }

    #[test]
    fn labels_that_do_not_fit_give_way() {
        let span = Span { from: 0.0, to: 100.0, whole: true, empty: false };
        let three = |ticks: &[Tick]| ticks.len() <= 3;
        let ticks = Ticks::choose(&Scale::Linear, &span, 10, &NumberStyle::default(), three);
        assert_eq!(ticks.marks.len(), 3);
        let names: Vec<String> = (0..40).map(|i| format!("s{i}")).collect();
        let ticks =
            Ticks::choose(&Scale::Category(names), &span, 10, &NumberStyle::default(), three);
        assert!(ticks.marks.len() <= 3);
    }
}
