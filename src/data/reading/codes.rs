//! What the text of a response cell means.

use super::ReadOptions;
use std::str::FromStr;

/// Codes of the file and the answers they stand for, declared by the user:
/// `1:0,2:1`, `B:1,M:0,x:NA`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recode(Vec<(String, Option<bool>)>);

impl FromStr for Recode {
    type Err = String;

    /// Pairs `código:respuesta` separated by commas; the answer is 0, 1 or NA.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut pairs: Vec<(String, Option<bool>)> = vec![];
        for pair in text.split(',') {
            let (from, to) = pair
                .rsplit_once(':')
                .ok_or_else(|| format!("«{pair}» no tiene la forma código:respuesta, como 2:1"))?;
            let from = from.trim();
            let to = match to.trim() {
                "0" => Some(false),
                "1" => Some(true),
                "NA" | "" => None,
                other => return Err(format!("«{other}» no es una respuesta: debe ser 0, 1 o NA")),
            };
            if pairs.iter().any(|(seen, _)| same_code(seen, from)) {
                return Err(format!("el código «{from}» aparece dos veces"));
            }
            pairs.push((from.into(), to));
        }
        Ok(Self(pairs))
    }
}

/// Reads cells as the options say.
#[derive(Debug, Clone)]
pub(super) struct Codes {
    missing: Vec<String>,
    recode: Option<Recode>,
    zero_and_one: bool,
}

impl Codes {
    pub fn new(options: &ReadOptions) -> Self {
        let (missing, recode) = (options.missing.clone(), options.recode.clone());
        let is_missing = |code| missing.iter().any(|token| token == code);
        let zero_and_one = recode.is_none() && !is_missing("0") && !is_missing("1");
        Self { missing, recode, zero_and_one }
    }

    /// The answers that a cell may have, in Spanish: "0, 1".
    pub fn answers(&self) -> String {
        match &self.recode {
            None => "0, 1".into(),
            Some(Recode(pairs)) => {
                let codes = pairs.iter().map(|(code, _)| code.as_str());
                format!("un código declarado ({})", codes.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// Whether cells are recoded.
    pub fn has_recode(&self) -> bool {
        self.recode.is_some()
    }

    /// Whether cells `0` and `1` mean what they say, so that bytes can be trusted.
    pub fn zero_and_one(&self) -> bool {
        self.zero_and_one
    }

    /// [`read`](Self::read) for bytes, quick for the commonest.
    pub fn read_bytes(&self, bytes: &[u8]) -> Option<Option<bool>> {
        match bytes {
            b"0" if self.zero_and_one => Some(Some(false)),
            b"1" if self.zero_and_one => Some(Some(true)),
            _ => self.read(std::str::from_utf8(bytes).ok()?),
        }
    }

    /// The answer in a cell: `Some(None)` when it is missing, `None` when the
    /// text is not an answer.
    ///
    /// Without a recoding, an answer is any number equal to 0 or 1 (programs
    /// export `1.0`); nothing is rounded. With one, only its codes are answers.
    pub fn read(&self, text: &str) -> Option<Option<bool>> {
        if let Some(Recode(pairs)) = &self.recode {
            let declared = pairs.iter().find(|(from, _)| same_code(from, text));
            if let Some((_, to)) = declared {
                return Some(*to);
            }
        }
        if self.missing.iter().any(|token| token == text) {
            return Some(None);
        }
        if self.recode.is_some() {
            return None;
        }
        match number(text)? {
            0.0 => Some(Some(false)),
            1.0 => Some(Some(true)),
            _ => None,
        }
    }
}

/// The same text, or the same number written otherwise (`1` and `1.0`).
fn same_code(a: &str, b: &str) -> bool {
    a == b || matches!((number(a), number(b)), (Some(a), Some(b)) if a == b)
}

/// A number in digits, with point or decimal comma.
pub(super) fn number(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b"+-.,eE".contains(&b));
    if !plain {
        return None;
    }
    if text.contains(',') { text.replace(',', ".").parse().ok() } else { text.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(recode: Option<&str>) -> Codes {
        let recode = recode.map(|text| text.parse().unwrap());
        Codes::new(&ReadOptions { recode, ..ReadOptions::default() })
    }

    #[test]
    fn zero_and_one_however_written_are_answers_and_nothing_else_is() {
        let codes = codes(None);
        for (text, answer) in
            [("0", false), ("1", true), ("1.0", true), ("0,0", false), ("01", true)]
        {
            assert_eq!(codes.read(text), Some(Some(answer)), "{text}");
        }
        for text in ["", "NA", "NaN", "."] {
            assert_eq!(codes.read(text), Some(None), "{text}");
        }
        for text in
            ["2", "-9", "0.5", "0,5", "x", "inf", "nan", "TRUE", "1.0000001", "na", "-", "--"]
        {
            assert_eq!(codes.read(text), None, "{text}");
        }
    }

    #[test]
    fn a_recoding_replaces_the_codes_and_never_mixes_with_them() {
        let codes = codes(Some("1:0, 2:1, 9:NA"));
        assert_eq!(codes.read("1"), Some(Some(false)));
        assert_eq!(codes.read("2.0"), Some(Some(true)));
        assert_eq!(codes.read("9"), Some(None));
        assert_eq!(codes.read("NA"), Some(None));
        assert_eq!(codes.read("0"), None);
    }

    #[test]
    fn a_badly_written_recoding_says_why() {
        let error = |text: &str| text.parse::<Recode>().unwrap_err();
        assert!(error("1").contains("código:respuesta"));
        assert!(error("").contains("código:respuesta"));
        assert!(error("1:2").contains("0, 1 o NA"));
        assert!(error("1:0,1.0:1").contains("dos veces"));
    }
}
