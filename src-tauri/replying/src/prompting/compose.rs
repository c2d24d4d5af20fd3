//! The third stage: the messages that the model reads.
//!
//! Text that never changes stands first, text that changes with every reply beside the newest message, so that the
//! model's prefix cache holds. Within the newest message, what is known before the question stands first, so that a model
//! can read it while it waits. The older positions are a setting.
//!
//! Source: docs/behaviour/replying.md#system-message.

use llm::Message;
use settings::ContextPosition;

use crate::model_policy::ModelPolicy;
use crate::prompting::prompt::{OfferedTool, tool_block, tool_section};
use crate::tool_calls::tool_protocol::ToolProtocol;

/// The parts of a prompt.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    /// The persona, the same in every prompt.
    pub persona: String,
    /// The style of the profile and the instructions of the caller; may be empty.
    pub style: String,
    /// Known facts about the user; may be empty.
    pub profile: String,
    /// The dialogue, oldest message first.
    pub dialogue: Vec<Message>,
    /// The same without the exchanges that no model worded.
    pub worded_by_models: Vec<Message>,
    /// Time and place, memory and plan.
    pub context: String,
    /// Language and form of the answer.
    pub form: String,
    /// The words of the user without secrets.
    pub query: String,
    /// The position of the context.
    pub position: ContextPosition,
    /// The differences for the model.
    pub policy: ModelPolicy,
}

impl Parts {
    /// The text that stands first in every prompt of a conversation, if the context stands with the newest message.
    pub fn beginning(&self) -> Message {
        Message::system(self.system_text(&self.rules(None, &[])))
    }

    /// The text that stands first in every choice of a tool, if these tools are known beforehand.
    pub fn beginning_of_choices(&self, known: &[OfferedTool]) -> Message {
        Message::system(joined([&self.persona, &self.rules(Some(ToolProtocol::Constrained), known)]))
    }

    fn rules(&self, protocol: Option<ToolProtocol>, tools: &[OfferedTool]) -> String {
        tool_section(self.policy.templates, protocol.unwrap_or(ToolProtocol::Native), tools)
    }

    fn system_text(&self, rules: &str) -> String {
        joined([&self.persona, &self.style, rules, &self.profile])
    }

    /// The messages, with these tools offered as `protocol` does it. `None` offers no tool, but the rules for results stay.
    pub fn messages(&self, protocol: Option<ToolProtocol>, tools: &[OfferedTool]) -> Vec<Message> {
        let in_text = match protocol {
            Some(ToolProtocol::Native) | None => &[],
            Some(ToolProtocol::Text | ToolProtocol::Constrained | ToolProtocol::JsonHints) => tools,
        };
        let is_newest = self.position == ContextPosition::NewestMessage;
        let mut system = self.system_text(&self.rules(protocol, if is_newest { &[] } else { in_text }));
        if self.position == ContextPosition::SystemTop {
            system = format!("{}\n\n{system}", self.context);
        }
        let mut messages = vec![Message::system(system)];
        // To choose a tool, a small model has to know what was done; to answer, it must not imitate that.
        let is_free = protocol.is_none() && self.policy.hides_exchanges_of_rules;
        messages.extend(if is_free { self.worded_by_models.clone() } else { self.dialogue.clone() });
        if self.position == ContextPosition::OwnMessage {
            messages.push(Message::system(self.context.clone()));
        }
        messages.push(Message::user(match is_newest {
            // Tools in the system message would have to be read again whenever they change, and all behind them too.
            true => self.newest_message(&tool_block(protocol, in_text)),
            false => format!("{}\n{}", self.form, self.query),
        }));
        messages
    }

    /// The messages for a choice of a tool, if the context stands with the newest message. The `known` tools stand in the
    /// system message, whether they are offered or not, so that they are read once for all choices.
    pub fn choice_messages(&self, known: &[OfferedTool]) -> Vec<Message> {
        let beginning = self.beginning_of_choices(known).content;
        let mut messages = vec![Message::system(joined([&beginning, &self.style, &self.profile]))];
        messages.extend(self.dialogue.iter().cloned());
        messages.push(Message::user(self.newest_message("")));
        messages
    }

    fn newest_message(&self, tools: &str) -> String {
        let Self { form, context, query, .. } = self;
        match tools {
            "" => format!("{form}\n{context}\n{query}"),
            tools => format!("{form}\n{context}\n[{tools}]\n{query}"),
        }
    }
}

fn joined<const N: usize>(parts: [&str; N]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}
