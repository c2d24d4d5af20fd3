//! A reply under way: what the user sees and hears of it, in order.

use tokio::sync::mpsc;
use vocabulary::{Language, ReplyEvent};

use crate::answer_text::answer_guard::{AnswerGuard, DoneCall, Untrue};
use crate::answer_text::loudspeaker::LoudspeakerFilter;
use crate::answer_text::sentence_gate::{Ending, GateEvent, MalformedAnswer, SentenceGate};
use crate::language::language_of_sentence;
use crate::tool_calls::tool_markers::ToolMarkers;
use crate::turn_loop::VisibleText;

/// The text between two turns.
const BETWEEN: &str = "\n\n";

/// A reply under way: its text so far, and where its events go.
pub struct StreamedReply {
    loudspeaker: LoudspeakerFilter,
    /// The loudspeaker that the model wrote before a text.
    taken_off: String,
    markers: ToolMarkers,
    gate: SentenceGate,
    /// Judges what models say.
    guard: Option<AnswerGuard>,
    events: mpsc::Sender<ReplyEvent>,
    sentences: usize,
    /// The texts of the turns before.
    earlier: String,
    /// This turn has shown text.
    has_begun: bool,
    /// The language that the model was told to answer in.
    language: Option<Language>,
}

/// The verdict whether the rest of an answer is worth reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Growth {
    /// More may follow.
    Open,
    /// The answer is malformed: read no further.
    Over,
}

impl StreamedReply {
    /// A reply that has said nothing.
    pub fn new(events: mpsc::Sender<ReplyEvent>, language: Option<Language>) -> Self {
        Self {
            loudspeaker: LoudspeakerFilter::default(),
            taken_off: String::new(),
            markers: ToolMarkers::default(),
            gate: SentenceGate::new(),
            guard: None,
            events,
            sentences: 0,
            earlier: String::new(),
            has_begun: false,
            language,
        }
    }

    /// From now on this guard, or none, judges what models say.
    pub(crate) fn guard_with(&mut self, guard: Option<AnswerGuard>) {
        self.guard = guard;
        self.restart_turn();
    }

    /// The guard of this reply.
    pub(crate) fn guard(&self) -> Option<&AnswerGuard> {
        self.guard.as_ref()
    }

    /// Notes a successful call: an answer may claim it.
    pub(crate) fn note_done(&mut self, call: DoneCall) {
        if let Some(guard) = &mut self.guard {
            guard.note(call);
            self.restart_turn();
        }
    }

    /// Notes a call that failed.
    pub(crate) fn note_failure(&mut self) {
        if let Some(guard) = &mut self.guard {
            guard.note_failure();
            self.restart_turn();
        }
    }

    /// `true` if the answer is nothing but what answered other questions. From now on it may: the model is asked again without
    /// the dialogue.
    pub(crate) fn leaves_dialogue(&mut self, answer: &str) -> bool {
        let Some(guard) = self.guard.as_mut().filter(|guard| guard.repeats_dialogue(answer)) else {
            return false;
        };
        guard.forget_dialogue();
        self.restart_turn();
        true
    }

    /// The reason why the rest of the answer is withheld.
    pub(crate) fn withheld(&self) -> Option<Untrue> {
        self.gate.withheld()
    }

    /// All that was shown.
    pub fn shown(&self) -> String {
        join(&self.earlier, self.gate.shown())
    }

    /// All that was shown, behind the loudspeaker that the model wrote: so the dialogue keeps it.
    pub fn written(&self) -> String {
        format!("{}{}", self.taken_off, self.shown())
    }

    /// Returns `true` if the answer of this turn has shown nothing.
    pub(crate) fn is_turn_silent(&self) -> bool {
        self.gate.shown().trim().is_empty()
    }

    /// Takes the next piece of an answer.
    pub(crate) async fn grow(&mut self, text: &str) -> Growth {
        let readable: String = text.chars().filter(|c| is_readable(*c)).collect();
        let filtered = self.loudspeaker.push(&readable);
        if let Some(taken_off) = filtered.taken_off.filter(|_| self.taken_off.is_empty()) {
            self.taken_off = taken_off;
        }
        let text = self.markers.push(&filtered.text);
        self.grow_by(&text).await
    }

