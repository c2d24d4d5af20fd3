//! Leaves pages alone where their site asks programs for it, if the user wants that.
//!
//! Source: RFC 9309, Robots Exclusion Protocol; docs/behaviour/tools.md#reading-a-page.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use net::Purpose;
use texting_robots::Robot;
use tokio::sync::watch;
use url::Url;

use super::port::{WebError, WebFetch, WebRequest, WebResponse};
use crate::WebConfig;

/// Our name in the rules of a site, the first word of our `User-Agent`.
const NAME: &str = "jarvis";

/// The longest time for the rules of a site.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(5);

/// The bytes of rules that are read. Source: RFC 9309, section 2.5.
const MAX_BYTES: usize = 500 * 1024;

/// The redirects that are followed to the rules. Source: RFC 9309, section 2.3.1.2.
const MAX_REDIRECTS: usize = 5;

/// The way to pages that asks the rules of their site first, if the settings say so. Other requests pass.
pub struct PolitePages {
    web: Arc<dyn WebFetch>,
    config: watch::Receiver<WebConfig>,
}

impl PolitePages {
    /// The same way with these settings.
    pub fn new(web: Arc<dyn WebFetch>, config: watch::Receiver<WebConfig>) -> Self {
        Self { web, config }
    }

    /// Returns `true` if the site lets us read this page. Redirects from it are not asked about.
    async fn is_allowed(&self, page: &Url) -> Result<bool, WebError> {
        let Ok(rules) = page.join("/robots.txt") else { return Ok(true) };
        let mut request = WebRequest::new(rules, Purpose::WebPage, TIME_LIMIT);
        (request.max_redirects, request.max_bytes) = (MAX_REDIRECTS, MAX_BYTES);
        match self.web.fetch(request).await {
            Ok(rules) => Ok(allows(&rules.body, page)),
            Err(WebError::Status(400..500)) => Ok(true),
            // Section 2.3.1.4: rules that cannot be reached forbid everything.
            Err(WebError::Status(_) | WebError::TimedOut | WebError::Unreachable | WebError::Unreadable) => {
                Ok(false)
            }
            Err(error @ (WebError::Offline | WebError::NotPublic | WebError::Robots)) => Err(error),
        }
    }
}

#[async_trait]
impl WebFetch for PolitePages {
    async fn fetch(&self, request: WebRequest) -> Result<WebResponse, WebError> {
        let asks = request.purpose == Purpose::WebPage && self.config.borrow().respects_robots;
        match asks && !self.is_allowed(&request.url).await? {
            true => Err(WebError::Robots),
            false => self.web.fetch(request).await,
        }
    }
}

/// Returns `true` if these rules let us read the page. Rules that nobody can read forbid nothing.
fn allows(rules: &[u8], page: &Url) -> bool {
    Robot::new(NAME, rules).map_or(true, |robot| robot.allowed(page.as_str()))
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;
    use rstest::rstest;
    use settings::Settings;

    use super::*;

    const PAGE: &str = "https://example.org/private/notes?day=1";

    /// A site with these rules, which writes down what it is asked for.
    struct Site {
        rules: Result<&'static str, WebError>,
        asked: Mutex<Vec<String>>,
    }

    #[async_trait]
    impl WebFetch for Site {
        async fn fetch(&self, request: WebRequest) -> Result<WebResponse, WebError> {
            self.asked.lock().push(request.url.path().to_owned());
            let is_rules = request.url.path() == "/robots.txt";
            let text = if is_rules { self.rules.clone()? } else { "the page" };
            Ok(WebResponse { status: 200, url: request.url, content_type: None, body: text.into() })
        }
    }

    async fn read(
        rules: Result<&'static str, WebError>,
        respects: bool,
        purpose: Purpose,
    ) -> (Result<Vec<u8>, WebError>, Vec<String>) {
        let mut settings = Settings::default();
        settings.web.robots = respects;
        let (_sender, config) = watch::channel(WebConfig::from(&settings));
        let site = Arc::new(Site { rules, asked: Mutex::default() });
        let pages = PolitePages::new(site.clone(), config);
        let request = WebRequest::new(Url::parse(PAGE).unwrap(), purpose, TIME_LIMIT);
        let read = pages.fetch(request).await.map(|response| response.body);
        let asked = site.asked.lock().clone();
        (read, asked)
    }

    #[rstest]
    #[case::nothing_forbidden("User-agent: *\nDisallow:\n", true)]
    #[case::all_forbidden("User-agent: *\nDisallow: /\n", false)]
    #[case::folder_forbidden("User-agent: *\nDisallow: /private/\n", false)]
    #[case::another_folder("User-agent: *\nDisallow: /other/\n", true)]
    #[case::longest_rule_counts("User-agent: *\nDisallow: /private\nAllow: /private/notes\n", true)]
    #[case::our_group_counts("User-agent: *\nDisallow: /\n\nUser-agent: Jarvis\nDisallow:\n", true)]
    #[case::another_program("User-agent: OtherBot\nDisallow: /\n", true)]
    #[case::with_a_query("User-agent: *\nDisallow: /*?day=\n", false)]
    #[case::no_rules("<html>Welcome</html>", true)]
    #[case::empty("", true)]
    #[tokio::test]
    async fn site_decides_where_the_user_respects_it(#[case] rules: &'static str, #[case] is_read: bool) {
        let (read, asked) = read(Ok(rules), true, Purpose::WebPage).await;

        assert_eq!(read, if is_read { Ok(b"the page".to_vec()) } else { Err(WebError::Robots) });
        assert_eq!(asked[0], "/robots.txt");
    }

    #[rstest]
    #[case::missing(WebError::Status(404), Ok(b"the page".to_vec()))]
    #[case::secret(WebError::Status(403), Ok(b"the page".to_vec()))]
    #[case::broken(WebError::Status(503), Err(WebError::Robots))]
    #[case::slow(WebError::TimedOut, Err(WebError::Robots))]
    #[case::offline(WebError::Offline, Err(WebError::Offline))]
    #[case::not_public(WebError::NotPublic, Err(WebError::NotPublic))]
    #[tokio::test]
    async fn rules_that_are_not_there_decide_too(
        #[case] rules: WebError,
        #[case] expected: Result<Vec<u8>, WebError>,
    ) {
        assert_eq!(read(Err(rules), true, Purpose::WebPage).await.0, expected);
    }

    #[rstest]
    #[case::switched_off(false, Purpose::WebPage)]
    #[case::search(true, Purpose::WebSearch)]
    #[tokio::test]
    async fn rules_are_not_asked_for_otherwise(#[case] respects: bool, #[case] purpose: Purpose) {
        let (read, asked) = read(Ok("User-agent: *\nDisallow: /\n"), respects, purpose).await;

        assert_eq!((read, asked), (Ok(b"the page".to_vec()), vec!["/private/notes".to_owned()]));
    }
}
