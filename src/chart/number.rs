//! Numbers as readers of the page expect them; coordinates never pass through here.

/// Marks of a written number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberStyle {
    /// Between units and decimals.
    pub decimal: char,
    /// Between groups of three digits, in numbers of five digits or more.
    pub thousands: Option<char>,
    /// Before a negative number.
    pub minus: char,
}

impl Default for NumberStyle {
    /// Spanish: decimal comma, narrow no-break space, true minus sign.
    fn default() -> Self {
        Self { decimal: ',', thousands: Some('\u{202f}'), minus: '−' }
    }
}

impl NumberStyle {
    /// `value` with that many decimals; zero never carries a sign.
    pub fn format(&self, value: f64, decimals: usize) -> String {
        let plain = format!("{:.decimals$}", value.abs());
        let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
        let mut text = String::new();
        if value < 0.0 && plain.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
            text.push(self.minus);
        }
        text += &self.grouped(whole);
        if !fraction.is_empty() {
            text.push(self.decimal);
            text += fraction;
        }
        text
    }

    /// `value` with as few decimals as show it, `decimals` at most.
    pub fn shortest(&self, value: f64, decimals: usize) -> String {
        let text = self.format(value, decimals);
        match text.contains(self.decimal) && decimals > 0 {
            true => text.trim_end_matches('0').trim_end_matches(self.decimal).into(),
            false => text,
        }
    }

    fn grouped(&self, digits: &str) -> String {
        let Some(mark) = self.thousands.filter(|_| digits.len() >= 5) else {
            return digits.into();
        };
        let mut text = String::new();
        for (position, digit) in digits.chars().enumerate() {
            if position > 0 && (digits.len() - position).is_multiple_of(3) {
                text.push(mark);
            }
            text.push(digit);
        }
        text
    }
}

/// A whole number in superscript, for a power of ten.
pub(super) fn superscript(value: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    value.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_carry_the_marks_of_the_style() {
        let spanish = NumberStyle::default();
        assert_eq!(spanish.format(-0.5, 2), "−0,50");
        assert_eq!(spanish.format(1234.0, 0), "1234");
        assert_eq!(spanish.format(1_234_567.25, 1), "1\u{202f}234\u{202f}567,2");
        let english = NumberStyle { decimal: '.', thousands: Some(','), minus: '-' };
        assert_eq!(english.format(-12_345.678, 2), "-12,345.68");
        assert_eq!(english.shortest(2.500, 3), "2.5");
        assert_eq!(english.shortest(100.0, 0), "100");
    }

    #[test]
    fn zero_never_carries_a_sign() {
        assert_eq!(NumberStyle::default().format(-0.001, 2), "0,00");
        assert_eq!(NumberStyle::default().format(-0.0, 0), "0");
    }

    #[test]
    fn exponents_are_superscripts() {
        assert_eq!(superscript(-12), "⁻¹²");
        assert_eq!(superscript(6), "⁶");
    }
}
