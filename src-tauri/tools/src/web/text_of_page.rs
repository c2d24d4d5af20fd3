//! The readable text of a page.

use std::collections::HashSet;

use dom_query::Document;
use dom_smoothie::Readability;
use encoding_rs::{Encoding, UTF_8};
use url::Url;

use super::nesting::is_too_deep;
use super::port::WebResponse;

/// Elements that a reader does not see, or that frame the text of every page of a site.
const UNREADABLE: &str = "script, style, meta, link, noscript, template";
const FRAME: &str = "nav, footer, header, aside";

/// A shorter line is a button or a number of a list.
const MIN_LINE_CHARS: usize = 4;
/// Bytes in which a page may declare its encoding. Source: the HTML standard.
const DECLARATION_BYTES: usize = 1024;
/// The least text that counts as the article of a page, in characters; with less, the whole page is taken.
const MIN_ARTICLE_CHARS: usize = 200;

/// The body as text, in the encoding that its header or the page itself names.
pub(super) fn decoded(response: &WebResponse) -> String {
    let declared = response.content_type.as_deref().and_then(charset);
    let in_page = || {
        let start = &response.body[..response.body.len().min(DECLARATION_BYTES)];
        charset(&String::from_utf8_lossy(start))
    };
    let encoding = declared.or_else(in_page).unwrap_or(UTF_8);
    encoding.decode(&response.body).0.into_owned()
}

/// The encoding after `charset=`.
fn charset(text: &str) -> Option<&'static Encoding> {
    let lower = text.to_ascii_lowercase();
    let (_, label) = lower.split_once("charset=")?;
    let label = label.trim_start_matches(['"', '\'']);
    let end = label.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:".contains(c))).unwrap_or(label.len());
    Encoding::for_label(&label.as_bytes()[..end])
}

/// Works on a page away from the runtime's threads: a long page takes long.
pub(super) async fn off_the_runtime<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(failure) => std::panic::resume_unwind(failure.into_panic()),
    }
}

/// The page, parsed; an empty one if its elements are nested too deeply.
pub(super) fn parsed(html: &str) -> Document {
    Document::from(if is_too_deep(html) { "" } else { html })
}

/// The text of a page for one question: without the frame of the site, at most `max_chars` characters.
pub(super) fn extract(html: &str, max_chars: usize) -> String {
    let page = parsed(html);
    page.select(UNREADABLE).remove();
    page.select(FRAME).remove();
    let text = page.select("body").formatted_text();
    let mut lines = readable_lines(&text).collect::<Vec<_>>();
    lines.dedup();
    lines.join("\n").chars().take(max_chars).collect()
}

/// A page with its title and text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub title: String,
    /// At most `max_lines` lines, none twice.
    pub text: String,
    /// Texts and addresses of links, in the order of the page.
    pub links: Vec<(String, String)>,
}

/// The page as a person reads it: its article if it has one, else all of it.
pub(super) fn page(html: &str, url: &Url, max_lines: usize, max_links: usize) -> Page {
    let document = parsed(html);
    document.select(UNREADABLE).remove();
    let title = document.select("title").text().split_whitespace().collect::<Vec<_>>().join(" ");
    let links = links(&document, url).take(max_links).collect();
    let whole = document.select("body").formatted_text().to_string();
    let article = Some(html)
        .filter(|html| !is_too_deep(html))
        .and_then(|html| article(html, url))
        .filter(|text| text.chars().count() >= MIN_ARTICLE_CHARS);
    let mut seen = HashSet::new();
    let source = article.unwrap_or(whole);
    let lines: Vec<&str> =
        readable_lines(&source).filter(|line| seen.insert(*line)).take(max_lines).collect();
    Page { title, text: lines.join("\n"), links }
}

fn article(html: &str, url: &Url) -> Option<String> {
    let article = Readability::new(html, Some(url.as_str()), None).ok()?.parse().ok()?;
    Some(Document::from(article.content).formatted_text().to_string())
}

fn links<'d>(page: &'d Document, base: &'d Url) -> impl Iterator<Item = (String, String)> + 'd {
    let anchors = page.select("a[href]").nodes().to_vec();
    anchors.into_iter().filter_map(move |anchor| {
        let text = anchor.text().split_whitespace().collect::<Vec<_>>().join(" ");
        let target = base.join(anchor.attr("href")?.trim()).ok()?;
        let is_page = matches!(target.scheme(), "http" | "https");
        (is_page && text.chars().count() >= MIN_LINE_CHARS).then(|| (text, target.to_string()))
    })
}

fn readable_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| line.chars().count() >= MIN_LINE_CHARS)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn extract_leaves_out_the_frame_scripts_and_repeated_lines() {
        let html = "<html><head><title>T</title><script>let secret</script></head><body><nav>Home page</nav>\
                    <p>Opening hours</p><p>Opening hours</p><p>ok</p><p>Monday 9 to 5</p><footer>Imprint</footer>";

        assert_eq!(extract(html, 100), "Opening hours\nMonday 9 to 5");
        assert_eq!(extract(html, 7), "Opening");
    }

    #[test]
    fn page_has_its_title_its_lines_once_and_its_links() {
        let html = "<title> My\n page </title><body><p>First line</p><p>Second line</p><p>First line</p>\
                    <a href='/about'>About us</a><a href='mailto:x@example.org'>Write</a></body>";
        let url = Url::parse("https://example.org/a/b").unwrap();

        let page = page(html, &url, 500, 20);

        assert_eq!(page.title, "My page");
        assert!(page.text.starts_with("First line\nSecond line\n"), "{}", page.text);
        assert_eq!(page.links, [("About us".to_owned(), "https://example.org/about".to_owned())]);
    }

    #[rstest]
    #[case::header(Some("text/html; charset=ISO-8859-1"), b"caf\xe9", "café")]
    #[case::in_the_page(
        None,
        b"<meta charset=\"windows-1252\">caf\xe9",
        "<meta charset=\"windows-1252\">café"
    )]
    #[case::unknown_is_utf_8(Some("text/html; charset=klingon"), "café".as_bytes(), "café")]
    fn encoding_is_that_of_the_header_or_the_page(
        #[case] content_type: Option<&str>,
        #[case] body: &[u8],
        #[case] expected: &str,
    ) {
        let response = WebResponse {
            status: 200,
            url: Url::parse("https://example.org").unwrap(),
            content_type: content_type.map(str::to_owned),
            body: body.to_vec(),
        };

        assert_eq!(decoded(&response), expected);
    }

    #[test]
    fn deeply_nested_page_is_read_or_refused_without_harm() {
        let html = format!("<p>{}</p>{}tea for two", "long words ".repeat(30), "<div>".repeat(200_000));
        let url = Url::parse("https://example.org/").unwrap();

        let (extracted, page) = (extract(&html, 1_000), page(&html, &url, 100, 10));

        assert_eq!((extracted, page.text), (String::new(), String::new()));
    }
}
