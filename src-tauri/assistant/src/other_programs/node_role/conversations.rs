//! The conversations that are open at a Command Center, and the one that was registered ahead of its first utterance.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use command_center::NodeConversationId;
use net::Url;
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use vocabulary::{ConversationId, Query, ReplyId};

use super::NodeConfig;
use super::center_http::CenterHttp;

/// A spoken follow-up is here this much later than it began: the longest utterance and its recognition.
const SPEAKING_TIME: Duration = Duration::from_secs(10);

/// The longest time that a Command Center keeps a conversation. Source: the Command Center protocol.
const KEPT_FOR: Duration = Duration::from_secs(600);

/// A conversation that was registered ahead is used for this long: longer than a user speaks after calling us.
const PREPARED_FOR: Duration = Duration::from_secs(60);

/// Longest wait for a registration that was begun ahead. Source: the Command Center protocol.
const JOIN_LIMIT: Duration = Duration::from_secs(10);

/// A conversation that a follow-up may go on with.
struct OpenConversation {
    address: Url,
    id: NodeConversationId,
    /// The newest reply.
    reply: ReplyId,
    /// The end of that reply, its voice included.
    ended_at: Instant,
}

/// A registration that was begun when the user called us.
pub(super) struct Registration {
    /// The settings that it was made with.
    pub config: NodeConfig,
    pub at: Instant,
    /// The way that was used, and the id if the Command Center registered it.
    pub registering: JoinHandle<(CenterHttp, Option<NodeConversationId>)>,
}

/// The conversation that a query belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ConversationMatch {
    /// It goes on with this one.
    Continues(NodeConversationId),
    /// It begins a new one; the one before, if there is one, is over.
    New {
        /// The id of the one before.
        over: Option<NodeConversationId>,
    },
}

/// All conversations of this computer at Command Centers.
#[derive(Default)]
pub(super) struct OpenConversations {
    kept: Mutex<HashMap<ConversationId, OpenConversation>>,
    prepared: Mutex<Option<Registration>>,
}

impl OpenConversations {
    /// The conversation that a query goes on with: a spoken one within the hot window, another one within the dialogue.
    pub fn of_query(
        &self,
        query: &Query,
        config: &NodeConfig,
        dialogue: Duration,
        now: Instant,
    ) -> ConversationMatch {
        let window = if query.origin.is_spoken() { spoken_window(config) } else { dialogue };
        let mut kept = self.kept.lock();
        let Some(last) = kept.get(&query.conversation).filter(|last| last.address == config.address) else {
            return ConversationMatch::New { over: None };
        };
        if now.saturating_duration_since(last.ended_at) < window {
            return ConversationMatch::Continues(last.id.clone());
        }
        let over = kept.remove(&query.conversation).map(|last| last.id);
        ConversationMatch::New { over }
    }

    /// Keeps a conversation for follow-ups.
    pub fn keep(&self, query: &Query, config: &NodeConfig, id: NodeConversationId, now: Instant) {
        let mut kept = self.kept.lock();
        kept.retain(|_, other| now.saturating_duration_since(other.ended_at) < KEPT_FOR);
        let last =
            OpenConversation { address: config.address.clone(), id, reply: query.reply, ended_at: now };
        kept.insert(query.conversation.clone(), last);
    }

    /// The next query of this conversation begins another one there.
    pub fn forget(&self, conversation: &ConversationId) {
        self.kept.lock().remove(conversation);
    }

    /// Our voice ended: the time for a follow-up counts from here.
    pub fn voice_ended(&self, reply: ReplyId, at: Instant) {
        let mut kept = self.kept.lock();
        if let Some(last) = kept.values_mut().find(|last| last.reply == reply) {
            last.ended_at = last.ended_at.max(at);
        }
    }

    /// Returns `true` if a spoken query would begin a conversation that nobody has registered ahead.
    pub fn needs_preparation(&self, main: &ConversationId, config: &NodeConfig, now: Instant) -> bool {
        let is_recent = |at: Instant, window| now.saturating_duration_since(at) < window;
        let goes_on = self.kept.lock().get(main).is_some_and(|last| {
            last.address == config.address && is_recent(last.ended_at, spoken_window(config))
        });
        let is_prepared = self
            .prepared
            .lock()
            .as_ref()
            .is_some_and(|prepared| prepared.config == *config && is_recent(prepared.at, PREPARED_FOR));
        !goes_on && !is_prepared
    }

    /// Keeps a registration that was begun ahead. One that nobody used is forgotten by the Command Center too.
    pub fn set_prepared(&self, prepared: Registration) {
        *self.prepared.lock() = Some(prepared);
    }

