//! Tables and figures as a chapter declares them in YAML.

use crate::chart::{Dash, Direction, Shape};
use crate::diagnostics::{Diagnostic, Diagnostics, Source, code};
use crate::yaml::{self, Entries, Located};
use serde::Deserialize;
use std::path::Path;

/// The declarations of one file, and the file.
#[derive(Debug, Clone)]
pub struct Declared<T> {
    /// The file; `None` when the chapter has none.
    pub source: Option<Source>,
    /// Name and declaration.
    pub entries: Entries<T>,
    /// Whether the file is there and cannot be read: what it declares is unknown.
    pub unreadable: bool,
}

impl<T> Default for Declared<T> {
    fn default() -> Self {
        Self { source: None, entries: Entries::default(), unreadable: false }
    }
}

impl<T: serde::de::DeserializeOwned> Declared<T> {
    /// Reads a file that may not exist.
    pub fn read(path: &Path, shown: &Path, found: &mut Diagnostics) -> Self {
        let read = Source::read_if_any(path, shown).and_then(|source| {
            let Some(source) = source else { return Ok(Self::default()) };
            let entries: Entries<T> = yaml::parse(&source)?;
            check_names(&entries, &source)?;
            Ok(Self { source: Some(source), entries, unreadable: false })
        });
        found.check(read).unwrap_or(Self { unreadable: true, ..Self::default() })
    }
}

/// Names become ids and file names.
fn check_names<T>(entries: &Entries<T>, source: &Source) -> Result<(), Diagnostic> {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let unfit = |name: &str| name.is_empty() || !name.chars().all(plain);
    let Some((name, _)) = entries.iter().find(|(name, _)| unfit(name)) else { return Ok(()) };
    let message = format!("«{}» no sirve de nombre", name.value);
    let hint = "use letras, cifras, guiones y guiones bajos".to_owned();
    Err(Diagnostic::new(code::YAML, name.place(source), message).hint(Some(hint)))
}

impl<T> Declared<T> {
    /// The declaration of a name, verbatim: from its key to the next key at the
    /// same depth.
    pub fn verbatim(&self, name: &str) -> String {
        let Some(source) = &self.source else { return String::new() };
        let keys: Vec<_> = self.entries.iter().map(|(key, _)| key).collect();
        let Some(at) = keys.iter().position(|key| key.value == name) else {
            return String::new();
        };
        let end = keys.get(at + 1).map_or(source.text().len(), |next| next.range.start);
        let text = &source.text()[keys[at].range.start..end];
        // Comments above the next declaration belong to it.
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let own = lines.iter().rposition(|line| !line.trim().is_empty() && !line.starts_with('#'));
        lines[..own.map_or(0, |last| last + 1)].join("\n")
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableDeclaration {
    /// Title; may hold directives.
    pub titulo: Located<String>,
    /// The frame whose rows it shows.
    pub marco: Located<String>,
    /// Keeps the rows that fulfil it.
    #[serde(default)]
    pub filtro: Option<Located<String>>,
    /// Keys of order; `-clave` reverses.
    #[serde(default)]
    pub orden: Vec<Located<String>>,
    /// The most rows.
    #[serde(default)]
    pub limite: Option<usize>,
    /// Columns, left to right.
    #[serde(default)]
    pub columnas: Vec<ColumnDeclaration>,
    /// Counts of two variables, instead of columns.
    #[serde(default)]
    pub cruce: Option<CrossDeclaration>,
    /// Note under the table; may hold directives.
    #[serde(default)]
    pub nota: Option<Located<String>>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnDeclaration {
    /// Header; may hold directives.
    pub titulo: Located<String>,
    /// Evaluated for each row.
    pub valor: Located<String>,
    /// `numero`, `porcentaje`, `p`, `fecha`, `mes`.
    #[serde(default)]
    pub formato: Option<Located<String>>,
    /// Decimals.
    #[serde(default)]
    pub decimales: Option<usize>,
    /// Significant digits.
    #[serde(default)]
    pub significativas: Option<usize>,
    /// After each number.
    #[serde(default)]
    pub sufijo: String,
    /// Whether its cells are identifiers.
    #[serde(default)]
    pub codigo: bool,
    /// What stands for a missing datum.
    #[serde(default = "dash")]
    pub vacio: String,
    /// Whether it is left out where no row has a datum.
    #[serde(default)]
    pub opcional: bool,
}

fn dash() -> String {
    "—".into()
}

/// A cross-tabulation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrossDeclaration {
    /// Variable of the rows.
    pub filas: Located<String>,
    /// Variable of the columns.
    pub columnas: Located<String>,
    /// Header of the first column; may hold directives.
    pub titulo: Located<String>,
    /// What stands for a missing value of either.
    #[serde(default = "no_datum")]
    pub ausente: String,
    /// Whether a last column and row have the totals.
    #[serde(default)]
    pub totales: bool,
}

fn no_datum() -> String {
    "sin dato".into()
}

/// A figure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureDeclaration {
    /// Title; may hold directives.
    pub titulo: Located<String>,
    /// What it shows, for who does not see it; may hold directives.
    #[serde(default)]
    pub descripcion: Option<Located<String>>,
    /// Note under the figure; may hold directives.
    #[serde(default)]
    pub nota: Option<Located<String>>,
    /// Width of the drawing.
    #[serde(default)]
    pub ancho: Option<u32>,
    /// Height of the drawing.
    #[serde(default)]
    pub alto: Option<u32>,
    /// Horizontal axis.
    pub x: AxisDeclaration,
    /// Vertical axis.
    pub y: AxisDeclaration,
    /// Variable of the panels, of the frame of each layer.
    #[serde(default)]
    pub paneles: Option<Located<String>>,
    /// Layers, from the back to the front.
    pub capas: Vec<Located<LayerDeclaration>>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AxisDeclaration {
    /// What it measures; may hold directives.
    pub titulo: Located<String>,
    /// How values become positions.
    #[serde(default)]
    pub escala: ScaleDeclaration,
    /// Least value shown: an expression.
    #[serde(default)]
    pub desde: Option<Located<Bound>>,
    /// Largest value shown: an expression.
    #[serde(default)]
    pub hasta: Option<Located<Bound>>,
    /// About how many ticks.
    #[serde(default)]
    pub marcas: Option<usize>,
}

/// A number, or an expression that gives one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "se esperaba un número o una expresión")]
pub enum Bound {
    /// A number.
    Number(f64),
    /// An expression.
    Expression(String),
}

impl Bound {
    /// The expression, whatever the form.
    pub fn expression(&self) -> String {
        match self {
            Self::Number(value) => value.to_string(),
            Self::Expression(text) => text.clone(),
        }
    }
}

/// How values become positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScaleDeclaration {
    /// Proportional to the value.
    #[default]
    Lineal,
    /// Proportional to the logarithm.
    Log,
    /// ISO dates.
    Fecha,
    /// Names, in order of appearance.
    Categorias,
}

/// Kinds of layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerKind {
    /// A mark per row.
    Puntos,
    /// A line through the rows.
    Linea,
    /// Counts in bins.
    Histograma,
    /// A stroke per row along an edge.
    Tapete,
    /// A line at one value.
    Referencia,
    /// A point with its interval.
    Intervalo,
    /// A ribbon between two curves.
    Banda,
    /// A bar per row.
    Barras,
    /// R's loess through the rows.
    Suavizado,
    /// Names beside the marks.
    Nombres,
}

