//! The state of a conversation between replies, besides its dialogue. Nothing of it is stored.
//!
//! Source: docs/behaviour/replying.md#conversation.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use memory::{MessageContent, Participant};
use parking_lot::Mutex;
use settings::Profile;
use vocabulary::{ConversationId, Language, Origin, Private};

use crate::conversation_cache::ConversationCache;
use crate::plain_requests::kept_calls::{KeptCall, RepeatableCall};
use crate::plain_requests::missing_argument::WaitingCall;
use crate::plain_requests::which_one::ChoiceCall;
use crate::tool_calls::tool_talk::CarryOver;

/// The number of conversations that are kept; the one that was used least lately goes first. People have a few,
/// programs may have one for each call.
const CONVERSATIONS: NonZeroUsize = NonZeroUsize::new(64).expect("64 is not 0");

/// The number of replies in words of ours or of tools that are known: more than a dialogue window holds.
const WORDED: usize = 32;

/// The state of one conversation.
#[derive(Default)]
pub(crate) struct ConversationState {
    /// Tool results of earlier replies.
    pub carry_over: CarryOver,
    /// Results of the steps before a reply.
    pub cache: ConversationCache,
    /// The tools that were offered, in the order in which they first were. It only grows, so that the model's prefix cache
    /// holds.
    pub offered: Vec<String>,
    /// The calls of the last reply, for a request that goes on with them.
    pub last_calls: Vec<KeptCall>,
    /// Those of them that can be made again, and those that failed.
    pub repeatable_calls: Vec<RepeatableCall>,
    /// The call that waits for an argument, which the last reply asked for.
    pub waiting_call: Option<WaitingCall>,
    /// The call that fits several things: the last reply asked which one.
    pub choice_call: Option<ChoiceCall>,
    /// The door of the last request that went to a model.
    pub origin: Option<Origin>,
    /// The last language that was known of such a request.
    pub language: Option<Language>,
    /// The profile of the last reply.
    pub profile: Option<Profile>,
    /// The time of the newest reply that another engine worded. Its words are not to be trusted.
    pub foreign_at_micros: Option<i64>,
    /// The user chose that profile, so that no model is asked for another.
    pub has_chosen_profile: bool,
    /// The replies that no model worded, oldest first.
    worded: VecDeque<Private<String>>,
}

impl ConversationState {
    /// Notes a reply that no model worded.
    pub fn note_worded(&mut self, reply: &str) {
        if self.worded.len() == WORDED {
            self.worded.pop_front();
        }
        self.worded.push_back(Private(reply.to_owned()));
    }

    /// The dialogue without the exchanges that no model worded: a small model goes on like them, and says that it has set
    /// what no tool has set.
    pub fn worded_by_models(&self, dialogue: &[MessageContent]) -> Vec<MessageContent> {
        let mut kept: Vec<MessageContent> = Vec::new();
        for said in dialogue {
            if said.participant == Participant::Assistant && self.worded.contains(&said.text) {
                kept.pop_if(|last| last.participant == Participant::User);
            } else {
                kept.push(said.clone());
            }
        }
        kept
    }

    /// Adds tools that are offered from now on.
    pub fn offer(&mut self, names: &[String]) {
        for name in names {
            if !self.offered.contains(name) {
                self.offered.push(name.clone());
            }
        }
    }
}

/// All conversations. Clones share them.
#[derive(Clone)]
pub(crate) struct Conversations {
    states: Arc<Mutex<LruCache<ConversationId, ConversationState>>>,
}

impl Default for Conversations {
    fn default() -> Self {
        Self { states: Arc::new(Mutex::new(LruCache::new(CONVERSATIONS))) }
    }
}

impl Conversations {
    /// Reads or changes what a conversation keeps.
    pub fn with<T>(
        &self,
        conversation: &ConversationId,
        change: impl FnOnce(&mut ConversationState) -> T,
    ) -> T {
        let mut states = self.states.lock();
        change(states.get_or_insert_mut(conversation.clone(), ConversationState::default))
    }

    /// Drops what a conversation keeps because the user wants no answer. The calls of the last reply stay: "cancel that" behind
    /// "thanks" means them.
    pub fn dismiss(&self, conversation: &ConversationId) {
        self.with(conversation, |state| {
            let ConversationState { last_calls, repeatable_calls, .. } = std::mem::take(state);
            (state.last_calls, state.repeatable_calls) = (last_calls, repeatable_calls);
        });
    }

    /// Drops what a conversation keeps, because another one begins.
    pub fn forget(&self, conversation: &ConversationId) {
        self.states.lock().pop(conversation);
    }

    /// Drops an entry of every conversation's cache, because its source has changed.
    pub fn drop_cached(&self, key: &str) {
        let mut states = self.states.lock();
        for (_, state) in states.iter_mut() {
            state.cache.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchange_that_no_model_worded_is_left_out() {
        let user = |text: &str, at| MessageContent::new(Participant::User, text, at);
        let ours = |text: &str, at| MessageContent::new(Participant::Assistant, text, at);
        let mut state = ConversationState::default();
        state.note_worded("The alarm is set.");

        let dialogue = [
            user("Good morning.", 1),
            ours("Good morning.", 2),
            user("Wake me at seven.", 3),
            ours("The alarm is set.", 4),
        ];

        assert_eq!(state.worded_by_models(&dialogue), dialogue[..2]);
    }
}
