//! Tool results of earlier replies in a conversation, so that a follow-up question need not call the tools again.
//!
//! Source: docs/behaviour/replying.md#conversation.

use std::collections::VecDeque;

use llm::{Message, Role};
use memory::{MessageContent, Participant};

use super::scrubbed;

/// The number of groups that are kept. Source: docs/behaviour/replying.md#conversation.
const MOST: usize = 16;

/// The shortest length that a result is cut to, in characters. Source: the same.
const SHORTEST_CUT: usize = 200;

/// The tool messages of the latest replies of one conversation. Those of one reply are kept or dropped together, so that
/// every call keeps its result.
#[derive(Debug, Default)]
pub struct CarryOver {
    groups: VecDeque<Group>,
}

/// The tool messages of one reply.
#[derive(Debug)]
struct Group {
    /// When the last message before it was said; `None` when there is none.
    after: Option<i64>,
    messages: Vec<Message>,
    /// Text from outside is among them.
    is_tainted: bool,
}

impl CarryOver {
    /// Keeps the tool messages of a reply, redacted. They follow the last message `said`. `is_tainted` means that text from
    /// outside has entered the reply.
    pub fn record(&mut self, messages: Vec<Message>, said: &[MessageContent], is_tainted: bool) {
        if messages.is_empty() {
            return;
        }
        let messages = messages.into_iter().map(without_secrets).collect();
        self.groups.push_back(Group { after: said.last().map(|said| said.at_micros), messages, is_tainted });
        if self.groups.len() > MOST {
            self.groups.pop_front();
        }
    }

    /// `true` if text from outside is among the tool messages of the last `replies`.
    pub fn is_tainted(&self, replies: usize) -> bool {
        self.groups.iter().rev().take(replies).any(|group| group.is_tainted)
    }

    /// The messages `said`, oldest first, with the tool messages of the last `replies` in between, however old they are.
    /// Contents longer than `max_chars` are cut.
    pub fn among(&self, said: &[MessageContent], replies: usize, max_chars: usize) -> Vec<Message> {
        let mut groups = self.groups.iter().skip(self.groups.len().saturating_sub(replies)).peekable();
        let mut messages = Vec::new();
        for said in said {
            while let Some(group) = groups.next_if(|group| group.after < Some(said.at_micros)) {
                messages.extend(group.messages.iter().map(|message| cut(message, max_chars)));
            }
            messages.push(match said.participant {
                Participant::User => Message::user(said.text.as_str()),
                Participant::Assistant => Message::assistant(said.text.as_str()),
            });
        }
        messages.extend(groups.flat_map(|group| &group.messages).map(|message| cut(message, max_chars)));
        messages
    }

    /// Returns the number of replies with messages here.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Returns `true` if no reply has messages here.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Drops everything: another conversation begins, or the user said stop.
    pub fn clear(&mut self) {
        self.groups.clear();
    }
}

fn without_secrets(message: Message) -> Message {
    Message {
        content: redaction::scrub(&message.content),
        // The model's thinking is of no use to another reply.
        thinking: None,
        tool_calls: message.tool_calls.into_iter().map(scrubbed).collect(),
        ..message
    }
}

/// The message with its content cut to `max_chars`. Fenced material stays fenced.
fn cut(message: &Message, max_chars: usize) -> Message {
    match message.role {
        Role::System => message.clone(),
        _ => {
            Message { content: cut_fenced(&message.content, max_chars.max(SHORTEST_CUT)), ..message.clone() }
        }
    }
}

/// The text, cut to `most` characters. Fenced material stays fenced.
pub(crate) fn cut_fenced(text: &str, most: usize) -> String {
    let mut content = memory::join_truncated([text], most);
    if let Some(end) = open_fence(&content, text) {
        content.push('\n');
        content.push_str(end);
    }
    content
}

/// The marker that ends the fence which `cut` leaves open, as it stands in the `whole` text.
fn open_fence<'a>(cut: &str, whole: &'a str) -> Option<&'a str> {
    const END: &str = "<<<END UNTRUSTED ";
    let begun = cut.matches("<<<BEGIN UNTRUSTED ").count();
    let mut ends = whole.match_indices(END).skip(cut.matches(END).count());
    let (at, _) = ends.next().filter(|_| begun > cut.matches(END).count())?;
    let marker = &whole[at..];
    marker.find(">>>").map(|end| &marker[..end + ">>>".len()])
}

