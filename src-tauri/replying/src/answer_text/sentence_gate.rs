//! Splits a model's text into sentences, and holds back what may be malformed.
//!
//! Prose goes to the screen word by word. Text that may turn out to be raw data is held back until its sentence, or
//! the whole answer, is complete and has passed the guard.

use crate::answer_text::answer_guard::{AnswerGuard, Untrue, Verdict};
use crate::answer_text::malformed::{
    holds_raw_data, is_leaked_call, is_malformed, may_become_malformed, rescue_from_json,
};
use crate::answer_text::sentences::{Ends, sentence_end};

/// Text that passed the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateEvent {
    /// Text for the screen.
    Delta(String),
    /// A sentence for the voice, trimmed. Its text has already come as deltas.
    Sentence(String),
}

/// The end of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Text that passes at the end.
    pub events: Vec<GateEvent>,
    /// The answer was malformed; text that passed before stays.
    pub was_malformed: bool,
    /// The reason why the rest of the answer was withheld.
    pub(crate) withheld: Option<Untrue>,
}

/// Characters that are common in raw data and rare in prose. A sentence with one is held back until it is complete.
const SUSPICIOUS: [char; 3] = ['{', '"', '<'];

/// The gate of one reply.
#[derive(Debug, Default)]
pub struct SentenceGate {
    /// Everything the model wrote.
    text: String,
    /// The number of bytes of it that went to the screen.
    shown: usize,
    /// The number of bytes of it that became sentences.
    spoken: usize,
    is_closed: bool,
    /// With one, a sentence is shown when it is complete and was judged.
    guard: Option<AnswerGuard>,
    withheld: Option<Untrue>,
    /// The sentences that wait for one that is released.
    held: Vec<String>,
}

impl SentenceGate {
    /// A gate for a new reply.
    pub fn new() -> Self {
        Self::default()
    }

    /// A gate whose sentences this guard judges.
    pub(crate) fn guarded(guard: Option<AnswerGuard>) -> Self {
        Self { guard, ..Self::default() }
    }

    /// The reason why the rest of the answer is withheld.
    pub(crate) fn withheld(&self) -> Option<Untrue> {
        self.withheld
    }

    /// Takes the next piece of the answer.
    ///
    /// # Errors
    ///
    /// `Malformed` when the answer is malformed: read no further.
    pub fn push(&mut self, piece: &str) -> Result<Vec<GateEvent>, MalformedAnswer> {
        let was_silent = self.shown == 0;
        let passed = self.pass(piece);
        // Without a word on the screen the answer can still be refused as a whole.
        let is_refused = was_silent
            && self.withheld.is_none()
            && !may_become_malformed(&self.text)
            && holds_raw_data(&self.text);
        if is_refused {
            (self.shown, self.spoken, self.is_closed) = (0, 0, true);
            return Err(MalformedAnswer { events: Vec::new() });
        }
        passed
    }

    fn pass(&mut self, piece: &str) -> Result<Vec<GateEvent>, MalformedAnswer> {
        self.text.push_str(piece);
        if self.is_closed || may_become_malformed(&self.text) {
            return Ok(Vec::new());
        }
        let mut events = Vec::new();
        // Behind a sentence that was left out may be raw data, too.
        while !may_become_malformed(&self.text)
            && let Some(end) = sentence_end(&self.text, self.spoken, Ends::WithWhatFollows)
        {
            if is_malformed_at(&self.text, self.spoken, end) {
                self.is_closed = true;
                return Err(MalformedAnswer { events });
            }
            self.release_until(end, &mut events);
            if self.is_closed {
                return Ok(events);
            }
        }
        if self.guard.is_some() {
            return Ok(events);
        }
        let open = &self.text[self.spoken..];
        let safe = open.find(SUSPICIOUS).unwrap_or(open.len());
        self.show_until(self.spoken + safe, &mut events);
        Ok(events)
    }