/// A layer. Which keys it needs depends on its kind.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerDeclaration {
    /// Kind of layer.
    pub tipo: LayerKind,
    /// The frame whose rows it draws.
    #[serde(default)]
    pub marco: Option<Located<String>>,
    /// Keeps the rows that fulfil it.
    #[serde(default)]
    pub filtro: Option<Located<String>>,
    /// Horizontal value of each row, or of a vertical reference line.
    #[serde(default)]
    pub x: Option<Located<String>>,
    /// Vertical value of each row, or of a horizontal reference line.
    #[serde(default)]
    pub y: Option<Located<String>>,
    /// Lower end of an interval or band.
    #[serde(default)]
    pub desde: Option<Located<String>>,
    /// Upper end of an interval or band.
    #[serde(default)]
    pub hasta: Option<Located<String>>,
    /// Column whose categories give colour and shape.
    #[serde(default)]
    pub color: Option<Located<String>>,
    /// A series of its own, by name, with its looks.
    #[serde(default)]
    pub serie: Option<SeriesDeclaration>,
    /// Name of each mark, for its tooltip; words of a reference line, which may
    /// hold directives.
    #[serde(default)]
    pub etiqueta: Option<Located<String>>,
    /// Width of bins or bars.
    #[serde(default)]
    pub ancho: Option<f64>,
    /// An edge of the bins.
    #[serde(default)]
    pub inicio: Option<f64>,
    /// Whether a histogram hangs below the axis.
    #[serde(default)]
    pub invertido: bool,
    /// The axis that a rug or an interval goes along.
    #[serde(default)]
    pub eje: Option<Direction>,
    /// Stroke of a reference line.
    #[serde(default)]
    pub trazo: Option<Dash>,
    /// Radius of points.
    #[serde(default)]
    pub radio: Option<f64>,
    /// Span of a loess; R's 0.75 unless said.
    #[serde(default)]
    pub amplitud: Option<f64>,
}

/// A series that a layer declares for itself.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesDeclaration {
    /// Its name in the legend.
    pub nombre: String,
    /// `#rrggbb`.
    #[serde(default)]
    pub color: Option<String>,
    /// Its mark.
    #[serde(default)]
    pub forma: Option<Shape>,
    /// Its stroke.
    #[serde(default)]
    pub trazo: Option<Dash>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_is_quoted_verbatim_without_its_neighbours() {
        let text = "# Primera\nuno:\n  titulo: A\n  marco: reactivos\n\n# Segunda\ndos:\n  titulo: B\n  marco: examinados\n";
        let source = Source::new("tablas.yaml", text);
        let entries = yaml::parse(&source).unwrap();
        let declared: Declared<TableDeclaration> =
            Declared { source: Some(source), entries, unreadable: false };
        assert_eq!(declared.verbatim("uno"), "uno:\n  titulo: A\n  marco: reactivos");
        assert_eq!(declared.verbatim("dos"), "dos:\n  titulo: B\n  marco: examinados");
        assert_eq!(declared.verbatim("tres"), "");
    }
}