#[cfg(test)]
mod tests {
    use llm::{ToolCall, ToolCallId};
    use serde_json::json;
    use vocabulary::Private;

    use super::*;

    fn said(speaker: Participant, text: &str, at_micros: i64) -> MessageContent {
        MessageContent { participant: speaker, text: Private(text.into()), at_micros }
    }

    fn talk(name: &str, result: &str) -> Vec<Message> {
        let call = ToolCall { id: ToolCallId(name.into()), name: name.into(), arguments: json!({}) };
        vec![Message::assistant_calls("", vec![call.clone()]), Message::tool_result(&call, result)]
    }

    fn contents(messages: &[Message]) -> Vec<&str> {
        messages.iter().map(|message| message.content.as_str()).collect()
    }

    #[test]
    fn it_stands_where_it_was_said() {
        let question = said(Participant::User, "Is it raining?", 1);
        let answer = said(Participant::Assistant, "No.", 2);
        let mut carried = CarryOver::default();
        carried.record(talk("weather", "dry"), std::slice::from_ref(&question), false);

        let messages = carried.among(&[question, answer], 2, 1_200);

        assert_eq!(contents(&messages), ["Is it raining?", "", "dry", "No."]);
    }

    #[test]
    fn that_of_the_latest_replies_is_told_whatever_its_age() {
        let mut carried = CarryOver::default();
        for (at, name) in ["one", "two", "three"].into_iter().enumerate() {
            carried.record(talk(name, name), &[said(Participant::User, "?", at as i64)], false);
        }

        let recent = [said(Participant::User, "And now?", 1_000)];

        assert_eq!(contents(&carried.among(&recent, 2, 1_200)), ["", "two", "", "three", "And now?"]);
        assert_eq!(contents(&carried.among(&recent, 0, 1_200)), ["And now?"]);
        carried.clear();
        assert_eq!(contents(&carried.among(&recent, 2, 1_200)), ["And now?"]);
    }

    #[test]
    fn so_many_groups_are_kept_and_each_whole() {
        let mut carried = CarryOver::default();
        for _ in 0..=MOST {
            carried.record(talk("weather", "dry"), &[], false);
        }
        carried.record(Vec::new(), &[], false);

        assert_eq!(carried.among(&[], usize::MAX, 1_200).len(), 2 * MOST);
    }

    #[test]
    fn taint_lives_as_long_as_its_messages_are_told() {
        let mut carried = CarryOver::default();
        carried.record(talk("web", "page"), &[], true);
        carried.record(talk("weather", "dry"), &[], false);

        assert_eq!([0, 1, 2].map(|replies| carried.is_tainted(replies)), [false, false, true]);
    }

    #[test]
    fn secrets_and_thoughts_are_not_kept() {
        let mut carried = CarryOver::default();
        let result =
            Message { thinking: Some("hm".into()), ..talk("mail", "from mara@example.org")[1].clone() };
        carried.record(vec![result], &[], false);

        let kept = &carried.among(&[], 1, 1_200)[0];

        assert_eq!((kept.content.as_str(), &kept.thinking), ("from [REDACTED_EMAIL]", &None));
    }

    #[test]
    fn a_long_result_is_cut_and_stays_fenced() {
        let page = format!(
            "<<<BEGIN UNTRUSTED WEB EXTRACT>>>\n{}\n<<<END UNTRUSTED WEB EXTRACT>>>\nSource: x",
            "a ".repeat(400)
        );
        let mut carried = CarryOver::default();
        carried.record(talk("web", &page), &[], false);

        let cut = &carried.among(&[], 1, 10)[1].content;

        let (text, end) = cut.split_once("…\n").unwrap();
        assert_eq!(text.chars().count(), SHORTEST_CUT - 1);
        assert_eq!(end, "<<<END UNTRUSTED WEB EXTRACT>>>");
        assert_eq!(carried.among(&[], 1, 5_000)[1].content, page);
    }
}
