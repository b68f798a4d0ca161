//! Numbers, percentages, p values and dates as the reader sees them.
//!
//! Presentation only: nothing here reaches a CSV, a JSON or an SVG coordinate.

use jiff::civil::Date;
use minijinja::Value;
use minijinja::value::ValueKind;

/// A space that does not break between a number and its unit.
pub const NO_BREAK_SPACE: char = '\u{a0}';

/// Digits that a double can vouch for.
pub const MOST_DIGITS: usize = 15;

/// The book's way of writing numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberStyle {
    /// Decimal mark.
    pub decimal: char,
    /// Between groups of three digits, from five digits on; empty for none.
    pub thousands: String,
    /// Before a negative number.
    pub minus: String,
    /// Decimals of a real number when nobody says how many.
    pub decimals: usize,
}

impl Default for NumberStyle {
    /// Point, thin space, true minus, two decimals.
    fn default() -> Self {
        Self { decimal: '.', thousands: "\u{202f}".into(), minus: "\u{2212}".into(), decimals: 2 }
    }
}

/// How one value is to be written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Format {
    /// What kind of quantity it is.
    pub kind: Kind,
    /// Decimals.
    pub decimals: Option<usize>,
    /// Significant digits; decimals win.
    pub significant: Option<usize>,
    /// Before the number.
    pub prefix: String,
    /// After the number.
    pub suffix: String,
    /// Noun after exactly one, and after any other number.
    pub noun: Option<(String, String)>,
}

/// Kinds of quantity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// A plain number, or a text as it is.
    #[default]
    Number,
    /// A proportion shown as a percentage.
    Percent,
    /// A p value: `< .001`, `= .032`.
    PValue,
    /// An ISO date: "9 de agosto de 2023".
    Date,
    /// An ISO date: "agosto de 2023".
    Month,
}

impl Kind {
    /// The names that chapters use.
    pub const NAMES: &[(&str, Self)] = &[
        ("numero", Self::Number),
        ("porcentaje", Self::Percent),
        ("p", Self::PValue),
        ("fecha", Self::Date),
        ("mes", Self::Month),
    ];
}

/// Why a value cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CannotWrite(pub String);

impl NumberStyle {
    /// Writes a value; the error says, in Spanish, why it cannot be written.
    pub fn write(&self, value: &Value, format: &Format) -> Result<String, CannotWrite> {
        let body = match value.kind() {
            ValueKind::Bool => if value.is_true() { "sí" } else { "no" }.to_owned(),
            ValueKind::Number => self.number_value(value, format)?,
            ValueKind::String => text(value.as_str().unwrap_or_default(), format.kind)?,
            kind => {
                let what = crate::study::expression::kind_name(kind);
                return Err(CannotWrite(format!("{what} no se puede imprimir")));
            }
        };
        let noun = format.noun.as_ref().map(|(one, many)| {
            let single = f64::try_from(value.clone()).is_ok_and(|x| x == 1.0);
            format!("{NO_BREAK_SPACE}{}", if single { one } else { many })
        });
        Ok(format!("{}{body}{}{}", format.prefix, format.suffix, noun.unwrap_or_default()))
    }

    fn number_value(&self, value: &Value, format: &Format) -> Result<String, CannotWrite> {
        let x = f64::try_from(value.clone()).map_err(|_| CannotWrite("número ilegible".into()))?;
        match format.kind {
            Kind::Percent => {
                let usual = if format.significant.is_none() { Some(1) } else { None };
                let written = self.number(100.0 * x, format.decimals.or(usual), format.significant);
                Ok(format!("{written}{NO_BREAK_SPACE}%"))
            }
            Kind::PValue => self.p_value(x, format.decimals.unwrap_or(3)),
            Kind::Number => Ok(self.number(x, format.decimals, format.significant)),
            Kind::Date | Kind::Month => {
                Err(CannotWrite("se esperaba una fecha y resultó un número".into()))
            }
        }
    }