    async fn grow_by(&mut self, text: &str) -> Growth {
        let (events, growth) = match self.gate.push(text) {
            Ok(events) => (events, Growth::Open),
            Err(MalformedAnswer { events }) => (events, Growth::Over),
        };
        self.release(events).await;
        growth
    }

    /// The answer of a turn is complete: releases the rest of it. What was said in this turn.
    pub(crate) async fn end_turn(&mut self) -> VisibleText {
        let held = self.markers.finish();
        self.grow_by(&held).await;
        self.loudspeaker = LoudspeakerFilter::default();
        let shown_before = self.gate.shown().to_owned();
        let gate = std::mem::replace(&mut self.gate, SentenceGate::guarded(self.guard.clone()));
        let Ending { events, was_malformed, withheld } = gate.finish();
        let rest: String = events
            .iter()
            .filter_map(|event| match event {
                GateEvent::Delta(text) => Some(text.as_str()),
                GateEvent::Sentence(_) => None,
            })
            .collect();
        self.release(events).await;
        let whole = format!("{shown_before}{rest}").trim().to_owned();
        self.earlier = join(&self.earlier, &whole);
        self.has_begun = false;
        match (withheld, whole.is_empty(), was_malformed) {
            (Some(reason), _, _) => VisibleText::Withheld(reason),
            (None, false, _) => VisibleText::Text(whole),
            (None, true, true) => VisibleText::Malformed,
            (None, true, false) => VisibleText::Nothing,
        }
    }

    /// The answer of a turn was a tool call: completes the prose before it, and drops what may be part of the call.
    pub(crate) async fn end_interim(&mut self) -> VisibleText {
        if self.is_turn_silent() {
            self.restart_turn();
            return VisibleText::Nothing;
        }
        self.end_turn().await
    }

    /// Forgets an answer that has shown nothing, to ask for it again.
    pub(crate) fn restart_turn(&mut self) {
        self.loudspeaker = LoudspeakerFilter::default();
        self.markers = ToolMarkers::default();
        self.gate = SentenceGate::guarded(self.guard.clone());
    }

    /// Says a text of our own, in its own language.
    pub async fn say(&mut self, text: &str, language: Option<Language>) {
        let spoken_in = std::mem::replace(&mut self.language, language);
        // Our own texts are true.
        let guard = self.guard.take();
        self.restart_turn();
        self.loudspeaker = LoudspeakerFilter::open();
        // They pass the gate whole.
        self.grow(text).await;
        self.end_turn().await;
        self.guard = guard;
        self.restart_turn();
        self.language = spoken_in;
    }

    /// Speaks a text that is no part of the reply, unless something was spoken already.
    pub async fn speak_first(&mut self, text: &str, language: Option<Language>) {
        if self.sentences == 0 {
            self.sentences = 1;
            self.send(ReplyEvent::Sentence { index: 0, text: text.to_owned(), language }).await;
        }
    }

    /// Sends an event that is not text.
    pub async fn send(&self, event: ReplyEvent) {
        // The reader may be gone; the dialogue stores the reply anyway.
        let _ = self.events.send(event).await;
    }

    async fn release(&mut self, events: Vec<GateEvent>) {
        for event in events {
            let event = match event {
                GateEvent::Delta(text) if std::mem::replace(&mut self.has_begun, true) => {
                    ReplyEvent::Delta { text }
                }
                GateEvent::Delta(text) if self.earlier.is_empty() => ReplyEvent::Delta { text },
                GateEvent::Delta(text) => ReplyEvent::Delta { text: format!("{BETWEEN}{text}") },
                GateEvent::Sentence(text) => {
                    self.sentences += 1;
                    let language = language_of_sentence(&text, self.language.as_ref());
                    ReplyEvent::Sentence { index: self.sentences - 1, text, language }
                }
            };
            self.send(event).await;
        }
    }
}

/// Control characters, and the sign of bytes that are no text, are nothing to read or to speak.
fn is_readable(c: char) -> bool {
    (!c.is_control() || c.is_whitespace()) && c != char::REPLACEMENT_CHARACTER
}

fn join(earlier: &str, text: &str) -> String {
    match (earlier.is_empty(), text.trim().is_empty()) {
        (true, _) => text.to_owned(),
        (false, true) => earlier.to_owned(),
        (false, false) => format!("{earlier}{BETWEEN}{}", text.trim_start()),
    }
}
