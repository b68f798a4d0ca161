//! APA 7 (American Psychological Association, 2020) in Spanish, written by
//! hayagriva with the CSL style and the locale of its archive.
//!
//! What the style cannot say in Spanish is mended where it stands: between names
//! «y» (or «e») instead of "&" and no comma before it, and in dates the day before
//! the month. CSL also has no words around a work of a citation nor works without
//! their author inside a group: these are put in where the style has marked each
//! work.

use super::{Bibliography, Cite, CitedWork, Form};
use crate::data::{Cache, digest};
use crate::report::document::{BibliographyEntry, Inline, Target};
use hayagriva::archive::{ArchivedStyle, locales};
use hayagriva::citationberg::taxonomy::{OtherTerm, Term};
use hayagriva::citationberg::{FontStyle, IndependentStyle, Locale, LocaleCode, Style};
use hayagriva::{
    BibliographyDriver, BibliographyRequest, CitationItem, CitationRequest, CitePurpose, Elem,
    ElemChild, ElemChildren, ElemMeta, LocatorPayload, SpecificLocator,
};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

const LANGUAGE: &str = "es-ES";

/// The style, and the locales that it may ask for.
static APA: LazyLock<(IndependentStyle, Vec<Locale>)> = LazyLock::new(|| {
    let Style::Independent(style) = ArchivedStyle::AmericanPsychologicalAssociation.get() else {
        unreachable!("APA is an independent style")
    };
    let wanted = |locale: &Locale| {
        locale.lang.as_ref().is_some_and(|lang| [LANGUAGE, "en-US"].contains(&lang.0.as_str()))
    };
    let mut locales: Vec<Locale> = locales().into_iter().filter(wanted).collect();
    // Its hyphen between pages is not what APA asks for; without it CSL has a dash.
    let terms = locales.iter_mut().filter_map(|locale| locale.terms.as_mut());
    let hyphen = Term::Other(OtherTerm::PageRangeDelimiter);
    terms.for_each(|terms| terms.terms.retain(|term| term.name != hyphen));
    (style, locales)
});

/// A chapter's citations and its list of references.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Formatted {
    /// One for each citation, in order.
    pub citations: Vec<Vec<Inline>>,
    /// The works cited, in alphabetical order.
    pub entries: Vec<BibliographyEntry>,
}

/// Writes the citations of a chapter, in order of appearance. Works that the
/// bibliography has not are shown by their key: they were reported.
///
/// The style takes longer than all the rest of a chapter whose results are kept, so
/// what it wrote is kept as well.
pub fn format(cites: &[&Cite], bibliography: Option<&Bibliography>, cache: &Cache) -> Formatted {
    let Some(bibliography) = bibliography.filter(|_| !cites.is_empty()) else {
        let citations = cites.iter().map(|cite| unknown(cite)).collect();
        return Formatted { citations, entries: vec![] };
    };
    let key = key(cites, bibliography);
    let kept = cache.get(&key).and_then(|bytes| serde_json::from_slice(&bytes).ok());
    kept.unwrap_or_else(|| {
        let formatted = in_style(cites, bibliography);
        cache.put(&key, &serde_json::to_vec(&formatted).unwrap_or_default());
        formatted
    })
}

/// Digest of the bibliography and of everything that each citation says, wherever
/// it stands.
fn key(cites: &[&Cite], bibliography: &Bibliography) -> String {
    let mut said = String::from("citations\n");
    for Cite { range: _, form, works } in cites {
        said += &format!("{form:?}\n");
        for CitedWork { key, prefix, locator, suffix, without_author } in works {
            let key = &key.text;
            said += &format!("{:?}\n", (key, prefix, locator, suffix, without_author));
        }
    }
    digest::of_parts([said.as_bytes(), bibliography.source.text().as_bytes()])
}

