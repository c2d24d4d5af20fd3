//! Describes links in words.

use std::sync::LazyLock;

use languages::messages::Messages;
use regex::{Captures, Regex};
use vocabulary::Language;

/// The spoken parts of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkDescription {
    /// The host and the port, without a leading `www.` and without a user name; empty when there is none.
    pub domain: String,
    /// The address has no path.
    pub is_homepage: bool,
}

/// The domain of an address, and whether the address has a path. A path of only slashes counts as none.
pub fn extract_domain_description(url: &str) -> LinkDescription {
    let url = url.trim();
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) if scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) => {
            (Some(scheme), rest)
        }
        _ => (None, url),
    };
    let (authority, path_and_query) = rest.split_at(rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len()));
    // The part before the @ is a user name and perhaps a password: it must not be spoken.
    let host = authority.rsplit('@').next().unwrap_or_default();
    let has_host = scheme.is_some() || (host.contains('.') && !host.contains(':') && host == authority);
    let path = path_and_query.split(['?', '#']).next().unwrap_or_default();
    LinkDescription {
        domain: if has_host { without_www(host).to_owned() } else { String::new() },
        is_homepage: path.chars().all(|c| c == '/'),
    }
}

/// Replaces Markdown links, then bare links.
pub(super) fn describe_links(text: &str, language: Option<&Language>) -> String {
    let without_markdown =
        MARKDOWN_LINK.replace_all(text, |found: &Captures<'_>| describe_markdown_link(found, language));
    describe_bare_links(&without_markdown, language)
}

/// `[text](address)` and `![text](address "title")`.
static MARKDOWN_LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"!?\[([^\[\]]+)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+[^()]*)?\)"#)
        .expect("the regex is a constant")
});

/// `http://…`, `https://…` and `www.…`.
static BARE_LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)<?(?:https?://|\bwww\.)[^\s<>"|]+>?"#).expect("the regex is a constant")
});

fn describe_markdown_link(found: &Captures<'_>, language: Option<&Language>) -> String {
    let (text, url) = (&found[1], &found[2]);
    let link = extract_domain_description(url);
    match (link.domain.is_empty(), link.is_homepage) {
        // A link within the page, or an address of another kind: its text is enough.
        (true, _) => text.to_owned(),
        (false, true) => Messages::for_language(language).spoken_link_to_homepage(&link.domain, text),
        (false, false) => Messages::for_language(language).spoken_link_to_page(&link.domain, text),
    }
}

fn describe_bare_links(text: &str, language: Option<&Language>) -> String {
    let mut spoken = String::with_capacity(text.len());
    let mut done = 0;
    for found in BARE_LINK.find_iter(text) {
        spoken.push_str(&text[done..found.start()]);
        done = found.end();
        let is_in_parentheses = text[..found.start()].ends_with('(');
        if is_in_parentheses {
            spoken.push_str(found.as_str());
            continue;
        }
        let (url, after) = split_off_punctuation(found.as_str());
        let link = extract_domain_description(url);
        match (link.domain.is_empty(), link.is_homepage) {
            (true, _) => spoken.push_str(url),
            (false, true) => spoken.push_str(&Messages::for_language(language).spoken_homepage(&link.domain)),
            (false, false) => spoken.push_str(&Messages::for_language(language).spoken_page(&link.domain)),
        }
        spoken.push_str(after);
    }
    spoken.push_str(&text[done..]);
    spoken
}

/// The address without angle brackets, and the punctuation of the sentence after it.
fn split_off_punctuation(found: &str) -> (&str, &str) {
    if let Some(inner) = found.strip_prefix('<').and_then(|f| f.strip_suffix('>')) {
        return (inner, "");
    }
    let found = found.strip_prefix('<').unwrap_or(found);
    let mut url = found.strip_suffix('>').unwrap_or(found);
    let whole = url;
    loop {
        let shorter =
            url.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~', '`', ']', '}', '…']);
        // A closing parenthesis belongs to the address only if it was opened in the address.
        let is_unbalanced = shorter.matches(')').count() > shorter.matches('(').count();
        let shorter = if is_unbalanced { shorter.strip_suffix(')').unwrap_or(shorter) } else { shorter };
        if shorter.len() == url.len() {
            return (url, &whole[url.len()..]);
        }
        url = shorter;
    }
}

fn without_www(host: &str) -> &str {
    match host.get(..4) {
        Some(start) if start.eq_ignore_ascii_case("www.") => &host[4..],
        _ => host,
    }
}