    /// The model has finished.
    pub fn finish(mut self) -> Ending {
        if self.is_closed {
            let (withheld, was_malformed) = (self.withheld, self.withheld.is_none());
            return Ending { events: Vec::new(), was_malformed, withheld };
        }
        let mut events = Vec::new();
        self.text.truncate(self.text.trim_end().len().max(self.shown));
        loop {
            // Anew behind each sentence that was left out: "Here is the answer:" often stands before an object.
            self.take_from_json();
            if is_malformed(&self.text) || (self.shown == 0 && is_leaked_call(&self.text)) {
                return Ending { events, was_malformed: true, withheld: None };
            }
            let Some(end) = sentence_end(&self.text, self.spoken, Ends::Anyhow) else { break };
            self.release_until(end, &mut events);
            if self.is_closed {
                break;
            }
        }
        Ending { events, was_malformed: false, withheld: self.withheld }
    }

    /// Goes on with the text that is meant, if nothing was shown and all that is left is an object that holds it.
    fn take_from_json(&mut self) {
        if self.shown == 0
            && let Some(meant) = rescue_from_json(&self.text)
        {
            (self.text, self.spoken) = (meant, 0);
        }
    }

    /// The text that went to the screen.
    pub fn shown(&self) -> &str {
        &self.text[..self.shown]
    }

    /// Lets the sentence up to `end` through, leaves it out, or closes the gate before it.
    fn release_until(&mut self, end: usize, events: &mut Vec<GateEvent>) {
        let sentence = self.text[self.spoken..end].trim();
        let judge = if self.shown == 0 { AnswerGuard::judge_first } else { AnswerGuard::judge };
        match self.guard.as_ref().map_or(Verdict::Release, |guard| judge(guard, sentence)) {
            Verdict::Release => {
                let length = end - self.spoken;
                for held in std::mem::take(&mut self.held) {
                    self.text.insert_str(self.spoken, &held);
                    self.let_through(held.len(), events);
                }
                self.let_through(length, events);
            }
            Verdict::Hold => self.held.push(self.text.drain(self.spoken..end).collect()),
            // A guarded sentence is shown whole, so nothing of it is on the screen.
            Verdict::Omit => self.text.replace_range(self.spoken..end, ""),
            Verdict::Withhold(reason) => {
                self.withheld = Some(reason);
                self.is_closed = true;
            }
        }
    }

    /// Shows and speaks the next `length` bytes.
    fn let_through(&mut self, length: usize, events: &mut Vec<GateEvent>) {
        let end = self.spoken + length;
        self.show_until(end, events);
        self.speak_until(end, events);
    }

    fn show_until(&mut self, end: usize, events: &mut Vec<GateEvent>) {
        if end > self.shown {
            let mut delta = self.text[self.shown..end].to_owned();
            if self.shown == 0 {
                delta = delta.trim_start().to_owned();
                if delta.is_empty() {
                    return;
                }
            }
            events.push(GateEvent::Delta(delta));
            self.shown = end;
        }
    }

    fn speak_until(&mut self, end: usize, events: &mut Vec<GateEvent>) {
        let sentence = self.text[self.spoken..end].trim();
        if sentence.chars().any(char::is_alphanumeric) {
            events.push(GateEvent::Sentence(sentence.to_owned()));
        }
        self.spoken = end;
    }
}

/// Returns `true` if the answer is malformed, now that the sentence from `begin` to `end` is complete. The sentences
/// before it passed.
fn is_malformed_at(text: &str, begin: usize, end: usize) -> bool {
    match begin {
        0 => is_malformed(&text[..end]),
        _ => holds_raw_data(&text[begin..end]),
    }
}

/// The answer is malformed. Text that passed before stays.
#[derive(Debug, PartialEq, Eq)]
pub struct MalformedAnswer {
    /// Text that passed with the same piece.
    pub events: Vec<GateEvent>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::answer_text::answer_guard::DoneCall;

    /// Feeds the text in pieces of `size` characters.
    fn through(text: &str, size: usize) -> (String, Vec<String>, bool) {
        let mut gate = SentenceGate::new();
        let mut events = Vec::new();
        let chars: Vec<char> = text.chars().collect();
        let mut was_malformed = false;
        for piece in chars.chunks(size) {
            match gate.push(&piece.iter().collect::<String>()) {
                Ok(more) => events.extend(more),
                Err(malformed) => {
                    events.extend(malformed.events);
                    was_malformed = true;
                    break;
                }
            }
        }
        if !was_malformed {
            let ending = gate.finish();
            events.extend(ending.events);
            was_malformed = ending.was_malformed;
        }
        let mut shown = String::new();
        let mut sentences = Vec::new();
        for event in events {
            match event {
                GateEvent::Delta(text) => shown.push_str(&text),
                GateEvent::Sentence(text) => sentences.push(text),
            }
        }
        (shown, sentences, was_malformed)
    }

