//! Articles of Wikipedia, for searches that found nothing else.

use std::time::Duration;

use net::Purpose;
use serde_json::Value;
use tokio::time::Instant;
use url::Url;
use vocabulary::Language;

use super::outcome::Link;
use super::port::{WebFetch, WebRequest};

/// The longest one request may take.
const REQUEST_LIMIT: Duration = Duration::from_secs(4);
/// With less time left, no request is begun.
const MIN_BUDGET: Duration = Duration::from_millis(500);
/// The share of letters in ASCII that makes a query one in Latin script.
const ASCII_SHARE: f64 = 0.8;

/// The beginning of an article.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Article {
    pub link: Link,
    pub extract: String,
}

/// Returns `true` if a language writes in another script than the query, so that its Wikipedia will not find it.
pub fn script_mismatches(language: &str, query: &str) -> bool {
    let code = language.split(['-', '_']).next().unwrap_or_default().to_lowercase();
    let letters = query.chars().filter(|c| c.is_alphabetic()).count();
    let ascii = query.chars().filter(char::is_ascii_alphabetic).count();
    NON_LATIN.contains(&code.as_str()) && letters > 0 && ascii as f64 >= ASCII_SHARE * letters as f64
}

/// Languages that do not write with Latin letters. Source: the scripts of ISO 15924 by language in CLDR.
const NON_LATIN: [&str; 41] = [
    "am", "ar", "be", "bg", "bn", "bo", "dv", "el", "fa", "gu", "he", "hi", "hy", "ja", "ka", "kk", "km",
    "kn", "ko", "ky", "lo", "mk", "ml", "mn", "mr", "my", "ne", "or", "pa", "ps", "ru", "sa", "si", "sr",
    "ta", "te", "tg", "th", "uk", "ur", "zh",
];

/// The languages to ask in, in their order: that of the user, then English.
pub(super) fn languages_to_ask(language: Option<&Language>, query: &str) -> Vec<String> {
    let code = language.map_or("en", Language::code);
    let is_code = (2..=3).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase());
    let mut asked = Vec::new();
    if is_code && !script_mismatches(code, query) {
        asked.push(code.to_owned());
    }
    if asked.iter().all(|code| code != "en") {
        asked.push("en".to_owned());
    }
    asked
}

/// The article that fits a query best, in the Wikipedia at `base`, such as `https://en.wikipedia.org`.
pub(super) async fn article(web: &dyn WebFetch, base: &Url, query: &str, end: Instant) -> Option<Article> {
    let title = match title_by_name(web, base, query, end).await {
        Some(title) => title,
        None => title_by_text(web, base, query, end).await?,
    };
    let mut url = base.join("/api/rest_v1/page/summary/").ok()?;
    url.path_segments_mut().ok()?.pop_if_empty().push(&title);
    let summary = json(web, url, end).await?;
    let extract = summary["extract"].as_str().map(str::trim).filter(|text| !text.is_empty())?.to_owned();
    let page = summary["content_urls"]["desktop"]["page"].as_str();
    let url = page.map_or_else(|| format!("{base}wiki/{}", title.replace(' ', "_")), str::to_owned);
    let title = summary["title"].as_str().unwrap_or(&title).to_owned();
    Some(Article { link: Link { title, url }, extract })
}

async fn title_by_name(web: &dyn WebFetch, base: &Url, query: &str, end: Instant) -> Option<String> {
    let parameters =
        [("action", "opensearch"), ("search", query), ("limit", "1"), ("namespace", "0"), ("format", "json")];
    let found = json(web, api(base, &parameters)?, end).await?;
    found[1][0].as_str().map(str::to_owned)
}

async fn title_by_text(web: &dyn WebFetch, base: &Url, query: &str, end: Instant) -> Option<String> {
    let parameters =
        [("action", "query"), ("list", "search"), ("srsearch", query), ("srlimit", "1"), ("format", "json")];
    let found = json(web, api(base, &parameters)?, end).await?;
    found["query"]["search"][0]["title"].as_str().map(str::to_owned)
}

fn api(base: &Url, parameters: &[(&str, &str)]) -> Option<Url> {
    let mut url = base.join("/w/api.php").ok()?;
    url.query_pairs_mut().extend_pairs(parameters);
    Some(url)
}

/// A request within the time that is left.
async fn json(web: &dyn WebFetch, url: Url, end: Instant) -> Option<Value> {
    let left = end.saturating_duration_since(Instant::now());
    if left < MIN_BUDGET {
        return None;
    }
    let request = WebRequest::new(url, Purpose::WebSearch, left.min(REQUEST_LIMIT));
    web.fetch(request).await.ok()?.json().ok()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::own_language(Some("de"), "Wer war Ada Lovelace?", &["de", "en"])]
    #[case::english(Some("en"), "Who was Ada Lovelace?", &["en"])]
    #[case::unknown_language(None, "Ada Lovelace", &["en"])]
    #[case::japanese_name_in_latin_letters(Some("ja"), "Ada Lovelace", &["en"])]
    #[case::japanese(Some("ja"), "エイダ・ラブレス", &["ja", "en"])]
    fn own_language_is_asked_before_english(
        #[case] language: Option<&str>,
        #[case] query: &str,
        #[case] expected: &[&str],
    ) {
        let language = language.and_then(Language::new);

        assert_eq!(languages_to_ask(language.as_ref(), query), expected);
    }
}
