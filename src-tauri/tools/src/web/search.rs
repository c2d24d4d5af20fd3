//! The chain of a web search: an instant answer, links and their pages, a second engine, an encyclopedia.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use futures::stream::FuturesOrdered;
use net::Purpose;
use schemars::JsonSchema;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tokio::time::Instant;
use url::Url;
use vocabulary::Language;

use super::outcome::{Link, SearchOutcome, SecondEngine};
use super::port::{WebError, WebFetch, WebRequest, WebResponse};
use super::relevance::{content_tokens, is_relevant};
use super::{result_page, text_of_page, wikipedia};
use crate::builtin::declaration::{declaration, run};
use crate::config::WebConfig;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// The longest a whole search may take.
const CHAIN_LIMIT: Duration = Duration::from_secs(20);
const INSTANT_LIMIT: Duration = Duration::from_secs(5);
const LINKS_LIMIT: Duration = Duration::from_secs(10);
const BRAVE_LIMIT: Duration = Duration::from_secs(6);
/// The longest one page may take, and all pages together.
const PAGE_LIMIT: Duration = Duration::from_secs(4);
const PAGES_LIMIT: Duration = Duration::from_secs(8);
/// Pages that are read at the same time.
const PAGES: usize = 3;
/// The longest text of a page, in characters.
const MAX_EXTRACT_CHARS: usize = 1_500;
/// Results that the second engine is asked for.
const BRAVE_RESULTS: usize = 5;
/// The longest query that it takes. It answers a longer one as it answers a wrong key, by 422.
const BRAVE_QUERY_WORDS: usize = 50;
const BRAVE_QUERY_CHARS: usize = 400;

/// The name of a usual browser: the engine sends programs that name themselves an empty page.
const USER_AGENT: &str =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

/// The addresses of the services.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchApis {
    /// Instant answers of DuckDuckGo.
    pub instant: Url,
    /// The page of results of DuckDuckGo without scripts.
    pub links: Url,
    /// Brave Search.
    pub brave: Url,
    /// Wikipedia; `{lang}` stands for the code of the language.
    pub wikipedia: String,
}

impl Default for SearchApis {
    fn default() -> Self {
        let url = |text| Url::parse(text).expect("the address is a constant");
        Self {
            instant: url("https://api.duckduckgo.com/"),
            links: url("https://lite.duckduckgo.com/lite/"),
            brave: url("https://api.search.brave.com/res/v1/web/search"),
            wikipedia: "https://{lang}.wikipedia.org".to_owned(),
        }
    }
}

/// The port to the key of the second engine.
#[async_trait]
pub trait SearchKey: Send + Sync {
    /// The key of Brave Search, if the user has stored one.
    ///
    /// # Errors
    ///
    /// [`KeyUnreadable`] if that is not known.
    async fn brave(&self) -> Result<Option<SecretString>, KeyUnreadable>;
}

/// An error of the place where keys are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the keychain could not be read")]
pub struct KeyUnreadable;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// What to search, complete in itself: names instead of "he" or "it".
    #[serde(alias = "query")]
    search_query: String,
}

/// The tool `webSearch`.
pub struct WebSearch {
    declaration: Declaration,
    web: Arc<dyn WebFetch>,
    key: Arc<dyn SearchKey>,
    apis: SearchApis,
    config: watch::Receiver<WebConfig>,
}

impl WebSearch {
    /// The tool with the services at these addresses.
    pub fn new(
        web: Arc<dyn WebFetch>,
        key: Arc<dyn SearchKey>,
        apis: SearchApis,
        config: watch::Receiver<WebConfig>,
    ) -> Self {
        let mut declaration = declaration::<Arguments>(
            "webSearch",
            Effect::Network,
            "Searches the web: news, prices, results, opening hours, people, and all that changes or is not known for sure.",
            "internet online google look up search news price score result current today latest who what when where",
            &[
                ("who won the match yesterday?", json!({"search_query": "result of the match yesterday"})),
                ("look up the price of gold", json!({"search_query": "price of gold"})),
                ("what is in the news?", json!({"search_query": "news today"})),
            ],
        );
        declaration.timeout = CHAIN_LIMIT + Duration::from_secs(1);
        Self { declaration, web, key, apis, config }
    }
}

#[async_trait]
impl Tool for WebSearch {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, async |arguments: Arguments| {
            let config = self.config.borrow().clone();
            let services = SearchServices { web: &*self.web, key: &*self.key, apis: &self.apis };
            let query = arguments.search_query.trim();
            match search(services, &config, query, context.language.as_ref()).await {
                Ok(outcome) => Ok(ToolResult::done(outcome.text(query)).untrusted()),
                Err(error) => Err(ToolResult::failed(error.to_string())),
            }
        })
        .await
    }
}

