//! The content of a terminal: finished lines scroll up, the rest is drawn again and again. Pure.

use assistant::Messages;
use vocabulary::{
    AssistantEvent, AssistantState, Attachment, Language, Origin, Question, ReplyEvent, ReplyId, Ring,
    ToolCallId, ToolOutcome,
};

/// A finished line, and who wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FinishedLine {
    /// The user asked.
    User(String),
    /// A paragraph of an answer.
    Assistant(String),
    /// Something went wrong.
    Trouble(String),
    /// Something to know.
    Note(String),
}

/// The note about a language that no installed voice speaks. `download` is a voice for it.
pub(super) fn missing_voice_note(language: &Language, download: Option<&str>) -> String {
    let messages = Messages::for_language(Some(language));
    match download {
        Some(voice) => messages.voice_missing_download(voice),
        None => messages.voice_missing().to_owned(),
    }
}

/// The conversation as a terminal shows it.
#[derive(Debug)]
pub(super) struct Conversation {
    pub state: AssistantState,
    /// Decibels relative to full scale.
    pub level_dbfs: f32,
    /// Words being spoken now.
    pub live_words: String,
    /// The unfinished paragraph of the reply.
    pub unfinished: String,
    newest: Option<ReplyId>,
    is_muted: bool,
    /// The appointments that ring.
    rings: Vec<i64>,
    /// The tool calls under way, and the names of their tools.
    tools: Vec<(ToolCallId, String)>,
}

impl Conversation {
    pub fn new() -> Self {
        Self {
            state: AssistantState::Idle,
            level_dbfs: f32::NEG_INFINITY,
            live_words: String::new(),
            unfinished: String::new(),
            newest: None,
            is_muted: false,
            rings: Vec::new(),
            tools: Vec::new(),
        }
    }

    /// The timers, alarms and reminders that ring.
    pub fn rings(&self) -> &[i64] {
        &self.rings
    }

    /// Returns `true` if a reply is being written or spoken.
    pub fn is_active(&self) -> bool {
        matches!(self.state, AssistantState::Thinking | AssistantState::Speaking)
            || !self.unfinished.is_empty()
    }

    /// Returns `true` if the user muted the microphone.
    pub fn is_muted(&self) -> bool {
        self.is_muted
    }

    /// Applies an event; returns the lines that it finished.
    pub fn apply(&mut self, event: AssistantEvent) -> Vec<FinishedLine> {
        match event {
            AssistantEvent::State(state) => {
                self.state = state;
                self.is_muted = state == AssistantState::Muted || (self.is_muted && self.is_active());
            }
            AssistantEvent::Level { dbfs } => self.level_dbfs = dbfs,
            AssistantEvent::Partial { text, .. } => self.live_words = text,
            AssistantEvent::Overheard { .. } => self.live_words.clear(),
            AssistantEvent::Asked { reply, text, origin, .. } => {
                self.live_words.clear();
                let mut said = self.finish();
                self.newest = Some(reply);
                if origin != Origin::Program {
                    said.push(FinishedLine::User(text));
                }
                return said;
            }
            AssistantEvent::Reply { reply, event } if self.newest == Some(reply) => return self.grow(event),
            AssistantEvent::AppointmentRang(ring) => {
                self.rings.retain(|known| *known != ring.appointment);
                self.rings.push(ring.appointment);
                return vec![FinishedLine::Note(rings(&ring))];
            }
            AssistantEvent::AppointmentSettled { appointment, .. } => {
                self.rings.retain(|known| *known != appointment);
            }
            AssistantEvent::VoiceMissing { language, download } => {
                return vec![FinishedLine::Note(missing_voice_note(&language, download.as_deref()))];
            }
            AssistantEvent::Trouble(trouble) => return vec![FinishedLine::Trouble(trouble.to_string())],
            AssistantEvent::Recovered(trouble) => {
                return vec![FinishedLine::Note(format!("The {} works again.", trouble.stage))];
            }
            _ => {}
        }
        Vec::new()
    }

