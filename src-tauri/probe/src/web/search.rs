//! The whole chain of a search.

use std::collections::HashMap;
use std::sync::Arc;

use ::tools::WebConfig;
use ::tools::web::{
    OutcomeKind, SearchApis, SearchError, SearchOutcome, SearchServices, WebError, WebRequest, WebResponse,
    search,
};
use serde::Deserialize;
use serde_json::{Value, json};
use vocabulary::Language;

use super::scripted_web::{ScriptedKey, ScriptedWeb, body};
use crate::suite::{block_on, read};

/// Title, address and extract.
type Article = (String, String, String);

#[derive(Deserialize, Clone)]
struct Script {
    query: String,
    language: Option<String>,
    enabled: bool,
    instant: Option<Value>,
    ddg_status: u16,
    #[serde(default)]
    ddg_body: Option<String>,
    pages: Option<HashMap<String, Option<String>>>,
    #[serde(default)]
    brave_key_set: bool,
    #[serde(default)]
    brave_results: Option<Vec<(String, String)>>,
    #[serde(default)]
    wikipedia_enabled: bool,
    wikipedia: Option<HashMap<String, Option<Article>>>,
}

pub(super) fn pipeline(input: Value) -> Result<Value, String> {
    let script: Script = read(input)?;
    let web = Arc::new(ScriptedWeb::new({
        let script = script.clone();
        move |request| answer(&script, request)
    }));
    let language = script.language.as_deref().and_then(Language::new);
    let key = ScriptedKey(script.brave_key_set);
    let apis = SearchApis::default();
    let services = SearchServices { web: &*web, key: &key, apis: &apis };
    let config = WebConfig {
        can_search: script.enabled,
        has_wikipedia: script.wikipedia_enabled,
        respects_robots: false,
        place: String::new(),
    };
    let searched = block_on(search(services, &config, &script.query, language.as_ref()));
    let (success, kind, outcome) = match searched {
        Ok(outcome) => (true, kind(&outcome), outcome),
        Err(SearchError::Disabled) => (false, "disabled", SearchOutcome::default()),
        Err(_) => (false, "plain", SearchOutcome::default()),
    };
    let links: Vec<&str> = outcome.links.iter().map(|link| link.url.as_str()).collect();
    Ok(json!({
        "success": success,
        "kind": kind,
        "fenced_text": outcome.content,
        "links": links,
        "fallback_calls": web.asked(),
        "has_instant": !outcome.instant.is_empty(),
    }))
}

fn kind(outcome: &SearchOutcome) -> &'static str {
    match outcome.kind() {
        OutcomeKind::Blocked => "blocked",
        OutcomeKind::LinksOnly => "links_only",
        OutcomeKind::Content => "content",
        OutcomeKind::Plain => "plain",
    }
}

fn answer(script: &Script, request: &WebRequest) -> (Option<String>, Result<WebResponse, WebError>) {
    let host = request.url.host_str().unwrap_or_default();
    let found = |json: Option<Value>| match json {
        Some(json) => Ok(body(request, 200, json.to_string())),
        None => Err(WebError::Unreachable),
    };
    match host {
        "api.duckduckgo.com" => (None, found(script.instant.clone())),
        "lite.duckduckgo.com" => {
            let page = script.ddg_body.clone().unwrap_or_default();
            let is_success = (200..300).contains(&script.ddg_status);
            let answer = if is_success {
                Ok(body(request, script.ddg_status, page))
            } else {
                Err(WebError::Status(script.ddg_status))
            };
            (None, answer)
        }
        "api.search.brave.com" => {
            let result = |(title, url): &(String, String)| json!({ "title": title, "url": url });
            let results = script.brave_results.as_ref().map(
                |results| json!({ "web": { "results": results.iter().map(result).collect::<Vec<_>>() } }),
            );
            (Some("brave".to_owned()), found(results))
        }
        _ => match host.strip_suffix(".wikipedia.org") {
            Some(code) if request.purpose == net::Purpose::WebSearch => {
                let article = script.wikipedia.as_ref().and_then(|known| known.get(code)?.as_ref());
                (Some(format!("wiki:{code}")), found(article.map(|article| wikipedia(article, request))))
            }
            _ => (None, page(script, request)),
        },
    }
}

/// The answer of Wikipedia to the request for a title or for the beginning of its article.
fn wikipedia((title, url, extract): &Article, request: &WebRequest) -> Value {
    if request.url.path().contains("/summary/") {
        return json!({ "title": title, "extract": extract, "content_urls": { "desktop": { "page": url } } });
    }
    json!([title, [title], [""], [url]])
}

/// A page with the scripted text.
fn page(script: &Script, request: &WebRequest) -> Result<WebResponse, WebError> {
    let wanted = request.url.as_str();
    let matches = |url: &str| url::Url::parse(url).is_ok_and(|url| url.as_str() == wanted);
    let pages = script.pages.iter().flatten();
    let text = pages.filter(|(url, _)| matches(url)).find_map(|(_, text)| text.as_deref());
    let text = text.ok_or(WebError::Unreachable)?;
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let lines: String = escaped.lines().map(|line| format!("<p>{line}</p>")).collect();
    Ok(body(request, 200, lines))
}