    #[rstest]
    #[case::two("It rains. Take a coat!", &["It rains.", "Take a coat!"])]
    #[case::abbreviation("Dr. Lee is at 3.5 km, e.g. in Leeds. Go.", &["Dr. Lee is at 3.5 km, e.g. in Leeds.", "Go."])]
    #[case::quoted("She said \"no.\" Then she left.", &["She said \"no.\"", "Then she left."])]
    #[case::list("Two things:\n1. Milk\n2. Bread", &["Two things:", "1. Milk", "2. Bread"])]
    #[case::chinese("下雨了。带伞！", &["下雨了。", "带伞！"])]
    #[case::japanese("雨が降ります。傘を持って！", &["雨が降ります。", "傘を持って！"])]
    #[case::arabic("هل تمطر؟ خذ معطفا.", &["هل تمطر؟", "خذ معطفا."])]
    #[case::hindi("बारिश हो रही है। छाता लो।", &["बारिश हो रही है।", "छाता लो।"])]
    #[case::urdu("بارش ہو رہی ہے۔ چھتری لو۔", &["بارش ہو رہی ہے۔", "چھتری لو۔"])]
    #[case::korean("비가 와요. 우산을 챙기세요.", &["비가 와요.", "우산을 챙기세요."])]
    #[case::german_abbreviation("Das ist z. B. in Berlin ggf. teuer. Gut.", &["Das ist z. B. in Berlin ggf. teuer.", "Gut."])]
    #[case::german_ordinal("Der Zug fährt am 3. Mai. Gute Reise!", &["Der Zug fährt am 3. Mai.", "Gute Reise!"])]
    #[case::english_number("The answer is 42. Anything else?", &["The answer is 42.", "Anything else?"])]
    #[case::french_abbreviation("Voici Mme. Petit et M. Roux. Bonjour.", &["Voici Mme. Petit et M. Roux.", "Bonjour."])]
    #[case::spanish_abbreviation("La Sra. Gil llega. Bien.", &["La Sra. Gil llega.", "Bien."])]
    #[case::polish_abbreviation("Weź np. parasol. Pada.", &["Weź np. parasol.", "Pada."])]
    #[case::russian_abbreviation("Это ул. Мира. Хорошо.", &["Это ул. Мира.", "Хорошо."])]
    #[case::no_as_an_answer("No. It is dry.", &["No.", "It is dry."])]
    #[case::number_of_something("See no. 5 and p. 12. Bye.", &["See no. 5 and p. 12.", "Bye."])]
    #[case::no_sign_at_the_end("It rains. So there", &["It rains.", "So there"])]
    #[case::several_signs("Really?! Yes...", &["Really?!", "Yes..."])]
    fn cuts_an_answer_into_sentences(
        #[case] text: &str,
        #[case] expected: &[&str],
        #[values(1, 3, 1000)] size: usize,
    ) {
        let (shown, sentences, was_malformed) = through(text, size);

        assert_eq!((shown.as_str(), was_malformed), (text, false));
        assert_eq!(sentences, expected);
    }

    #[test]
    fn a_sentence_is_let_through_before_the_answer_is_whole() {
        let mut gate = SentenceGate::new();

        let first = gate.push("It rains. Take").unwrap();

        let deltas = [GateEvent::Delta("It rains.".into()), GateEvent::Sentence("It rains.".into())];
        assert_eq!(first[..2], deltas);
        assert_eq!(first[2], GateEvent::Delta(" Take".into()));
    }

    proptest! {
        #[test]
        fn nothing_of_a_withheld_answer_gets_through(
            value in "[1-9][0-9]? degrees",
            before in "(|It is sunny, |Today: |Well, )",
            size in 1_usize..9,
        ) {
            let english = languages::of_code("en").unwrap();
            let guard = AnswerGuard::new("weather?", vec![english]).with_topic(Some(languages::LiveTopic::Weather));
            let mut gate = SentenceGate::guarded(Some(guard));
            let text: Vec<char> = format!("{before}{value}. Take care. Bye").chars().collect();

            let mut events = Vec::new();
            for piece in text.chunks(size) {
                events.extend(gate.push(&piece.iter().collect::<String>()).unwrap());
            }
            let ending = gate.finish();

            prop_assert_eq!((events, ending.events), (Vec::new(), Vec::new()));
            prop_assert!(ending.withheld.is_some());
        }
    }