    fn grow(&mut self, event: ReplyEvent) -> Vec<FinishedLine> {
        match event {
            ReplyEvent::Delta { text } => {
                self.unfinished.push_str(&text);
                // A paragraph that ended is finished; the rest may continue.
                match self.unfinished.rfind('\n') {
                    Some(end) => {
                        let rest = self.unfinished.split_off(end + 1);
                        let done = std::mem::replace(&mut self.unfinished, rest);
                        done.lines()
                            .filter(|l| !l.trim().is_empty())
                            .map(|l| FinishedLine::Assistant(l.to_owned()))
                            .collect()
                    }
                    None => Vec::new(),
                }
            }
            ReplyEvent::Done(response) => {
                let mut lines = self.finish();
                lines.extend(response.attachments.iter().map(|file| FinishedLine::Note(attached(file))));
                lines
            }
            // The words of the reply say what went wrong; shown once is enough.
            ReplyEvent::Sentence { .. }
            | ReplyEvent::Failed(_)
            | ReplyEvent::Traced(_)
            | ReplyEvent::QuestionSettled { .. } => Vec::new(),
            ReplyEvent::Progress { text } | ReplyEvent::Note { text } => vec![FinishedLine::Note(text)],
            ReplyEvent::ToolStarted { call, tool } => {
                let name = tool_name(&tool);
                let line = FinishedLine::Note(format!("Using: {name}"));
                self.tools.push((call, name));
                vec![line]
            }
            ReplyEvent::ToolFinished { call, outcome } => {
                let place = self.tools.iter().position(|(known, _)| *known == call);
                let name = place.map_or_else(String::new, |place| self.tools.remove(place).1);
                match outcome {
                    ToolOutcome::Succeeded => Vec::new(),
                    ToolOutcome::Failed => vec![FinishedLine::Note(format!("Did not work: {name}"))],
                    ToolOutcome::Denied => vec![FinishedLine::Note(format!("Not allowed: {name}"))],
                }
            }
            ReplyEvent::Question(question) => vec![FinishedLine::Note(asked(&question))],
        }
    }

    fn finish(&mut self) -> Vec<FinishedLine> {
        let rest = std::mem::take(&mut self.unfinished);
        if rest.trim().is_empty() {
            Vec::new()
        } else {
            vec![FinishedLine::Assistant(rest.trim_end().to_owned())]
        }
    }
}

/// A file of a reply. The terminal cannot show it.
pub(super) fn attached(file: &Attachment) -> String {
    format!("File: {} ({}); the window shows and saves it.", file.filename, file.mime_type)
}

/// Says what rings, and how to end it.
pub(super) fn rings(ring: &Ring) -> String {
    format!("♪ {} (Enter or \"stop\" ends it.)", *ring.text)
}

/// The name of a tool as people read it: `setTimer` is "set timer".
pub(super) fn tool_name(tool: &str) -> String {
    let mut name = String::new();
    for letter in tool.chars() {
        let starts_word = letter.is_uppercase() || matches!(letter, '_' | '-' | '.');
        if starts_word && !name.is_empty() && !name.ends_with(' ') {
            name.push(' ');
        }
        if letter.is_alphanumeric() {
            name.extend(letter.to_lowercase());
        }
    }
    name.strip_suffix(" tool").map(str::to_owned).unwrap_or(name)
}

/// A question with its options.
pub(crate) fn asked(question: &Question) -> String {
    match question.options.as_slice() {
        [] => question.text.clone(),
        options => format!("{} ({})", question.text, options.join(" / ")),
    }
}

/// Sign and name of a state: shape and word differ, not colour alone.
pub(super) fn in_words(state: AssistantState) -> (&'static str, &'static str) {
    match state {
        AssistantState::Idle => ("○", "Ready"),
        AssistantState::Listening => ("◉", "Listening"),
        AssistantState::Thinking => ("◌", "Thinking"),
        AssistantState::Speaking => ("▶", "Speaking"),
        AssistantState::Muted => ("⊘", "Muted"),
        AssistantState::Error => ("!", "Needs attention"),
    }
}

