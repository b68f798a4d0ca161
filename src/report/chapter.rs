//! A chapter as it stands on disk: source, front matter, directives and the YAML
//! files beside it.

use super::citations::{self, Bibliography, Form};
use super::declared::{Declared, FigureDeclaration, TableDeclaration};
use super::directives::{Argument, Directive, Keyword, Piece, scan_chapter};
use super::front_matter::{self, FrontMatter};
use crate::diagnostics::{Diagnostic, Diagnostics, Place, Source, code, did_you_mean};
use crate::study::declarations::Declarations;
use crate::study::expression::Fault;
use crate::study::{Plan, fault_diagnostic, narrowed};
use crate::yaml::{self, Located};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A chapter read from disk.
#[derive(Debug, Clone)]
pub struct Chapter {
    /// Its folder under the book's source folder, with `/`.
    pub slug: String,
    /// Its folder on disk.
    pub folder: PathBuf,
    /// `index.md`.
    pub source: Source,
    /// Its front matter.
    pub front: FrontMatter,
    /// Its body: text, directives and citations.
    pub pieces: Vec<Piece>,
    /// `referencias.bib` or `referencias.yaml`.
    pub bibliography: Option<Bibliography>,
    /// `tablas.yaml`.
    pub tables: Declared<TableDeclaration>,
    /// `figuras.yaml`.
    pub figures: Declared<FigureDeclaration>,
    /// `valores.yaml`.
    pub declarations: Declarations,
    /// The file of the declarations.
    pub declarations_source: Option<Source>,
}

impl Chapter {
    /// Reads the chapter at `path`; messages name files relative to `root`.
    ///
    /// Faults that leave the rest readable are pushed to `found`.
    pub fn read(root: &Path, slug: &str, path: &Path, found: &mut Diagnostics) -> Option<Self> {
        let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_path_buf();
        let folder = path.parent().unwrap_or(root).to_path_buf();
        let file = |name: &str| (folder.join(name), shown(&folder.join(name)));
        let source = found.check(Source::read(path, shown(path)))?;
        let split = found.check(front_matter::split(&source));
        let (at, name) = file("tablas.yaml");
        let tables = found.check(Declared::read(&at, &name)).unwrap_or_default();
        let (at, name) = file("figuras.yaml");
        let figures = found.check(Declared::read(&at, &name)).unwrap_or_default();
        let (at, name) = file("valores.yaml");
        let declared = found.check(read_declarations(&at, &name)).unwrap_or_default();
        let bibliography = found.check_all(Bibliography::read(&folder, &shown(&folder)));
        let (front, body) = split?;
        for fault in front.analisis.faults() {
            let place = front.analisis.place(&source);
            found.push(Diagnostic::new(code::CONFIG, place, fault));
        }
        let (mut pieces, faults) = scan_chapter(&source, body);
        found.extend(faults);
        if let Some(bibliography) = &bibliography {
            // One that cannot be read is reported once, not at every citation.
            pieces = citations::check(pieces, &source, bibliography.as_ref(), found);
        }
        Some(Self {
            slug: slug.to_owned(),
            folder,
            source,
            front,
            pieces,
            bibliography: bibliography.flatten(),
            tables,
            figures,
            declarations: declared.0,
            declarations_source: declared.1,
        })
    }

