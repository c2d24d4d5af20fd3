//! The answers of the portal, kept for a short time.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;
use url::Origin;

use super::entry::ProxyAddress;

/// The time that an answer is kept, and that the portal is not asked after it failed. A lookup takes milliseconds, so that
/// two in a minute cost nothing; a user who changes the network or the proxy waits no longer than this; and a portal that
/// hangs delays one request in this time.
const KEPT: Duration = Duration::from_secs(30);

/// The time that an answer is remembered for an origin while the portal fails: one slow lookup must not send what a proxy
/// hides directly. After an hour the network is likely to be another one.
const REMEMBERED: Duration = Duration::from_secs(3600);

/// The answers by origin. Holds no clock.
#[derive(Default)]
pub(super) struct Answers {
    by_origin: HashMap<Origin, Answer>,
    /// The portal failed, and is not asked before this.
    paused_until: Option<Instant>,
}

struct Answer {
    proxy: Option<ProxyAddress>,
    until: Instant,
}

impl Answers {
    /// The proxy of an origin, or that it has none; `None` if the portal has to be asked. While the portal fails, the last
    /// answer counts.
    pub fn find(&self, origin: &Origin, now: Instant) -> Option<Option<ProxyAddress>> {
        match self.by_origin.get(origin) {
            Some(answer) if now < answer.until => Some(answer.proxy.clone()),
            last if self.paused_until.is_some_and(|until| now < until) => {
                Some(last.and_then(|answer| answer.proxy.clone()))
            }
            _ => None,
        }
    }

    /// Keeps an answer, and forgets those that are too old.
    pub fn keep(&mut self, origin: Origin, proxy: Option<ProxyAddress>, now: Instant) {
        self.by_origin.retain(|_, answer| now < answer.until + REMEMBERED);
        self.by_origin.insert(origin, Answer { proxy, until: now + KEPT });
    }

    /// Asks the portal for nothing for a while, because it failed. Returns the last proxy of the origin that it was asked about.
    pub fn pause(&mut self, origin: &Origin, now: Instant) -> Option<ProxyAddress> {
        self.paused_until = Some(now + KEPT);
        self.find(origin, now).flatten()
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn origin(url: &str) -> Origin {
        Url::parse(url).unwrap().origin()
    }

    fn proxy() -> Option<ProxyAddress> {
        Some(Url::parse("http://proxy.example:3128").unwrap().into())
    }

    #[test]
    fn answer_is_kept_for_its_origin_until_it_expires() {
        let (mut answers, now) = (Answers::default(), Instant::now());

        answers.keep(origin("https://hub.example/model"), proxy(), now);

        let find = |url, after| answers.find(&origin(url), now + after);
        let expired = Duration::from_secs(30);
        let last = expired - Duration::from_millis(1);
        assert_eq!(find("https://hub.example/other", last), Some(proxy()));
        assert_eq!(find("https://hub.example/", expired), None);
        for other in ["http://hub.example/", "https://hub.example:8443/", "https://www.hub.example/"] {
            assert_eq!(find(other, Duration::ZERO), None, "{other}");
        }
    }

    #[test]
    fn failure_pauses_all_lookups_and_the_last_answers_count() {
        let (mut answers, asked) = (Answers::default(), Instant::now());
        answers.keep(origin("https://hub.example"), proxy(), asked);
        let now = asked + KEPT;

        let last = answers.pause(&origin("https://hub.example"), now);

        assert_eq!(last, proxy());
        assert_eq!(answers.find(&origin("https://hub.example"), now), Some(proxy()));
        assert_eq!(answers.find(&origin("https://other.example"), now), Some(None));
        for url in ["https://hub.example", "https://other.example"] {
            assert_eq!(answers.find(&origin(url), now + KEPT), None, "{url}");
        }
    }

    #[test]
    fn old_answers_are_forgotten() {
        let (mut answers, now) = (Answers::default(), Instant::now());
        answers.keep(origin("https://hub.example"), proxy(), now);

        answers.keep(origin("https://other.example"), None, now + KEPT + REMEMBERED);

        assert_eq!(answers.by_origin.len(), 1);
    }
}