fn in_style(cites: &[&Cite], bibliography: &Bibliography) -> Formatted {
    let (style, locales) = &*APA;
    let language = LocaleCode(LANGUAGE.to_owned());
    let known = |cite: &Cite| cite.works.iter().all(|work| bibliography.has(&work.key.text));
    let mut driver = BibliographyDriver::new();
    for cite in cites.iter().filter(|cite| known(cite)) {
        let items = cite.works.iter().filter_map(|work| item(cite, work, bibliography));
        driver.citation(CitationRequest::new(
            items.collect(),
            style,
            Some(language.clone()),
            locales,
            None,
        ));
    }
    let rendered = driver.finish(BibliographyRequest::new(style, Some(language), locales));
    let mut citations = rendered.citations.iter();
    let written = cites.iter().map(|cite| match known(cite) {
        true => citations.next().map(|one| citation(cite, &one.citation)).unwrap_or_default(),
        false => unknown(cite),
    });
    let written = written.collect();
    let items = rendered.bibliography.into_iter().flat_map(|list| list.items);
    let entries = items
        .map(|item| BibliographyEntry { parts: tidy(flatten(&item.content, None)), key: item.key });
    Formatted { citations: written, entries: entries.collect() }
}

fn item<'a>(
    cite: &Cite,
    work: &'a CitedWork,
    bibliography: &'a Bibliography,
) -> Option<CitationItem<'a, hayagriva::Entry>> {
    let locator = work.locator.as_ref();
    let locator = locator.map(|(kind, text)| SpecificLocator(*kind, LocatorPayload::Str(text)));
    let item = CitationItem::with_locator(bibliography.entry(&work.key.text)?, locator);
    Some(match cite.form == Form::Narrative || work.without_author {
        true => item.kind(CitePurpose::Prose),
        false => item,
    })
}

/// A citation of a work that is not there: its keys, as the author wrote them.
fn unknown(cite: &Cite) -> Vec<Inline> {
    let keys: Vec<String> = cite.works.iter().map(|work| format!("@{}", work.key.text)).collect();
    vec![Inline { text: format!("[{}]", keys.join("; ")), ..Inline::default() }]
}

/// A citation as the style wrote it, with its links and the words around each work.
fn citation(cite: &Cite, rendered: &ElemChildren) -> Vec<Inline> {
    let mut parts = vec![];
    for child in &rendered.0 {
        let work = match child {
            ElemChild::Elem(Elem { meta: Some(ElemMeta::Entry(index)), .. }) => {
                cite.works.get(*index)
            }
            _ => None,
        };
        let Some(work) = work else {
            parts.extend(flatten(&ElemChildren(vec![child.clone()]), None));
            continue;
        };
        let target = Target::Entry(work.key.text.clone());
        let mut own = flatten(&ElemChildren(vec![child.clone()]), Some(&target));
        if work.without_author {
            own = without_author(own);
        }
        if !work.prefix.is_empty() {
            parts.push(plain(format!("{} ", work.prefix)));
        }
        parts.append(&mut own);
        parts.push(plain(work.suffix.clone()));
    }
    // The style leaves out the brackets as soon as one work lacks its author.
    if cite.form == Form::Bracketed && cite.works.iter().any(|work| work.without_author) {
        parts.insert(0, plain("(".to_owned()));
        parts.push(plain(")".to_owned()));
    }
    merge(parts)
}

/// "Chalmers (2012, p. 3)" without its author nor the brackets: "2012, p. 3".
fn without_author(parts: Vec<Inline>) -> Vec<Inline> {
    let target = parts.first().and_then(|part| part.target.clone());
    let text: String = parts.iter().map(|part| part.text.as_str()).collect();
    let inner = text.rsplit_once(" (").map_or(text.as_str(), |(_, inner)| inner);
    let inner = inner.strip_suffix(')').unwrap_or(inner).to_owned();
    vec![Inline { text: inner, italic: false, target }]
}

fn plain(text: String) -> Inline {
    Inline { text, ..Inline::default() }
}