/// The services that a search goes through.
#[derive(Clone, Copy)]
pub struct SearchServices<'s> {
    /// The way to pages and services.
    pub web: &'s dyn WebFetch,
    /// The key of the second engine.
    pub key: &'s dyn SearchKey,
    /// The addresses of the services.
    pub apis: &'s SearchApis,
}

/// Why nothing was searched. The texts are for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The settings forbid it.
    #[error("Web search is switched off. The user can switch it on in the settings (web.search).")]
    Disabled,
    /// The query is blank.
    #[error("There is nothing to search for: give a search_query.")]
    NothingAsked,
    /// The user has switched the network off.
    #[error(
        "Jarvis is set to work offline, so nothing was searched. The user can change that in the settings (web.offline)."
    )]
    Offline,
}

/// Searches the web within 20 seconds. Services that fail leave a part of the outcome empty.
///
/// # Errors
///
/// [`SearchError`]; then nothing was searched.
pub async fn search(
    services: SearchServices<'_>,
    config: &WebConfig,
    query: &str,
    language: Option<&Language>,
) -> Result<SearchOutcome, SearchError> {
    let query = query.trim();
    if !config.can_search {
        return Err(SearchError::Disabled);
    }
    if query.is_empty() {
        return Err(SearchError::NothingAsked);
    }
    let SearchServices { web, key, apis } = services;
    let chain = Chain { web, apis, query, end: Instant::now() + CHAIN_LIMIT };
    let (instant, page) = futures::join!(chain.instant(), chain.result_page());
    let mut outcome = SearchOutcome { instant: instant?, ..SearchOutcome::default() };
    match page {
        ResultPage::Links(links) => outcome.links = links,
        ResultPage::Blocked => outcome.is_blocked = true,
        ResultPage::Failed => outcome.is_unreachable = true,
    }
    if !outcome.instant.is_empty() {
        return Ok(outcome);
    }
    chain.read_pages(&mut outcome).await;
    if outcome.content.is_none() {
        chain.ask_second(key, &mut outcome).await;
    }
    if outcome.content.is_none() && config.has_wikipedia {
        for code in wikipedia::languages_to_ask(language, query) {
            if let Some(article) = chain.article(&code).await {
                (outcome.content, outcome.links) = (Some(article.extract), vec![article.link]);
                break;
            }
        }
    }
    Ok(outcome)
}

/// Returns `true` if an address may lead to the public web. Names are not resolved here; a request does that.
pub fn is_public_address(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| net::is_public_url(&url))
}

/// A search on its way.
struct Chain<'s> {
    web: &'s dyn WebFetch,
    apis: &'s SearchApis,
    query: &'s str,
    end: Instant,
}

/// The answer of the search engine to the query.
enum ResultPage {
    Links(Vec<Link>),
    Blocked,
    Failed,
}

