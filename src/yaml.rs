//! The one door to YAML: parsing into typed declarations with located errors.
//!
//! Everything that the crate reads as YAML comes through [`parse`]; everything it
//! writes goes through [`to_string`]. Changing the implementation touches this
//! file and `Cargo.toml` only.

use crate::diagnostics::{Diagnostic, Place, Source, code, did_you_mean};
use serde::de::DeserializeOwned;
use serde_yaml::{Error, Location, Spanned};
use std::ops::{Deref, Range};

/// A value and the byte range where the YAML states it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Byte range in the text given to [`parse`]; empty for defaults.
    pub range: Range<usize>,
}

impl<T> Located<T> {
    /// Where the value stands, in the source it was parsed from.
    pub fn place(&self, source: &Source) -> Place {
        source.place(self.range.clone())
    }
}

impl<T> Deref for Located<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Located<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        Ok(Self { range: bytes(spanned.referenced), value: spanned.value })
    }
}

/// A mapping whose order matters, as declared: columns of a table, for instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Entries<T>(Vec<(Located<String>, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<T> Entries<T> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&T> {
        self.0.iter().find(|(name, _)| name.value == key).map(|(_, value)| value)
    }

    /// Keys and values, in order of declaration.
    pub fn iter(&self) -> std::slice::Iter<'_, (Located<String>, T)> {
        self.0.iter()
    }

    /// The keys, in order of declaration.
    pub fn keys(&self) -> impl Iterator<Item = &str> + Clone {
        self.0.iter().map(|(name, _)| name.value.as_str())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Entries<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<T>(std::marker::PhantomData<T>);
        impl<'de, T: serde::Deserialize<'de>> serde::de::Visitor<'de> for InOrder<T> {
            type Value = Entries<T>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("un grupo de claves y valores")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Self::Value, A::Error> {
                let mut entries = vec![];
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Entries::default())
            }
        }
        deserializer.deserialize_map(InOrder(std::marker::PhantomData))
    }
}

/// Reads what has two forms: a short one, a single value, and a mapping that says more.
/// Faults of the mapping are told as such, which serde's untagged enums do not.
pub fn short_or_long<'de, D, Long, T>(
    deserializer: D,
    short: fn(String) -> T,
    long: fn(Long) -> T,
) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    Long: serde::Deserialize<'de>,
{
    struct Forms<Long, T>(fn(String) -> T, fn(Long) -> T);
    impl<'de, Long: serde::Deserialize<'de>, T> serde::de::Visitor<'de> for Forms<Long, T> {
        type Value = T;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("un texto o un grupo de claves y valores")
        }
        fn visit_str<E>(self, text: &str) -> Result<T, E> {
            Ok((self.0)(text.to_owned()))
        }
        fn visit_bool<E>(self, value: bool) -> Result<T, E> {
            Ok((self.0)(value.to_string()))
        }
        fn visit_i64<E>(self, value: i64) -> Result<T, E> {
            Ok((self.0)(value.to_string()))
        }
        fn visit_u64<E>(self, value: u64) -> Result<T, E> {
            Ok((self.0)(value.to_string()))
        }
        fn visit_f64<E>(self, value: f64) -> Result<T, E> {
            Ok((self.0)(value.to_string()))
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            let long = Long::deserialize(serde::de::value::MapAccessDeserializer::new(map));
            long.map(self.1)
        }
    }
    deserializer.deserialize_any(Forms(short, long))
}

fn bytes(location: Location) -> Range<usize> {
    let span = location.span();
    let start = span.byte_offset().unwrap_or(0) as usize;
    start..start + span.byte_len().unwrap_or(0) as usize
}

/// Parses a whole file.
pub fn parse<T: DeserializeOwned>(source: &Source) -> Result<T, Diagnostic> {
    parse_within(source, 0..source.text().len())
}

/// Parses a part of a file (a chapter's front matter). [`Located`] ranges are
/// relative to the start of that part.
pub fn parse_within<T: DeserializeOwned>(
    source: &Source,
    part: Range<usize>,
) -> Result<T, Diagnostic> {
    let text = &source.text()[part.clone()];
    // YAML 1.1 reads `n`, `y`, `no`, `off` as truth values: here they are names.
    let options = serde_yaml::options! { strict_booleans: true };
    serde_yaml::from_str_with_options(text, options)
        .map_err(|error| explain(source, part.start, &error))
}