/// A level as bars of eight steps, from -60 dB to full scale.
pub(super) fn level_bar(dbfs: f32) -> String {
    const STEPS: usize = 8;
    let filled = ((dbfs + 60.0) / 60.0 * STEPS as f32).clamp(0.0, STEPS as f32) as usize;
    "▮".repeat(filled) + &"▯".repeat(STEPS - filled)
}

#[cfg(test)]
mod tests {
    use vocabulary::{OutgoingResponse, UtteranceId};

    use super::*;

    fn reply(id: u64, event: ReplyEvent) -> AssistantEvent {
        AssistantEvent::Reply { reply: ReplyId(id), event }
    }

    fn asked(reply: u64, text: &str, origin: Origin) -> AssistantEvent {
        AssistantEvent::Asked { reply: ReplyId(reply), text: text.into(), origin, replaces_previous: false }
    }

    fn delta(text: &str) -> ReplyEvent {
        ReplyEvent::Delta { text: text.into() }
    }

    #[test]
    fn reply_is_finished_paragraph_by_paragraph() {
        let mut conversation = Conversation::new();
        let asked = asked(1, "hi", Origin::Typed);

        assert_eq!(conversation.apply(asked), [FinishedLine::User("hi".into())]);
        assert_eq!(conversation.apply(reply(1, delta("Good "))), []);
        assert_eq!(conversation.unfinished, "Good ");
        let said = conversation.apply(reply(1, delta("day.\n\nHow")));
        assert_eq!(said, [FinishedLine::Assistant("Good day.".into())]);
        let said = conversation.apply(reply(1, ReplyEvent::Done(OutgoingResponse::text("…"))));
        assert_eq!(said, [FinishedLine::Assistant("How".into())]);
    }

    #[test]
    fn newer_query_finishes_the_earlier_reply() {
        let mut conversation = Conversation::new();
        conversation.apply(asked(1, "a", Origin::Voice));
        conversation.apply(reply(1, delta("Well")));

        let asked = asked(2, "b", Origin::Voice);

        assert_eq!(
            conversation.apply(asked),
            [FinishedLine::Assistant("Well".into()), FinishedLine::User("b".into())]
        );
        assert_eq!(conversation.apply(reply(1, delta("late"))), []);
    }

    #[test]
    fn tools_are_named_in_words_and_their_failure_is_told() {
        let mut conversation = Conversation::new();
        let call = ToolCallId("1".into());
        conversation.apply(asked(1, "a", Origin::Typed));

        let started = ReplyEvent::ToolStarted { call: call.clone(), tool: "toolSearchTool".into() };
        let finished = ReplyEvent::ToolFinished { call, outcome: ToolOutcome::Denied };

        assert_eq!(conversation.apply(reply(1, started)), [FinishedLine::Note("Using: tool search".into())]);
        assert_eq!(
            conversation.apply(reply(1, finished)),
            [FinishedLine::Note("Not allowed: tool search".into())]
        );
    }

    #[test]
    fn overheard_words_are_cleared_from_the_screen() {
        let mut conversation = Conversation::new();
        conversation.apply(AssistantEvent::Partial { utterance: UtteranceId(0), text: "pass the".into() });
        assert_eq!(conversation.live_words, "pass the");

        let text = "pass the salt".into();
        conversation.apply(AssistantEvent::Overheard { utterance: UtteranceId(0), text, is_echo: false });

        assert_eq!(conversation.live_words, "");
    }

    #[test]
    fn level_bar_has_the_same_length_at_any_level() {
        let lengths = [f32::NEG_INFINITY, -60.0, -30.0, 0.0, 6.0].map(|dbfs| level_bar(dbfs).chars().count());

        assert_eq!(lengths, [8; 5]);
        assert_eq!(level_bar(-30.0), "▮▮▮▮▯▯▯▯");
    }
}