    /// The directives of the body, in order.
    pub fn directives(&self) -> impl Iterator<Item = &Directive> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Directive(directive) => Some(directive),
            Piece::Text(_) | Piece::Citation(_) => None,
        })
    }

    /// Adds to the plan everything that the chapter evaluates, reporting what it
    /// names and does not exist.
    pub fn plan(&self, plan: &mut Plan, found: &mut Diagnostics) {
        for directive in self.directives() {
            match directive.keyword {
                Keyword::Valor | Keyword::Afirma | Keyword::Si | Keyword::Elige => {
                    let argument = &directive.argument;
                    let range = argument.range.clone();
                    check(plan.expression(&argument.text), &self.source, range, found);
                }
                Keyword::Tabla => {
                    if let Some(table) = self.table(&directive.argument, found) {
                        self.plan_table(table, plan, found);
                    }
                }
                Keyword::Figura => {
                    if let Some(figure) = self.figure(&directive.argument, found) {
                        self.plan_figure(figure, plan, found);
                    }
                }
                Keyword::Ref | Keyword::SiNo | Keyword::Fin | Keyword::Codigo => {}
            }
        }
        for text in
            [Some(&self.front.titulo), self.front.descripcion.as_ref()].into_iter().flatten()
        {
            plan_text(text, &self.source, plan, found);
        }
    }

    /// The declaration of the table that a directive names.
    pub fn table(&self, name: &Argument, found: &mut Diagnostics) -> Option<&TableDeclaration> {
        let declared = self.tables.entries.get(&name.text);
        if declared.is_none() {
            let names = self.tables.entries.keys();
            let what = ("la tabla", "tablas.yaml");
            found.push(self.undeclared(code::UNKNOWN_TABLE, what, name, names));
        }
        declared
    }

    /// The declaration of the figure that a directive names.
    pub fn figure(&self, name: &Argument, found: &mut Diagnostics) -> Option<&FigureDeclaration> {
        let declared = self.figures.entries.get(&name.text);
        if declared.is_none() {
            let names = self.figures.entries.keys();
            let what = ("la figura", "figuras.yaml");
            found.push(self.undeclared(code::UNKNOWN_FIGURE, what, name, names));
        }
        declared
    }

    fn undeclared<'a>(
        &self,
        kind: crate::diagnostics::Code,
        (what, file): (&str, &str),
        name: &Argument,
        names: impl Iterator<Item = &'a str> + Clone,
    ) -> Diagnostic {
        let message = format!("{what} «{}» no está declarada en {file}", name.text);
        Diagnostic::new(kind, self.source.place(name.range.clone()), message)
            .hint(did_you_mean(&name.text, names))
    }

    fn plan_table(&self, table: &TableDeclaration, plan: &mut Plan, found: &mut Diagnostics) {
        let Some(source) = &self.tables.source else { return };
        if !known_frame(&table.marco, source, plan, found) {
            return;
        }
        let mut row = |text: &Located<String>, found: &mut Diagnostics| {
            let expression = text.strip_prefix('-').unwrap_or(text);
            let planned = plan.row_expression(&table.marco, expression);
            check(planned, source, text.range.clone(), found);
        };
        table.filtro.iter().for_each(|text| row(text, found));
        table.orden.iter().for_each(|text| row(text, found));
        table.columnas.iter().for_each(|column| row(&column.valor, found));
        if let Some(cross) = &table.cruce {
            row(&cross.filas, found);
            row(&cross.columnas, found);
        }
        let titles = table.columnas.iter().map(|column| &column.titulo);
        let titles = titles.chain(table.cruce.iter().map(|cross| &cross.titulo));
        for text in titles.chain([&table.titulo]).chain(&table.nota) {
            plan_text(text, source, plan, found);
        }
    }

    fn plan_figure(&self, figure: &FigureDeclaration, plan: &mut Plan, found: &mut Diagnostics) {
        let Some(source) = &self.figures.source else { return };
        for layer in &figure.capas {
            let Some(frame) = &layer.marco else {
                for text in [&layer.x, &layer.y].into_iter().flatten() {
                    check(plan.expression(text), source, text.range.clone(), found);
                }
                layer.etiqueta.iter().for_each(|text| plan_text(text, source, plan, found));
                continue;
            };
            if !known_frame(frame, source, plan, found) {
                continue;
            }
            let texts = [
                &layer.filtro,
                &layer.x,
                &layer.y,
                &layer.desde,
                &layer.hasta,
                &layer.color,
                &layer.etiqueta,
                &figure.paneles,
            ];
            for text in texts.into_iter().flatten() {
                check(plan.row_expression(frame, text), source, text.range.clone(), found);
            }
        }
        let bounds = [&figure.x.desde, &figure.x.hasta, &figure.y.desde, &figure.y.hasta];
        for bound in bounds.into_iter().flatten() {
            check(plan.expression(&bound.expression()), source, bound.range.clone(), found);
        }
        let texts = [&figure.titulo, &figure.x.titulo, &figure.y.titulo];
        for text in texts.into_iter().chain(&figure.descripcion).chain(&figure.nota) {
            plan_text(text, source, plan, found);
        }
    }
}

fn read_declarations(
    path: &Path,
    shown: &Path,
) -> Result<(Declarations, Option<Source>), Diagnostic> {
    if !path.exists() {
        return Ok(Default::default());
    }
    let source = Source::read(path, shown)?;
    Ok((yaml::parse(&source)?, Some(source)))
}

fn known_frame(
    frame: &Located<String>,
    source: &Source,
    plan: &Plan,
    found: &mut Diagnostics,
) -> bool {
    let known = plan.knows_frame(frame);
    if !known {
        let names = plan.frame_names();
        let message = format!("no existe el marco «{}»", frame.value);
        let hint = did_you_mean(frame, names.iter().map(String::as_str));
        found.push(Diagnostic::new(code::UNKNOWN_VALUE, frame.place(source), message).hint(hint));
    }
    known
}

/// Plans the directives inside a text of a YAML file.
fn plan_text(text: &Located<String>, source: &Source, plan: &mut Plan, found: &mut Diagnostics) {
    let (pieces, faults) = text_pieces(text, source);
    found.extend(faults);
    for (_, piece) in pieces {
        if let Piece::Directive(directive) = piece
            && matches!(directive.keyword, Keyword::Valor | Keyword::Elige)
        {
            check(plan.expression(&directive.argument.text), source, text.range.clone(), found);
        }
    }
}

/// The directives and texts of a YAML text. Their ranges are within the text, not
/// within the file, since YAML may have unescaped it: faults are shown at the
/// whole text.
pub fn text_pieces(text: &Located<String>, source: &Source) -> (Vec<(String, Piece)>, Diagnostics) {
    let inner = Source::new(source.path(), text.value.clone());
    let (pieces, faults) = scan_chapter(&inner, 0..inner.text().len());
    let shown = |piece: Piece| match piece {
        // An `@name` in these texts is only that.
        Piece::Citation(cite) if cite.form == Form::Narrative => {
            (inner.text()[cite.range.clone()].to_owned(), Piece::Text(cite.range))
        }
        Piece::Text(range) => (inner.text()[range.clone()].to_owned(), Piece::Text(range)),
        piece => (String::new(), piece),
    };
    let relocate = |mut fault: Diagnostic| {
        fault.place = text.place(source);
        fault
    };
    (pieces.into_iter().map(shown).collect(), faults.into_iter().map(relocate).collect())
}

fn check(
    planned: Result<(), Fault>,
    source: &Source,
    range: Range<usize>,
    found: &mut Diagnostics,
) {
    if let Err(fault) = planned {
        found.push(fault_at(&fault, source, range));
    }
}

/// A fault of an expression that stands at `range` of `source`.
pub fn fault_at(fault: &Fault, source: &Source, range: Range<usize>) -> Diagnostic {
    let place: Place = source.place(narrowed(range, fault));
    fault_diagnostic(fault, place)
}