/// A tree of the style as a row of stretches.
fn flatten(children: &ElemChildren, target: Option<&Target>) -> Vec<Inline> {
    let mut parts = vec![];
    push(children, target, false, &mut parts);
    merge(parts)
}

fn push(children: &ElemChildren, target: Option<&Target>, names: bool, parts: &mut Vec<Inline>) {
    for (at, child) in children.0.iter().enumerate() {
        match child {
            ElemChild::Text(text) => {
                let own = match names {
                    true => conjunction(&text.text, children.0.get(at + 1)),
                    false => text.text.clone(),
                };
                let italic = text.formatting.font_style == FontStyle::Italic;
                parts.push(Inline { text: own, italic, target: target.cloned() });
            }
            ElemChild::Elem(elem) if elem.meta == Some(ElemMeta::Date) => {
                let mut own = flatten(&elem.children, target);
                own.iter_mut().for_each(|part| part.text = day_first(&part.text));
                parts.append(&mut own);
            }
            ElemChild::Elem(elem) => {
                let names = matches!(elem.meta, Some(ElemMeta::Names(_)));
                push(&elem.children, target, names, parts);
            }
            ElemChild::Markup(text) => {
                parts.push(Inline { text: text.clone(), italic: false, target: target.cloned() });
            }
            ElemChild::Link { text, url } => {
                let italic = text.formatting.font_style == FontStyle::Italic;
                let target = Some(Target::Address(url.clone()));
                parts.push(Inline { text: text.text.clone(), italic, target });
            }
            ElemChild::Transparent { .. } => {}
        }
    }
}

/// What stands between two names: "&" is «y», or «e» before the sound of an i.
fn conjunction(text: &str, next: Option<&ElemChild>) -> String {
    let name = match next {
        Some(ElemChild::Elem(elem)) => {
            flatten(&elem.children, None).into_iter().map(|part| part.text).collect()
        }
        _ => String::new(),
    };
    let name = name.to_lowercase();
    let sounds_i = (name.starts_with(['i', 'í']) || name.starts_with("hi"))
        && !["io", "ia", "ie", "hie", "hia"].iter().any(|diphthong| name.starts_with(diphthong));
    let and = if sounds_i { "e" } else { "y" };
    text.replace(", &", " &").replace('&', and)
}

/// A date of the style, "2024, agosto 13", as Spanish has it: "2024, 13 de agosto".
fn day_first(text: &str) -> String {
    let day_last = || {
        let (rest, day) = text.rsplit_once(' ')?;
        let (before, month) = rest.rsplit_once(' ').unwrap_or(("", rest));
        let is_day = (1..=2).contains(&day.len()) && day.bytes().all(|b| b.is_ascii_digit());
        let is_month = !month.is_empty() && month.chars().all(char::is_alphabetic);
        let before = if before.is_empty() { String::new() } else { format!("{before} ") };
        (is_day && is_month).then(|| format!("{before}{day} de {month}"))
    };
    day_last().unwrap_or_else(|| text.to_owned())
}

/// Mends what hayagriva leaves in some references: a comma after a year without a
/// month, a full stop after a question, and the title of a collection said twice.
fn tidy(parts: Vec<Inline>) -> Vec<Inline> {
    let mut out: Vec<Inline> = vec![];
    for mut part in parts {
        let asked = out.last().is_some_and(|last| last.text.ends_with(['?', '!']));
        if asked && let Some(rest) = part.text.strip_prefix('.') {
            part.text = rest.to_owned();
        }
        part.text = part.text.replace(",)", ")").replace("?. ", "? ").replace("!. ", "! ");
        if let Some(half) = twice(&part.text).filter(|_| part.italic) {
            part.text.truncate(half);
        }
        out.push(part);
    }
    merge(out)
}

/// Where the first half of "A: A" ends.
fn twice(text: &str) -> Option<usize> {
    let half = text.len().checked_sub(2)? / 2;
    let (first, rest) = text.split_at_checked(half)?;
    (rest.strip_prefix(": ")? == first).then_some(half)
}