impl Chain<'_> {
    /// The time for a step: its own limit, or what is left of the whole chain.
    fn limit(&self, step: Duration) -> Duration {
        step.min(self.end.saturating_duration_since(Instant::now()))
    }

    async fn fetch(&self, url: Url, limit: Duration) -> Result<WebResponse, WebError> {
        let request = WebRequest::new(url, Purpose::WebSearch, self.limit(limit));
        self.web.fetch(request.header("User-Agent", USER_AGENT)).await
    }

    /// Facts that the engine answers itself. Being offline is the only error.
    async fn instant(&self) -> Result<Vec<String>, SearchError> {
        let mut url = self.apis.instant.clone();
        url.query_pairs_mut().extend_pairs([
            ("q", self.query),
            ("format", "json"),
            ("no_html", "1"),
            ("skip_disambig", "1"),
        ]);
        let answer: Value = match self.fetch(url, INSTANT_LIMIT).await.and_then(|response| response.json()) {
            Ok(answer) => answer,
            Err(WebError::Offline) => return Err(SearchError::Offline),
            Err(_) => return Ok(Vec::new()),
        };
        let text = |key: &str| {
            answer[key].as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let summary = text("Abstract").map(|summary| match text("AbstractURL") {
            Some(source) => format!("{summary} (source: {source})"),
            None => summary,
        });
        Ok([summary, text("Answer"), text("Definition")].into_iter().flatten().collect())
    }

    async fn result_page(&self) -> ResultPage {
        let mut url = self.apis.links.clone();
        url.query_pairs_mut().append_pair("q", self.query);
        match self.fetch(url, LINKS_LIMIT).await {
            Ok(response) => {
                let read = move || {
                    let body = text_of_page::decoded(&response);
                    let is_blocked = result_page::is_blocked(response.status, &body);
                    if is_blocked {
                        ResultPage::Blocked
                    } else {
                        ResultPage::Links(result_page::links(&body))
                    }
                };
                text_of_page::off_the_runtime(read).await
            }
            Err(WebError::Status(status)) if result_page::is_blocked(status, "") => ResultPage::Blocked,
            Err(error) => {
                tracing::info!(%error, "the web search found no links");
                ResultPage::Failed
            }
        }
    }

    /// Reads the first pages at the same time, and takes the best one that fits the query.
    async fn read_pages(&self, outcome: &mut SearchOutcome) {
        let pages: Vec<Url> =
            outcome.links.iter().take(PAGES).filter_map(|link| Url::parse(&link.url).ok()).collect();
        if pages.is_empty() {
            return;
        }
        outcome.tried_pages = true;
        let tokens = content_tokens(self.query);
        let mut reading: FuturesOrdered<_> = pages.into_iter().map(|page| self.extract(page)).collect();
        // In the order of their ranks: the first one that fits is the best.
        let best = async {
            while let Some(extract) = reading.next().await {
                if let Some(text) = extract.filter(|text| is_relevant(text, &tokens)) {
                    return Some(text);
                }
            }
            None
        };
        outcome.content = tokio::time::timeout(self.limit(PAGES_LIMIT), best).await.ok().flatten();
    }

    async fn extract(&self, page: Url) -> Option<String> {
        let request = WebRequest::new(page, Purpose::WebPage, self.limit(PAGE_LIMIT));
        let response = self.web.fetch(request.header("User-Agent", USER_AGENT)).await.ok()?;
        let text = move || text_of_page::extract(&text_of_page::decoded(&response), MAX_EXTRACT_CHARS);
        let text = text_of_page::off_the_runtime(text).await;
        (!text.is_empty()).then_some(text)
    }

    /// Asks the second engine, if there is a key for it, and reads the pages that it finds.
    async fn ask_second(&self, key: &dyn SearchKey, outcome: &mut SearchOutcome) {
        let key = match key.brave().await {
            Ok(Some(key)) => key,
            Ok(None) => {
                outcome.second_engine = SecondEngine::NoKey;
                return;
            }
            Err(KeyUnreadable) => {
                outcome.second_engine = SecondEngine::KeyUnreadable;
                return;
            }
        };
        match self.brave(&key).await {
            Ok(links) if links.is_empty() => {}
            Ok(links) => {
                outcome.links = links;
                self.read_pages(outcome).await;
            }
            Err(error) => {
                tracing::info!(%error, "the second search engine found nothing");
                outcome.second_engine = match error {
                    // Source: Brave Search API, "Error codes": 422 is an invalid subscription token.
                    WebError::Status(401 | 403 | 422) => SecondEngine::KeyRefused,
                    WebError::Status(402 | 429) => SecondEngine::QuotaExceeded,
                    _ => SecondEngine::Unremarkable,
                };
            }
        }
    }

    async fn brave(&self, key: &SecretString) -> Result<Vec<Link>, WebError> {
        let mut url = self.apis.brave.clone();
        let (query, count) = (brave_query(self.query), BRAVE_RESULTS.to_string());
        url.query_pairs_mut().extend_pairs([("q", &query), ("count", &count)]);
        let request = WebRequest::new(url, Purpose::WebSearch, self.limit(BRAVE_LIMIT))
            .header("X-Subscription-Token", key.expose_secret());
        let found: Value = self.web.fetch(request).await.and_then(|response| response.json())?;
        let results = found["web"]["results"].as_array().cloned().unwrap_or_default();
        let link = |result: &Value| {
            let url = result["url"].as_str()?.to_owned();
            is_public_address(&url).then(|| Link {
                title: result["title"].as_str().unwrap_or(&url).to_owned(),
                url: url.clone(),
            })
        };
        Ok(results.iter().filter_map(link).take(BRAVE_RESULTS).collect())
    }

    async fn article(&self, code: &str) -> Option<wikipedia::Article> {
        let base = Url::parse(&self.apis.wikipedia.replace("{lang}", code)).ok()?;
        wikipedia::article(self.web, &base, self.query, self.end).await
    }
}

/// The beginning of a query, as much of it as Brave Search takes.
fn brave_query(query: &str) -> String {
    let words: Vec<&str> = query.split_whitespace().take(BRAVE_QUERY_WORDS).collect();
    words.join(" ").chars().take(BRAVE_QUERY_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_query_is_cut_for_the_second_engine() {
        let (many_words, long_words) = ("a ".repeat(60), "long-word ".repeat(49));

        assert_eq!(brave_query("price  of gold"), "price of gold");
        assert_eq!(brave_query(&many_words).split(' ').count(), 50);
        assert_eq!(brave_query(&long_words).chars().count(), 400);
    }
}
