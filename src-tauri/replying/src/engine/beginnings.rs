//! The beginnings of the next prompts, which a model can read while nobody waits for it.

use llm::{ChatRequest, Message};
use settings::ContextPosition;
use vocabulary::ConversationId;

use super::ReplyEngine;
use super::composing::{next_beginning, unchanging_parts};
use crate::prompting::compose::Parts;
use crate::tool_calls::tool_protocol::ToolProtocol;

/// Bytes of a token in descriptions of tools. Source: Qwen2.5's own counts, 3.9.
const BYTES_PER_TOKEN: usize = 4;

/// The context of the model has room for the beginning of choices this many times.
const MIN_CONTEXTS: usize = 3;

impl ReplyEngine {
    /// The beginning of every next request in the main conversation, to fill the prefix cache of a server with: servers read
    /// the tools before the dialogue. Those of earlier replies are among them; what else fits the next query stands behind.
    pub async fn prefix_request(&self) -> ChatRequest {
        let config = self.config.borrow().clone();
        let policy = self.policy(&config).tools;
        let mut request = ChatRequest::new(self.prefix().await);
        request.thinking = config.thinks;
        if policy.protocol == ToolProtocol::Native {
            let offered = self.conversations.with(&ConversationId::main(), |state| state.offered.clone());
            let known: Vec<String> = offered.into_iter().filter(|name| self.toolbox.is_known(name)).collect();
            let tools = self.toolbox.offered(&known, policy, false);
            request.tools = tools.into_iter().map(|tool| tool.spec).collect();
        }
        request
    }

    /// The messages that every next reply begins with, to fill a model's prefix cache with.
    async fn prefix(&self) -> Vec<Message> {
        vec![self.prefix_parts().await.beginning()]
    }

    async fn prefix_parts(&self) -> Parts {
        let config = self.config.borrow().clone();
        let main = ConversationId::main();
        let known = self.profile(&config, &main).await;
        let profile = self.conversations.with(&main, |state| state.profile);
        let profile = profile.filter(|profile| config.profiles.contains(profile));
        unchanging_parts(&config, self.policy(&config), known, profile)
    }

    /// The message that every choice of a tool begins with, if the model chooses in an enforced form and its context has room
    /// for the dialogue beside all tools.
    pub fn beginning_of_choices(&self) -> Option<Message> {
        let config = self.config.borrow().clone();
        let policy = self.policy(&config);
        let is_enforced = policy.tools.protocol == ToolProtocol::Constrained;
        let parts = unchanging_parts(&config, policy, String::new(), None);
        let beginning = is_enforced.then(|| parts.beginning_of_choices(&self.toolbox.built_in()));
        let has_room =
            |text: &str| text.len() / BYTES_PER_TOKEN * MIN_CONTEXTS <= config.context_tokens as usize;
        beginning.filter(|beginning| has_room(&beginning.content))
    }

    /// The messages that the next reply in this conversation begins with, up to the words of the user. What a reply added to
    /// its own newest message is not stored, so the model must read the last exchange again.
    pub async fn prefix_with_dialogue(&self, conversation: &ConversationId) -> Vec<Message> {
        let mut messages = self.prefix().await;
        let hides_exchanges = self.policy(&self.config.borrow()).hides_exchanges_of_rules;
        messages.extend(self.next_dialogue(conversation, hides_exchanges));
        messages
    }

    /// The messages that the next choice of a tool in this conversation begins with, for a model that has read
    /// [`ReplyEngine::beginning_of_choices`].
    pub async fn choice_with_dialogue(&self, conversation: &ConversationId) -> Vec<Message> {
        let parts = self.prefix_parts().await;
        let mut messages = parts.choice_messages(&self.toolbox.built_in());
        messages.truncate(1);
        messages.extend(self.next_dialogue(conversation, false));
        messages
    }

    /// The dialogue that the next reply goes on with, and the beginning of its newest message; nothing if the context does
    /// not stand there, for then the beginning of every reply differs.
    fn next_dialogue(&self, conversation: &ConversationId, hides_exchanges_of_rules: bool) -> Vec<Message> {
        let config = self.config.borrow().clone();
        if config.context_position != ContextPosition::NewestMessage {
            return Vec::new();
        }
        let now = self.clock.now();
        let recent = self.dialogue.recent(conversation, config.dialogue_window, now.as_microsecond());
        let (mut messages, origin, language) = self.conversations.with(conversation, |state| {
            let said = match hides_exchanges_of_rules {
                true => state.worded_by_models(&recent),
                false => recent.clone(),
            };
            let dialogue = state.carry_over.among(&said, config.carry_over_replies, config.carry_over_chars);
            (dialogue, state.origin.clone(), state.language.clone())
        });
        messages.push(next_beginning(&config, self.policy(&config), origin, language, now));
        messages
    }
}
