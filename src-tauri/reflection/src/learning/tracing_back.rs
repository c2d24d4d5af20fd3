//! Traces each fact to the words of the user that show it. What the user never said is no fact, whoever else said it.
//!
//! Source: behaviour reference, section 12, "Facts": a fact needs a direct statement of the user.

use jiff::civil::Date;
use memory::{Branch, Evidence, MessageContent, NewFact, Participant, UnsearchedMessage};
use vocabulary::Private;

use crate::facts::{Extracted, LONGEST_FACT};
use crate::folding::{normalise_fact, without_ending};
use crate::grounding::grounded_share;

/// So much of a fact stands in one sentence of the assistant's: then that is where it may come from. Unrelated sentences
/// of one language share a quarter at most.
const SAID_BEFORE: f64 = 0.25;

/// So many answers of the assistant may a user agree to: the last, and the one before it.
const ANSWERS: usize = 2;

/// A fact with its witnesses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) branch: Branch,
    pub(crate) text: Private<String>,
    /// At least one.
    pub(crate) evidence: Vec<Evidence>,
}

impl Found {
    /// The fact as the memory takes it, with its first witness.
    pub(crate) fn new_fact(&self) -> NewFact {
        let evidence = self.evidence.first().cloned().unwrap_or_default();
        NewFact { text: self.text.0.clone(), evidence }
    }

    /// Its evidence, with what it was read from it: a line that it is merged into says it in other words.
    pub(crate) fn worded_evidence(&self) -> impl Iterator<Item = Evidence> {
        self.evidence.iter().map(|evidence| Evidence { wording: self.text.0.clone(), ..evidence.clone() })
    }
}

/// The facts that the user said, each once, and how many others there are.
pub(super) fn traced(
    extracted: &[Extracted],
    messages: &[UnsearchedMessage],
    day: Date,
) -> (Vec<Found>, usize) {
    let mut found: Vec<Found> = Vec::new();
    let mut without_witness = 0;
    for fact in extracted {
        let Some(witness) = witness(fact, messages) else {
            without_witness += 1;
            continue;
        };
        add(&mut found, fact, evidence(fact, witness, day));
    }
    (found, without_witness)
}

/// Adds a fact, or a witness to it when it is among them.
pub(crate) fn add(found: &mut Vec<Found>, fact: &Extracted, evidence: Evidence) {
    let text = redaction::redact(&fact.fact, LONGEST_FACT);
    match found.iter_mut().find(|other| without_ending(&other.text) == without_ending(&text)) {
        Some(known) => known.evidence.push(evidence),
        None => found.push(Found { branch: fact.branch, text: Private(text), evidence: vec![evidence] }),
    }
}

/// The message of the user that holds the quote and is more than a yes to what the assistant said.
fn witness<'m>(fact: &Extracted, messages: &'m [UnsearchedMessage]) -> Option<&'m UnsearchedMessage> {
    let quote = normalise_fact(fact.quote.as_ref()?);
    if !quote.chars().any(char::is_alphanumeric) {
        return None;
    }
    let holds_it = |message: &UnsearchedMessage| {
        message.content.participant == Participant::User
            && normalise_fact(&message.content.text).contains(&quote)
    };
    let mut holders = messages.iter().enumerate().filter(|(_, message)| holds_it(message));
    let (_, first) = holders.clone().next()?;
    // Of several messages of the same words we cannot tell which one is meant.
    (!holders.any(|(place, message)| only_agrees(fact, message, &messages[..place]))).then_some(first)
}

/// Is the fact the assistant's, and the user has not said it in words of their own?
fn only_agrees(fact: &Extracted, message: &UnsearchedMessage, earlier: &[UnsearchedMessage]) -> bool {
    let same = |other: &&UnsearchedMessage| other.conversation == message.conversation;
    let earlier =
        earlier.iter().rev().filter(same).flat_map(|other| [Some(&other.content), other.before.as_ref()]);
    let before = std::iter::once(message.before.as_ref()).chain(earlier).flatten();
    let mut answers: Vec<&MessageContent> =
        before.filter(|said| said.participant == Participant::Assistant).collect();
    answers.dedup();
    let sentences = answers.into_iter().take(ANSWERS).flat_map(|said| sentences(&said.text));
    let narrated = sentences.map(|sentence| grounded_share(&fact.fact, &[sentence])).fold(0.0, f64::max);
    narrated >= SAID_BEFORE && grounded_share(&fact.fact, &[&message.content.text[..]]) < narrated / 2.0
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '!', '?', '\n', '。', '！', '？']).filter(|sentence| !sentence.trim().is_empty())
}

fn evidence(fact: &Extracted, message: &UnsearchedMessage, day: Date) -> Evidence {
    let quote = fact.quote.as_ref().map_or("", |quote| &quote[..]);
    Evidence {
        quote: redaction::redact(quote, redaction::MAX_CHARS),
        observed_at: message.content.at_micros,
        day: Some(day),
        conversation: message.conversation.0.clone(),
        participant: Some(message.content.participant),
        channel: message.channel.clone(),
        message: Some(message.message),
        entry: message.entry.map(|entry| entry.0),
        ..Evidence::default()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use vocabulary::ConversationId;

    use super::*;

    fn message(
        id: i64,
        speaker: Participant,
        text: &str,
        before: Option<&UnsearchedMessage>,
    ) -> UnsearchedMessage {
        UnsearchedMessage {
            message: id,
            conversation: ConversationId("main".into()),
            channel: "voice".into(),
            content: MessageContent::new(speaker, text, id * 1000),
            before: before.map(|before| before.content.clone()),
            entry: None,
        }
    }

    #[rstest]
    #[case::own_words("Noted.", "I like green tea", "I like green tea", true)]
    #[case::agreed("You like green tea, don't you?", "yes, as I said", "yes, as I said", false)]
    #[case::said_again("You like green tea.", "yes, I like green tea a lot", "I like green tea", true)]
    #[case::words_of_the_assistant("You like green tea.", "indeed", "You like green tea", false)]
    #[case::no_words("You like green tea.", "… I like green tea", "…", false)]
    #[case::agreed_to_in_other_words(
        "You drink green tea. Is it so?",
        "yes, as I said",
        "yes, as I said",
        false
    )]
    #[case::own_answer_to_a_long_one(
        "The weather is fine today, and there is nothing in your calendar. What else can I tell you? Do ask.",
        "mostly green tea",
        "mostly green tea",
        true
    )]
    #[case::own_answer("What do you drink?", "mostly green tea", "mostly green tea", true)]
    fn only_what_the_user_said_is_a_fact(
        #[case] assistant: &str,
        #[case] user: &str,
        #[case] quote: &str,
        #[case] expected: bool,
    ) {
        let narration = message(1, Participant::Assistant, assistant, None);
        let answer = message(2, Participant::User, user, Some(&narration));
        let fact = Extracted {
            branch: Branch::User,
            fact: Private("The user likes green tea.".into()),
            quote: Some(Private(quote.into())),
        };

        let both = [narration, answer.clone()];
        let (found, _) = traced(std::slice::from_ref(&fact), &both, Date::constant(2025, 9, 15));
        // The same when the narration was searched earlier.
        let (alone, _) = traced(&[fact], &[answer], Date::constant(2025, 9, 15));

        assert_eq!((found.len(), alone.len()), (usize::from(expected), usize::from(expected)));
    }
}
