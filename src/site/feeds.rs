//! What a site has for machines: Atom feed, map of the site, `robots.txt`,
//! `llms.txt`.

use super::build::{markdown_path, public_path};
use super::links::encode_percent;
use super::page::{Listed, SiteContext};
use super::templates::Templates;
use super::words::SPANISH;
use super::{Config, SiteFiles};
use crate::diagnostics::Diagnostics;
use minijinja::context;
use minijinja::value::{Serde, Value};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// What every template knows of the site.
pub(super) fn site_context(config: &Config) -> SiteContext {
    let (options, book) = (&config.site, &config.book);
    let (base, prefijo) = addresses(options.site_url.as_deref(), options.cname.as_deref());
    let from_root = |files: &[std::path::PathBuf]| {
        files.iter().map(|file| file.to_string_lossy().replace('\\', "/")).collect()
    };
    SiteContext {
        titulo: book.title.clone(),
        seccion: options.section.clone(),
        descripcion: book.description.clone(),
        autores: book.authors.clone(),
        idioma: book.language.clone(),
        direccion_texto: book.text_direction.clone(),
        base,
        prefijo,
        repositorio: options.repository_url.clone(),
        tema: match options.default_theme.as_deref() {
            Some("light" | "claro") => Some("claro"),
            Some("dark" | "oscuro" | "coal" | "navy" | "ayu") => Some("oscuro"),
            _ => None,
        },
        licencia: options.licence.clone(),
        canal: options.feed,
        busqueda: options.search,
        estilos: from_root(&options.additional_css),
        guiones: from_root(&options.additional_js),
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// The whole address of the site, when it is known, and its path on the server.
fn addresses(site_url: Option<&str>, cname: Option<&str>) -> (Option<String>, String) {
    let slash = |text: &str| format!("{}/", text.trim_end_matches('/'));
    let url = site_url.unwrap_or("/");
    if let Some((_, rest)) = url.split_once("://") {
        let path = rest.split_once('/').map_or("/".into(), |(_, path)| format!("/{path}"));
        return (Some(slash(url)), slash(&path));
    }
    let path = slash(&format!("/{}", url.trim_start_matches('/')));
    (cname.map(|name| format!("https://{name}{path}")), path)
}

#[derive(Serialize)]
struct Item<'a> {
    id: String,
    url: String,
    capitulo: &'a Listed,
}

/// Adds the feed, the map, `robots.txt`, `llms.txt` and `.nojekyll`.
pub(super) fn add(
    site: &SiteContext,
    templates: &Templates,
    listed: &[Listed],
    files: &mut SiteFiles,
    found: &mut Diagnostics,
) {
    let base = site.base.clone().unwrap_or_default();
    let items: Vec<Item<'_>> = listed
        .iter()
        .filter(|one| !one.borrador)
        .filter_map(|one| {
            let path = one.ruta.as_deref()?;
            // Without an address of its own the site cannot drop `index.html`.
            let address = if base.is_empty() { path.to_owned() } else { public_path(path) };
            let id = match &site.base {
                Some(base) => format!("{base}{address}"),
                None => name_uuid(&format!("{}\n{path}", site.titulo)),
            };
            Some(Item { id, url: format!("{base}{address}"), capitulo: one })
        })
        .collect();
    let mut render = |name: &str, items: &[&Item<'_>], files: &mut SiteFiles| {
        let latest = items.iter().filter_map(|item| item.capitulo.fecha.as_ref());
        let latest = latest.map(|day| day.iso.as_str()).max();
        let context = context! {
            sitio => Value::from(Serde(site)),
            entradas => Value::from(Serde(items)),
            id => site.base.clone().unwrap_or_else(|| name_uuid(&site.titulo)),
            actualizado => latest,
        };
        let text = templates.render(name, context, found);
        files.insert(name.into(), text.into_bytes());
    };
    // A feed's entries need a date; the map's addresses must be whole.
    let dated: Vec<_> = items.iter().filter(|item| item.capitulo.fecha.is_some()).collect();
    if site.canal && !dated.is_empty() {
        render("atom.xml", &dated, files);
    }
    files.insert("llms.txt".into(), llms(site, &items).into_bytes());
    let mut robots = "User-agent: *\nAllow: /\n".to_owned();
    if site.base.is_some() {
        render("sitemap.xml", &items.iter().collect::<Vec<_>>(), files);
        robots += &format!("Sitemap: {base}sitemap.xml\n");
    }
    files.insert("robots.txt".into(), robots.into_bytes());
    files.insert(".nojekyll".into(), vec![]);
}

/// `llms.txt` (llmstxt.org): the site in one page of Markdown, for language models.
fn llms(site: &SiteContext, items: &[Item<'_>]) -> String {
    let base = site.base.as_deref().unwrap_or_default();
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = format!("# {}\n\n", literal(&line(&site.titulo)));
    if let Some(description) = &site.descripcion {
        text += &format!("> {}\n\n", literal(&line(description)));
    }
    text += &format!("{}\n\n## {}\n\n", SPANISH.llms, SPANISH.partes);
    for item in items {
        let path = item.capitulo.ruta.as_deref().map(markdown_path).unwrap_or_default();
        let title = literal(&line(&item.capitulo.titulo));
        text += &format!("- [{title}]({base}{})", encode_percent(&path));
        let date = item.capitulo.fecha.as_ref().map(|day| format!(" ({})", day.texto));
        text += &date.unwrap_or_default();
        if item.capitulo.simulados {
            text += &format!(" ({})", SPANISH.datos_simulados.trim_end_matches('.').to_lowercase());
        }
        if let Some(description) = &item.capitulo.descripcion {
            text += &format!(": {}", literal(&line(description)));
        }
        text += "\n";
    }
    text + &format!(
        "\n## {}\n\n- [manifiesto.json]({base}manifiesto.json): {}\n",
        SPANISH.origen, SPANISH.manifiesto_texto
    )
}

/// Text without what Markdown would read in it.
fn literal(text: &str) -> String {
    let special = |c: char| "\\`*_[]<".contains(c);
    text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

/// A name as a UUID (version 8, RFC 9562): the start of its SHA-256.
fn name_uuid(name: &str) -> String {
    let mut bytes: [u8; 16] = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(name.as_bytes())[..16]);
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    format!("urn:uuid:{}", parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_the_site_comes_from_site_url_or_cname() {
        let of = |url, cname| addresses(url, cname);
        assert_eq!(of(None, None), (None, "/".into()));
        assert_eq!(of(Some("/repo/"), None), (None, "/repo/".into()));
        assert_eq!(
            of(Some("https://a.io/repo"), None),
            (Some("https://a.io/repo/".into()), "/repo/".into())
        );
        let expected = (Some("https://b.mx/".into()), "/".into());
        assert_eq!(of(None, Some("b.mx")), expected);
    }

    #[test]
    fn a_name_always_gives_the_same_uuid() {
        let id = name_uuid("Escritura");
        assert_eq!(id, name_uuid("Escritura"));
        assert_eq!(id.len(), "urn:uuid:".len() + 36);
        assert_eq!(&id["urn:uuid:".len() + 14..][..1], "8");
    }
}