    /// The registration that was begun ahead, once it has ended; `None` if there is none for this Command Center.
    pub async fn take_prepared(
        &self,
        config: &NodeConfig,
        now: Instant,
    ) -> Option<(CenterHttp, Option<NodeConversationId>)> {
        let prepared = self.prepared.lock().take()?;
        let is_usable =
            prepared.config == *config && now.saturating_duration_since(prepared.at) < PREPARED_FOR;
        if !is_usable {
            return None;
        }
        match tokio::time::timeout(JOIN_LIMIT, prepared.registering).await {
            Ok(Ok(registered)) => Some(registered),
            Ok(Err(panic)) => {
                tracing::error!(%panic, "a registration did not end cleanly");
                None
            }
            Err(_) => None,
        }
    }
}

/// The time after a reply in which a spoken query is a follow-up.
fn spoken_window(config: &NodeConfig) -> Duration {
    if config.hot_window.is_zero() { Duration::ZERO } else { config.hot_window + SPEAKING_TIME }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use settings::Settings;
    use vocabulary::Origin;

    use super::*;

    fn config(hot_window_secs: f64, base_url: &str) -> NodeConfig {
        let mut settings = Settings::default();
        settings.command_center.enabled = true;
        settings.command_center.base_url = base_url.to_owned();
        settings.listening.hot_window_secs = hot_window_secs;
        NodeConfig::from_settings(&settings).unwrap().unwrap()
    }

    fn query(origin: Origin) -> Query {
        Query {
            reply: ReplyId(1),
            text: "and tomorrow?".to_owned(),
            language: None,
            origin,
            conversation: ConversationId::main(),
            replaces_previous: false,
        }
    }

    fn center_conversation() -> NodeConversationId {
        NodeConversationId("c1".to_owned())
    }

    const CENTER: &str = "https://center.example";
    const OTHER: &str = "https://other.example";

    #[rstest]
    #[case::within_the_hot_window(Origin::Voice, 5.0, 4, CENTER, Some("c1"))]
    #[case::while_it_is_recognised(Origin::Voice, 5.0, 14, CENTER, Some("c1"))]
    #[case::after_the_hot_window(Origin::Voice, 5.0, 16, CENTER, None)]
    #[case::without_a_hot_window(Origin::Voice, 0.0, 1, CENTER, None)]
    #[case::typed_within_the_dialogue(Origin::Typed, 5.0, 200, CENTER, Some("c1"))]
    #[case::typed_after_the_dialogue(Origin::Typed, 5.0, 301, CENTER, None)]
    #[case::another_command_center(Origin::Typed, 5.0, 1, OTHER, None)]
    fn follow_up_goes_on_with_its_conversation(
        #[case] origin: Origin,
        #[case] hot_window_secs: f64,
        #[case] secs: u64,
        #[case] base_url: &str,
        #[case] expected: Option<&str>,
    ) {
        let (open, now) = (OpenConversations::default(), Instant::now());
        open.keep(&query(Origin::Voice), &config(hot_window_secs, CENTER), center_conversation(), now);

        let dialogue = Duration::from_secs(300);
        let later = now + Duration::from_secs(secs);
        let found = open.of_query(&query(origin), &config(hot_window_secs, base_url), dialogue, later);

        let id = match found {
            ConversationMatch::Continues(id) => Some(id),
            ConversationMatch::New { .. } => None,
        };
        assert_eq!(id.map(|id| id.0).as_deref(), expected);
    }

    #[test]
    fn time_for_a_follow_up_counts_from_the_end_of_the_voice() {
        let (open, now) = (OpenConversations::default(), Instant::now());
        let config = config(5.0, CENTER);
        open.keep(&query(Origin::Voice), &config, center_conversation(), now);
        open.voice_ended(ReplyId(1), now + Duration::from_secs(60));

        let later = now + Duration::from_secs(64);
        let found = open.of_query(&query(Origin::Voice), &config, Duration::ZERO, later);

        assert_eq!(found, ConversationMatch::Continues(center_conversation()));
    }

    #[test]
    fn conversation_that_is_over_is_named_once() {
        let (open, now) = (OpenConversations::default(), Instant::now());
        let config = config(5.0, CENTER);
        open.keep(&query(Origin::Voice), &config, center_conversation(), now);

        let ask = || open.of_query(&query(Origin::Voice), &config, Duration::ZERO, now + KEPT_FOR);

        assert_eq!(ask(), ConversationMatch::New { over: Some(center_conversation()) });
        assert_eq!(ask(), ConversationMatch::New { over: None });
    }
}