/// Writes a value as YAML.
pub fn to_string<T: serde::Serialize>(value: &T) -> Result<String, String> {
    serde_yaml::to_string(value).map_err(|error| error.to_string())
}

/// Where an error stands: faults of syntax tell line and column, without bytes.
fn located(text: &str, location: Location) -> Range<usize> {
    if location.span().byte_offset().is_some() {
        return bytes(location);
    }
    let before = |n: u64| n.saturating_sub(1) as usize;
    let lines = text.split_inclusive('\n').take(before(location.line()));
    let start: usize = lines.map(str::len).sum();
    let column = text[start..].chars().take(before(location.column()));
    let at = start + column.map(char::len_utf8).sum::<usize>();
    at..at
}

fn explain(source: &Source, offset: usize, error: &Error) -> Diagnostic {
    let error = error.without_snippet();
    let text = &source.text()[offset..];
    let range = error.location().map_or(0..0, |location| located(text, location));
    let place = source.place(range.start + offset..range.end + offset);
    match error {
        Error::SerdeUnknownField { field, expected, .. } => {
            Diagnostic::new(code::UNKNOWN_KEY, place, format!("la clave «{field}» no existe aquí"))
                .hint(did_you_mean(field, expected.iter().copied()))
        }
        Error::SerdeUnknownVariant { variant, expected, .. } => {
            Diagnostic::new(code::YAML, place, format!("«{variant}» no es un valor admitido"))
                .hint(did_you_mean(variant, expected.iter().copied()))
        }
        Error::SerdeMissingField { field, .. } => {
            Diagnostic::new(code::YAML, place, format!("falta la clave «{field}»"))
        }
        Error::DuplicateMappingKey { .. } => {
            Diagnostic::new(code::DUPLICATE_NAME, place, "la misma clave aparece dos veces")
        }
        Error::SerdeInvalidType { unexpected, expected, .. }
        | Error::SerdeInvalidValue { unexpected, expected, .. } => {
            Diagnostic::new(code::YAML, place, "el valor no es del tipo esperado")
                .note(format!("esperado: {}", kind(expected)))
                .note(format!("encontrado: {}", kind(unexpected)))
        }
        other => {
            let text = other.render();
            let detail = text.lines().next().unwrap_or_default();
            // The place is shown anyway.
            let detail = detail.split(" at line ").next().unwrap_or(detail);
            // Ours are in Spanish already.
            if detail.starts_with("se esperaba ") {
                return Diagnostic::new(code::YAML, place, detail);
            }
            match spanish(detail) {
                Some(message) => Diagnostic::new(code::YAML, place, message),
                None => Diagnostic::new(code::YAML, place, "el YAML no se puede leer")
                    .note(format!("el lector de YAML dice: {detail}")),
            }
        }
    }
}

/// A type of serde's in Spanish; a value goes with it as it is.
fn kind(name: &str) -> String {
    const KNOWN: &[(&str, &str)] = &[
        ("a string", "un texto"),
        ("string", "el texto"),
        ("a boolean", "true o false"),
        ("boolean", "el valor lógico"),
        ("integer", "el número"),
        ("floating point", "el número"),
        ("usize", "un número entero desde 0"),
        ("u32", "un número entero desde 0"),
        ("f64", "un número"),
        ("sequence", "una lista"),
        ("a sequence", "una lista"),
        ("map", "un grupo de claves y valores"),
        ("struct", "un grupo de claves y valores"),
        ("unit value", "nada"),
    ];
    let of = |(english, spanish): &(&str, &str)| {
        let rest = name.strip_prefix(english)?;
        (rest.is_empty() || rest.starts_with(' ')).then(|| format!("{spanish}{rest}"))
    };
    KNOWN.iter().find_map(of).unwrap_or_else(|| name.to_owned())
}

