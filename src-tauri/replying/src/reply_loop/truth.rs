//! Sentences in place of an answer that is not true.

use languages::LiveTopic;
use tools::tool_name_in_words;
use vocabulary::ToolOutcome;

use super::{LoopOutcome, ReplyLoop};
use crate::answer_text::answer_guard::{AnswerGuard, Untrue, Verdict};
use crate::answer_text::sentences::sentences;
use crate::plain_requests::plain_truth::{cannot_do, no_source};

impl ReplyLoop<'_> {
    /// Says the truth.
    pub(super) async fn say_truth(&mut self, reason: Untrue) -> LoopOutcome {
        tracing::info!(?reason, "an answer of the model was withheld");
        let text = self.truth(reason);
        let language = self.context.sentences().language().clone();
        self.output.stream.say(&text, Some(language)).await;
        LoopOutcome::Worded
    }

    /// The topic that no source has told of.
    pub(super) fn open_topic(&self) -> Option<LiveTopic> {
        self.output.stream.guard().and_then(AnswerGuard::open_topic)
    }

    /// The sentences of a text of a model that say something.
    ///
    /// # Errors
    ///
    /// The reason why one of them is not true.
    pub(super) fn true_part(&self, text: &str) -> Result<String, Untrue> {
        let Some(guard) = self.output.stream.guard() else { return Ok(text.to_owned()) };
        let (mut kept, mut held) = (Vec::new(), Vec::new());
        for sentence in sentences(text) {
            let judge = if kept.is_empty() { AnswerGuard::judge_first } else { AnswerGuard::judge };
            match judge(guard, &sentence) {
                Verdict::Withhold(reason) => return Err(reason),
                Verdict::Release => {
                    kept.append(&mut held);
                    kept.push(sentence);
                }
                Verdict::Hold => held.push(sentence),
                Verdict::Omit => {}
            }
        }
        Ok(kept.join(" "))
    }

    /// The truth in the language of the reply.
    pub(super) fn truth(&self, reason: Untrue) -> String {
        let messages = self.context.sentences();
        match reason {
            Untrue::NotLookedUp(topic) => self.why_not_looked_up(topic),
            Untrue::NotDone(Some(action)) if !self.context.toolbox.can_do(action) => {
                cannot_do(messages, action)
            }
            Untrue::NotDone(_) => messages.reply_nothing_done().to_owned(),
            Untrue::NoPerson => messages.reply_no_person(&self.context.config.name),
        }
    }

    fn why_not_looked_up(&self, topic: LiveTopic) -> String {
        let messages = self.context.sentences();
        let sources =
            self.context.toolbox.sources(topic, &self.context.entry.redacted, self.context.language_data());
        let title = |tool: &str| messages.tool_title(&tool_name_in_words(tool));
        let mut calls = self.output.trace.tool_calls.iter().rev();
        match (calls.find(|call| sources.contains(&call.tool)), sources.first()) {
            (Some(call), _) if call.outcome == ToolOutcome::Denied => {
                messages.reply_source_denied(&title(&call.tool))
            }
            (Some(call), _) => messages.reply_source_failed(&title(&call.tool)),
            (None, Some(source)) => messages.reply_source_unused(&title(source)),
            (None, None) => no_source(messages, topic, self.context.config.no_lookup),
        }
    }
}
