//! The page of a search engine: its links, or that it blocked the request.

use url::Url;

use super::outcome::Link;
use super::text_of_page::parsed;

/// The most links that are taken.
pub(super) const MAX_LINKS: usize = 5;

/// Shorter titles are buttons and numbers of pages.
const MIN_TITLE_CHARS: usize = 11;

/// Words of links that lead to the search engine's own pages.
const OWN_PAGES: [&str; 4] = ["settings", "privacy", "about", "help"];

/// Signs in the body that the engine asks whether a person searches.
const BLOCK_MARKERS: [&str; 2] = ["anomaly-modal", "anomaly.js"];

/// Returns `true` if the engine refused to search.
pub(super) fn is_blocked(status: u16, body: &str) -> bool {
    matches!(status, 202 | 400 | 429) || BLOCK_MARKERS.iter().any(|marker| body.contains(marker))
}

/// The links to other sites, redirects unwrapped, in the order of the page.
pub(super) fn links(html: &str) -> Vec<Link> {
    let page = parsed(html);
    let anchors = page.select("a[href]").nodes().to_vec();
    let link = anchors.into_iter().filter_map(|anchor| {
        let title = anchor.text().split_whitespace().collect::<Vec<_>>().join(" ");
        let lower = title.to_lowercase();
        let is_own = OWN_PAGES.iter().any(|word| lower.contains(word));
        let url = target(anchor.attr("href")?.trim())?;
        (title.chars().count() >= MIN_TITLE_CHARS && !is_own).then_some(Link { title, url })
    });
    link.take(MAX_LINKS).collect()
}

/// The address that a link leads to: the parameter `uddg` of a redirect, else the address itself.
fn target(href: &str) -> Option<String> {
    let absolute = if href.starts_with("//") { format!("https:{href}") } else { href.to_owned() };
    if let Some(url) = Url::parse(&absolute).ok().filter(|url| url.path() == "/l/")
        && let Some((_, wanted)) = url.query_pairs().find(|(key, _)| key == "uddg")
    {
        let is_page = wanted.starts_with("http://") || wanted.starts_with("https://");
        return is_page.then(|| wanted.into_owned());
    }
    let is_page = href.starts_with("http://") || href.starts_with("https://");
    is_page.then(|| href.to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn links_are_unwrapped_and_those_of_the_engine_left_out() {
        let html = r#"
            <a href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.org%2Fa%3Fb%3D1&rut=x">An example of a page</a>
            <a href="https://example.com/">Another  example page</a>
            <a href="https://example.com/short">Next &gt;</a>
            <a href="/settings">Settings of this engine</a>
            <a href="https://duckduckgo.com/x">About this search engine</a>
            <a href="javascript:alert(1)">Do not follow this link</a>"#;

        let found: Vec<String> = links(html).into_iter().map(|link| link.url).collect();

        assert_eq!(found, ["https://example.org/a?b=1", "https://example.com/"]);
    }

    #[rstest]
    #[case::fine(200, "<a href='https://example.org'>", false)]
    #[case::accepted_without_a_result(202, "", true)]
    #[case::too_many_requests(429, "", true)]
    #[case::asks_for_a_person(200, "<div class='anomaly-modal__title'>", true)]
    fn refusal_shows_in_status_or_body(#[case] status: u16, #[case] body: &str, #[case] expected: bool) {
        assert_eq!(is_blocked(status, body), expected);
    }
}