/// Joins neighbours that differ in nothing but their text.
fn merge(parts: Vec<Inline>) -> Vec<Inline> {
    let mut out: Vec<Inline> = vec![];
    for part in parts {
        match out.last_mut() {
            _ if part.text.is_empty() => {}
            Some(last) if last.italic == part.italic && last.target == part.target => {
                last.text += &part.text;
            }
            _ => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Source;
    use crate::report::directives::scan_chapter;

    const BIB: &str = r#"
@article{chalmers2012, author={Chalmers, R. Philip}, year={2012}, title={{mirt}: A multidimensional item response theory package for the {R} environment}, journal={Journal of Statistical Software}, volume={48}, number={6}, pages={1--29}, doi={10.18637/jss.v048.i06}}
@article{yen1984, author={Yen, Wendy M.}, year={1984}, title={Effects of local item dependence on the fit and equating performance of the three-parameter logistic model}, journal={Applied Psychological Measurement}, volume={8}, number={2}, pages={125--145}}
@article{bock1970, author={Bock, R. Darrell and Lieberman, Marcus}, year={1970}, title={Fitting a response model for n dichotomously scored items}, journal={Psychometrika}, volume={35}, pages={179--197}}
@article{drasgow1985, author={Drasgow, Fritz and Levine, Michael V. and Ibáñez, Esther A.}, year={1985}, title={Appropriateness}, journal={Revista}}
@book{rasch1960, author={Rasch, Georg}, year={1960}, title={Probabilistic models for some intelligence and attainment tests}, publisher={Danish Institute for Educational Research}}
@book{aera2014, author={{American Educational Research Association} and {American Psychological Association} and {National Council on Measurement in Education}}, year={2014}, title={Standards for educational and psychological testing}, publisher={American Educational Research Association}}
@incollection{birnbaum1968, author={Birnbaum, Allan}, year={1968}, title={Some latent trait models}, booktitle={Statistical theories of mental test scores}, editor={Lord, Frederic M. and Novick, Melvin R.}, pages={397--479}, publisher={Addison-Wesley}}
@inproceedings{jimenez2024, author={Jimenez, Carlos E. and Yang, John}, year={2024}, title={{SWE-bench}: Can language models resolve real-world {GitHub} issues?}, booktitle={The Twelfth International Conference on Learning Representations}}
@online{openai2024, author={{OpenAI}}, date={2024-08-13}, title={Introducing {SWE-bench} {Verified}}, url={https://openai.com/index/introducing-swe-bench-verified/}}
"#;

    fn written(text: &str) -> (Vec<String>, Vec<String>) {
        let formatted = formatted(text);
        let text = |parts: &[Inline]| parts.iter().map(|part| part.text.as_str()).collect();
        let citations = formatted.citations.iter().map(|one| text(one)).collect();
        (citations, formatted.entries.iter().map(|one| text(&one.parts)).collect())
    }

    fn formatted(text: &str) -> Formatted {
        remembering(text, BIB, &Cache::none())
    }

    fn remembering(text: &str, bibliography: &str, cache: &Cache) -> Formatted {
        let source = Source::new("a.md", text);
        let bibliography = Bibliography::from_bibtex(Source::new("r.bib", bibliography)).unwrap();
        let (pieces, _) = scan_chapter(&source, 0..source.text().len());
        let cites: Vec<&Cite> = pieces.iter().filter_map(|piece| piece.cite()).collect();
        format(&cites, Some(&bibliography), cache)
    }

    #[test]
    fn citations_are_apa_in_spanish() {
        let (citations, _) = written(
            "[@yen1984, p. 127; @chalmers2012] @chalmers2012 [-@chalmers2012] [@bock1970] \
             @drasgow1985 [véase @bock1970, pp. 3-5, y otros] [-@yen1984, p. 3] @bock1970 [p. 2] \
             [@chalmers2012, cap. 2; -@yen1984] [@aera2014]",
        );
        assert_eq!(
            citations,
            [
                "(Chalmers, 2012; Yen, 1984, p. 127)",
                "Chalmers (2012)",
                "(2012)",
                "(Bock y Lieberman, 1970)",
                "Drasgow et\u{a0}al. (1985)",
                "(véase Bock y Lieberman, 1970, pp. 3–5, y otros)",
                "(1984, p. 3)",
                "Bock y Lieberman (1970, p. 2)",
                "(Chalmers, 2012, Capítulo 2; 1984)",
                "(American Educational Research Association et\u{a0}al., 2014)",
            ]
        );
    }

    #[test]
    fn the_list_of_references_is_apa_in_spanish() {
        let (_, entries) = written(
            "@yen1984 @chalmers2012 @bock1970 @drasgow1985 @rasch1960 @aera2014 @openai2024 \
             @birnbaum1968 @jimenez2024",
        );
        assert_eq!(
            entries,
            [
                "American Educational Research Association, American Psychological Association y National Council on Measurement in Education. (2014). Standards for educational and psychological testing. American Educational Research Association.",
                "Birnbaum, A. (1968). Some latent trait models. En F. M. Lord y M. R. Novick (eds.), Statistical theories of mental test scores (pp. 397–479). Addison-Wesley.",
                "Bock, R. D. y Lieberman, M. (1970). Fitting a response model for n dichotomously scored items. Psychometrika, 35, 179–197.",
                "Chalmers, R. P. (2012). mirt: A multidimensional item response theory package for the R environment. Journal of Statistical Software, 48(6), 1–29. https://doi.org/10.18637/jss.v048.i06",
                "Drasgow, F., Levine, M. V. e Ibáñez, E. A. (1985). Appropriateness. Revista.",
                "Jimenez, C. E. y Yang, J. (2024). SWE-bench: Can language models resolve real-world GitHub issues? The Twelfth International Conference on Learning Representations.",
                "OpenAI. (2024, 13 de agosto). Introducing SWE-bench Verified. https://openai.com/index/introducing-swe-bench-verified/",
                "Rasch, G. (1960). Probabilistic models for some intelligence and attainment tests. Danish Institute for Educational Research.",
                "Yen, W. M. (1984). Effects of local item dependence on the fit and equating performance of the three-parameter logistic model. Applied Psychological Measurement, 8(2), 125–145.",
            ]
        );
    }

    #[test]
    fn each_work_leads_to_its_entry_and_titles_are_in_italics() {
        let formatted = formatted("[véase @yen1984; @chalmers2012]");
        let targets: Vec<_> =
            formatted.citations[0].iter().map(|part| part.target.is_some()).collect();
        assert_eq!(targets, [false, true, false, true, false]);
        let italic = |entry: &BibliographyEntry| {
            entry.parts.iter().filter(|part| part.italic).map(|part| part.text.clone()).collect()
        };
        let italics: Vec<String> = formatted.entries.iter().map(italic).collect();
        assert_eq!(italics[1], "Applied Psychological Measurement8");
    }

    #[test]
    fn what_is_remembered_is_what_would_be_written() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::of_book(root.path());
        let later = BIB.replace("1984", "1985");
        let written = |text, bibliography: &str| {
            let kept = remembering(text, bibliography, &cache);
            assert_eq!(kept, remembering(text, bibliography, &Cache::none()), "{text}");
            kept
        };
        let texts = ["@yen1984", "[@yen1984]", "[-@yen1984]", "[@yen1984, p. 3]", "[@yen1984, 3]"];
        let first: Vec<Formatted> = texts.iter().map(|text| written(text, BIB)).collect();
        for (text, first) in texts.iter().zip(first) {
            assert_eq!(written(text, BIB), first);
            assert_ne!(written(text, &later), first);
        }
    }
}