    /// A finite real number. Whole numbers have no decimals unless asked for, and
    /// never an exponent; zero has no sign.
    pub fn number(&self, x: f64, decimals: Option<usize>, significant: Option<usize>) -> String {
        let digits = match (decimals, significant) {
            (Some(decimals), _) => format!("{x:.decimals$}"),
            (None, Some(significant)) => with_significant_digits(x, significant.max(1)),
            (None, None) if x.fract() == 0.0 => format!("{x:.0}"),
            (None, None) => format!("{x:.*}", self.decimals),
        };
        let (negative, digits) = match digits.strip_prefix('-') {
            Some(rest) => (rest.bytes().any(|b| b.is_ascii_digit() && b != b'0'), rest),
            None => (false, digits.as_str()),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mut out = String::new();
        if negative {
            out += &self.minus;
        }
        out += &self.grouped(whole);
        if !fraction.is_empty() {
            out.push(self.decimal);
            out += fraction;
        }
        out
    }

    /// Groups of three from five digits on, as the Spanish academies recommend.
    fn grouped(&self, whole: &str) -> String {
        if whole.len() < 5 || self.thousands.is_empty() {
            return whole.to_owned();
        }
        let head = whole.len() % 3;
        let mut groups: Vec<&str> = vec![];
        if head > 0 {
            groups.push(&whole[..head]);
        }
        groups.extend((head..whole.len()).step_by(3).map(|at| &whole[at..at + 3]));
        groups.join(&self.thousands)
    }

    /// APA: no zero before the mark, never `= .000`.
    fn p_value(&self, p: f64, decimals: usize) -> Result<String, CannotWrite> {
        if !(0.0..=1.0).contains(&p) {
            return Err(CannotWrite(format!("{p} no es una probabilidad")));
        }
        let without_zero = |x: f64| self.number(x, Some(decimals), None).replacen('0', "", 1);
        let least = 10f64.powi(-(decimals as i32));
        if p < least {
            return Ok(format!("<{NO_BREAK_SPACE}{}", without_zero(least)));
        }
        let written = self.number(p, Some(decimals), None);
        let written = written.strip_prefix('0').map_or(written.clone(), str::to_owned);
        Ok(format!("={NO_BREAK_SPACE}{written}"))
    }
}

fn with_significant_digits(x: f64, significant: usize) -> String {
    // Rust's `{:e}` rounds correctly and gives the exponent after rounding.
    let scientific = format!("{x:.*e}", significant - 1);
    let exponent: i32 = scientific.split_once('e').map_or(0, |(_, e)| e.parse().unwrap_or(0));
    let decimals = significant as i32 - 1 - exponent;
    if decimals >= 0 {
        return format!("{x:.*}", decimals as usize);
    }
    let rounded: f64 = scientific.parse().unwrap_or(x);
    format!("{rounded:.0}")
}

fn text(text: &str, kind: Kind) -> Result<String, CannotWrite> {
    let date = || {
        text.parse::<Date>()
            .map_err(|_| CannotWrite(format!("«{text}» no es una fecha ISO (2025-10-26)")))
    };
    match kind {
        Kind::Number => Ok(text.to_owned()),
        Kind::Date => Ok(long_date(date()?)),
        Kind::Month => Ok(month_and_year(date()?)),
        Kind::Percent | Kind::PValue => {
            Err(CannotWrite(format!("se esperaba un número y resultó el texto «{text}»")))
        }
    }
}

/// The months, as Spanish writes them.
pub const MONTHS: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

/// Text that Markdown must not read: every ASCII punctuation mark that could mean
/// something is escaped; who rewrites it in canonical form drops the escapes that
/// were not needed.
pub fn escape_markdown(text: &str) -> String {
    let special = |c: char| "\\`*_{}[]<>#+-!|~&$".contains(c);
    text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

/// "9 de agosto de 2023".
pub fn long_date(date: Date) -> String {
    format!("{} de {}", date.day(), month_and_year(date))
}

/// "agosto de 2023".
pub fn month_and_year(date: Date) -> String {
    format!("{} de {}", MONTHS[date.month() as usize - 1], date.year())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style() -> NumberStyle {
        NumberStyle { thousands: " ".into(), minus: "-".into(), ..NumberStyle::default() }
    }

    fn write(value: impl Into<Value>, format: Format) -> String {
        style().write(&value.into(), &format).unwrap()
    }

    #[test]
    fn decimals_and_significant_digits_are_two_things() {
        let decimals = |n| Format { decimals: Some(n), ..Format::default() };
        let significant = |n| Format { significant: Some(n), ..Format::default() };
        assert_eq!(write(0.00512, decimals(2)), "0.01");
        assert_eq!(write(0.00512, significant(2)), "0.0051");
        assert_eq!(write(0.9996, significant(3)), "1.00");
        assert_eq!(write(19961.4, significant(2)), "20 000");
        assert_eq!(write(2, decimals(2)), "2.00");
        assert_eq!(write(123_456, significant(2)), "120 000");
        let percent = Format { kind: Kind::Percent, ..significant(1) };
        assert_eq!(write(0.5534, percent), "60\u{a0}%");
    }

    #[test]
    fn whole_numbers_never_have_an_exponent() {
        assert_eq!(write(100_000, Format::default()), "100 000");
        assert_eq!(write(1e15, Format::default()), "1 000 000 000 000 000");
        assert_eq!(write(1961, Format::default()), "1961");
        assert_eq!(write(271.0, Format::default()), "271");
        assert_eq!(write(336.75, Format::default()), "336.75");
    }

    #[test]
    fn zero_has_no_sign() {
        let format = Format { decimals: Some(2), ..Format::default() };
        assert_eq!(write(-0.0004, format.clone()), "0.00");
        assert_eq!(write(-0.0, Format::default()), "0");
        assert_eq!(write(-0.006, format), "-0.01");
    }

    #[test]
    fn the_decimal_mark_is_the_books() {
        let style = NumberStyle { decimal: ',', ..style() };
        let format = Format { decimals: Some(2), ..Format::default() };
        assert_eq!(style.write(&Value::from(12345.678), &format).unwrap(), "12 345,68");
    }

    #[test]
    fn percentages_and_p_values() {
        let percent = Format { kind: Kind::Percent, ..Format::default() };
        assert_eq!(write(0.5534, percent), "55.3\u{a0}%");
        let p = Format { kind: Kind::PValue, ..Format::default() };
        assert_eq!(write(0.0000004, p.clone()), "<\u{a0}.001");
        assert_eq!(write(0.0321, p.clone()), "=\u{a0}.032");
        assert_eq!(write(1.0, p.clone()), "=\u{a0}1.000");
        assert!(style().write(&Value::from(1.2), &p).is_err());
    }

    #[test]
    fn nouns_agree_with_their_number() {
        let noun = Some(("reactivo".to_owned(), "reactivos".to_owned()));
        let format = Format { noun, ..Format::default() };
        assert_eq!(write(1, format.clone()), "1\u{a0}reactivo");
        assert_eq!(write(0, format.clone()), "0\u{a0}reactivos");
        assert_eq!(write(9, format), "9\u{a0}reactivos");
    }

    #[test]
    fn dates_are_spanish_and_lower_case() {
        let date = Format { kind: Kind::Date, ..Format::default() };
        assert_eq!(write("2023-08-09", date.clone()), "9 de agosto de 2023");
        assert_eq!(long_date(Date::constant(2026, 12, 31)), "31 de diciembre de 2026");
        assert!(style().write(&Value::from("ayer"), &date).is_err());
    }

    proptest::proptest! {
        #[test]
        fn a_written_number_reads_back(x in -1e12f64..1e12, decimals in 0usize..8) {
            let written = style().number(x, Some(decimals), None).replace(' ', "");
            let back: f64 = written.parse().unwrap();
            let half_unit = 0.5 * 10f64.powi(-(decimals as i32));
            // 1e-4: doubles near 1e12 are that far apart.
            proptest::prop_assert!((back - x).abs() <= half_unit + 1e-4);
            proptest::prop_assert!(!written.starts_with("-0.0") || back != 0.0);
        }
    }
}