/// The commonest complaints of the parser.
fn spanish(detail: &str) -> Option<&'static str> {
    const KNOWN: &[(&str, &str)] = &[
        ("expected sequence start", "se esperaba una lista: [uno, dos]"),
        ("expected mapping start", "se esperaba un grupo de claves y valores"),
        ("externally tagged enum expected scalar or mapping", "se esperaba una palabra"),
        ("expected string scalar", "se esperaba un texto"),
        ("expected scalar", "se esperaba un valor, no una lista ni un grupo de claves"),
        ("unexpected end of input", "el YAML está vacío o termina antes de tiempo"),
        ("illegal placement of ':' indicator", "hay «:» donde no puede ir"),
        ("invalid indentation", "la sangría no concuerda con la de las líneas anteriores"),
        ("mapping values are not allowed", "hay «:» donde no puede ir"),
        ("simple key expected ':'", "falta «:» después de la clave"),
        ("unclosed bracket", "falta cerrar un corchete o una llave"),
        ("while parsing a quoted scalar", "falta cerrar unas comillas"),
        ("invalid type: ", "el valor no es del tipo esperado"),
        ("invalid u", "se esperaba un número entero desde 0"),
        ("invalid i", "se esperaba un número entero"),
        ("invalid f", "se esperaba un número"),
        ("invalid bool", "se esperaba true o false"),
        ("cannot deserialize null", "falta el valor de la clave"),
        ("invalid length", "la lista no tiene los elementos que se esperan"),
        ("invalid trailing content after", "sobra texto después de las comillas"),
        ("unclosed quote", "falta cerrar unas comillas"),
        ("tabs disallowed", "hay un tabulador en la sangría: use espacios"),
        ("indentation error", "la sangría no concuerda con la de las líneas anteriores"),
        ("incorrect indentation", "la sangría no concuerda con la de las líneas anteriores"),
        ("while parsing node, found unknown anchor", "no existe el ancla de «*»"),
        ("cyclic alias", "un alias se contiene a sí mismo"),
        ("only single YAML document expected", "hay más de un documento: sobra «---»"),
        ("duplicate key", "la misma clave aparece dos veces"),
        ("wrong number of digits", "una secuencia «\\» está mal escrita"),
        ("data did not match any variant", "el valor no tiene ninguna de las formas admitidas"),
    ];
    KNOWN.iter().find(|(known, _)| detail.starts_with(known)).map(|(_, message)| *message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Declaration {
        titulo: Located<String>,
        #[serde(default)]
        limite: Option<usize>,
    }

    fn fault(text: &str) -> Diagnostic {
        parse::<Declaration>(&Source::new("tablas.yaml", text)).unwrap_err()
    }

    #[test]
    fn a_located_value_knows_its_bytes() {
        let source = Source::new("tablas.yaml", "# ñ\ntitulo: Años raros\n");
        let parsed: Declaration = parse(&source).unwrap();
        assert_eq!(&source.text()[parsed.titulo.range.clone()], "Años raros");
        assert_eq!(parsed.limite, None);
    }

    #[test]
    fn entries_keep_the_order_of_declaration() {
        let source = Source::new("t.yaml", "zeta: 1\nalfa: 2\n");
        let entries: Entries<u8> = parse(&source).unwrap();
        assert_eq!(entries.keys().collect::<Vec<_>>(), ["zeta", "alfa"]);
        let (key, _) = &entries.iter().as_slice()[1];
        assert_eq!(key.place(&source).order().1, 2);
        assert!(parse::<Entries<u8>>(&Source::new("t.yaml", "a: 1\na: 2\n")).is_err());
        assert!(parse::<Entries<u8>>(&Source::new("t.yaml", "")).unwrap().is_empty());
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let found = fault("titulo: a\nlimit: 3\n");
        assert_eq!(found.code, code::UNKNOWN_KEY);
        assert_eq!(found.hint.as_deref(), Some("¿quiso decir «limite»?"));
        assert_eq!(found.place.order().1, 2);
    }

    #[test]
    fn a_wrong_type_and_broken_yaml_are_located() {
        assert_eq!(fault("titulo: a\nlimite: muchos\n").place.order().1, 2);
        let broken = fault("titulo: a\nlimite: [1\n# ñ\n");
        assert_eq!((broken.code, broken.place.order().1), (code::YAML, 2));
        assert!(fault("limite: 3\n").message.contains("titulo"));
    }

    #[test]
    fn short_words_are_names_and_not_truth_values() {
        let source = Source::new("t.yaml", "titulo: n\n");
        assert_eq!(parse::<Declaration>(&source).unwrap().titulo.value, "n");
    }

    #[test]
    fn a_part_of_a_file_reports_lines_of_the_whole() {
        let source = Source::new("index.md", "---\ntitulo: a\nlimte: 3\n---\n");
        let found = parse_within::<Declaration>(&source, 4..23).unwrap_err();
        assert_eq!(found.place.order().1, 3);
    }
}
