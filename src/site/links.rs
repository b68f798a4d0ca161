//! Addresses inside the site: normal forms, relative paths and escapes.

/// Percent-encodes a path once: what an address may not hold as it is.
pub fn encode_percent(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => out.push(byte.into()),
            b'-' | b'_' | b'.' | b'~' | b'/' | b'!' | b'(' | b')' | b',' => out.push(byte.into()),
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

/// Undoes percent-encoding; text that is not encoded, or badly, stays.
pub fn decode_percent(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if bytes[at] == b'%' => {
                out.push(byte);
                at += 3;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// A path seen from a folder, without `.` and `..`; `None` when it leaves the
/// root. Both use `/`; a leading `/` starts at the root.
pub fn normalise(folder: &str, path: &str) -> Option<String> {
    let absolute = path.starts_with('/');
    let start = if absolute { "" } else { folder };
    let mut parts: Vec<&str> = start.split('/').filter(|part| !part.is_empty()).collect();
    if path.contains('\\') {
        return None;
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The folder of a path: `a/b` for `a/b/c.html`.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The address of one file of the site as seen from another, percent-encoded.
pub fn relative(from: &str, to: &str) -> String {
    let here: Vec<&str> = folder(from).split('/').filter(|part| !part.is_empty()).collect();
    let there: Vec<&str> = to.split('/').collect();
    let folders = &there[..there.len() - 1];
    let shared = here.iter().zip(folders).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(here.len() - shared);
    up + &encode_percent(&there[shared..].join("/"))
}

/// Whether an address leaves the site: it has a scheme or a host.
pub fn is_external(address: &str) -> bool {
    if address.starts_with("//") {
        return true;
    }
    let scheme = address.split([':', '/', '?', '#']).next().unwrap_or_default();
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    address[scheme.len()..].starts_with(':')
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(valid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spanish_name_is_encoded_once() {
        assert_eq!(encode_percent("día uno.md"), "d%C3%ADa%20uno.md");
        assert_eq!(decode_percent("d%C3%ADa%20uno.md"), "día uno.md");
        assert_eq!(decode_percent("100%"), "100%");
        assert_eq!(decode_percent("%ñ1"), "%ñ1");
    }

    #[test]
    fn a_path_may_not_leave_the_root() {
        assert_eq!(normalise("a/b", "../c.md").as_deref(), Some("a/c.md"));
        assert_eq!(normalise("a", "/x/./y.md").as_deref(), Some("x/y.md"));
        assert_eq!(normalise("a", "../../c.md"), None);
        assert_eq!(normalise("", "..\\c.md"), None);
    }

    #[test]
    fn addresses_are_relative_to_the_page() {
        assert_eq!(relative("a/index.html", "b/index.html"), "../b/index.html");
        assert_eq!(relative("a/index.html", "a/datos/t.csv"), "datos/t.csv");
        assert_eq!(relative("index.html", "a/index.html"), "a/index.html");
        assert_eq!(relative("a/b/index.html", "index.html"), "../../index.html");
    }

    #[test]
    fn schemes_and_hosts_are_external() {
        assert!(is_external("https://a.b") && is_external("mailto:a@b") && is_external("//c"));
        assert!(!is_external("a.md") && !is_external("#x") && !is_external("a/b:c"));
    }
}