    #[rstest]
    #[case::token("Hello there. <unused3> Bye")]
    #[case::token_in_the_first_sentence("Well <unused3> bye.")]
    #[case::raw_data("See the docs. The \"location\": Leeds")]
    fn answer_that_comes_as_one_piece_is_refused_as_a_whole(#[case] text: &str) {
        assert_eq!(through(text, 1000), (String::new(), Vec::new(), true));
    }

    #[test]
    fn what_was_shown_before_raw_data_stays() {
        let (shown, _, was_malformed) = through("Hello there. <unused3> Bye", 1);

        assert_eq!((shown.trim_end(), was_malformed), ("Hello there.", true));
    }

    #[rstest]
    #[case::object("{\"name\": \"get_weather\", \"arguments\": {}}")]
    #[case::leaked_call("tool_calls: [1]")]
    fn what_is_no_answer_never_gets_through(#[case] text: &str, #[values(1, 7)] size: usize) {
        assert_eq!(through(text, size), (String::new(), Vec::new(), true));
    }

    #[test]
    fn what_was_meant_is_rescued_from_an_object() {
        let (shown, sentences, was_malformed) = through("{\"response\": \"It rains. Sorry.\"}", 4);

        assert_eq!((shown.as_str(), was_malformed), ("It rains. Sorry.", false));
        assert_eq!(sentences, ["It rains.", "Sorry."]);
    }

    #[rstest]
    #[case::text("{\"answer\": \"It is noon. Eat.\"}", "It is noon. Eat.", false)]
    #[case::call("{\"name\": \"getTime\", \"arguments\": {}}", "", true)]
    fn object_behind_a_sentence_that_is_left_out_is_read_too(
        #[case] object: &str,
        #[case] expected: &str,
        #[case] is_malformed: bool,
        #[values(1, 7, 500)] size: usize,
    ) {
        let english = languages::of_code("en").unwrap();
        let mut gate = SentenceGate::guarded(Some(AnswerGuard::new("noon?", vec![english])));
        let text: Vec<char> = format!("Here is your answer:\n{object}").chars().collect();

        let mut events = Vec::new();
        for piece in text.chunks(size) {
            events.extend(gate.push(&piece.iter().collect::<String>()).unwrap());
        }
        let ending = gate.finish();

        events.extend(ending.events);
        let deltas = events.iter().filter_map(|event| match event {
            GateEvent::Delta(text) => Some(text.as_str()),
            GateEvent::Sentence(_) => None,
        });
        assert_eq!((deltas.collect::<String>().as_str(), ending.was_malformed), (expected, is_malformed));
    }

    #[rstest]
    #[case::released_later(
        "Your post is here. It came from Hull. Bye.",
        "Your post is here. It came from Hull. Bye."
    )]
    #[case::never_released("Your post is here. It is a list.", "")]
    fn beginning_that_passes_over_a_result_waits_for_what_does_not(
        #[case] text: &str,
        #[case] expected: &str,
        #[values(1, 7, 500)] size: usize,
    ) {
        let english = languages::of_code("en").unwrap();
        let mut guard = AnswerGuard::new("what is in the post?", vec![english]).judging_claims(true);
        let quotable = Some("A parcel came from Hull.".to_owned());
        guard.note(DoneCall { quotable, ..DoneCall::default() });
        let mut gate = SentenceGate::guarded(Some(guard));
        let pieces: Vec<char> = text.chars().collect();

        let mut events = Vec::new();
        for piece in pieces.chunks(size) {
            events.extend(gate.push(&piece.iter().collect::<String>()).unwrap());
        }
        events.extend(gate.finish().events);

        let deltas = events.iter().filter_map(|event| match event {
            GateEvent::Delta(text) => Some(text.as_str()),
            GateEvent::Sentence(_) => None,
        });
        assert_eq!(deltas.collect::<String>(), expected);
    }

    #[test]
    fn an_answer_that_turns_into_raw_data_is_cut_before_it() {
        let (shown, _, was_malformed) = through("Here it is. See \"openapi\": \"3.0\". More.", 1);

        assert!(was_malformed);
        assert_eq!(shown, "Here it is. See ");
    }
}
