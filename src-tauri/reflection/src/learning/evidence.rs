//! Finds the evidence of each fact: the user's words. What only the assistant said is dropped.
//!
//! Source: docs/behaviour/memory.md#learning-facts: a fact needs a direct statement of the user.

use jiff::civil::Date;
use memory::{Branch, Evidence, MessageContent, NewFact, Participant, UnsearchedMessage};
use vocabulary::Private;

use crate::facts::{ExtractedFact, MAX_FACT_CHARS};
use crate::grounding::grounded_share;
use crate::normalising::{normalise_fact, normalise_without_punctuation};

/// From this grounded share in one sentence of the assistant on, the fact may come from that sentence. Unrelated sentences
/// of one language share a quarter at most.
const MIN_ASSISTANT_SHARE: f64 = 0.25;

/// The number of earlier answers of the assistant to which the user may agree.
const EARLIER_ANSWERS: usize = 2;

/// A fact with the user's words that show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SupportedFact {
    pub(crate) branch: Branch,
    pub(crate) text: Private<String>,
    /// At least one.
    pub(crate) evidence: Vec<Evidence>,
}

impl SupportedFact {
    /// The fact with its first evidence, in the form the memory stores.
    pub(crate) fn new_fact(&self) -> NewFact {
        let evidence = self.evidence.first().cloned().unwrap_or_default();
        NewFact { text: self.text.0.clone(), evidence }
    }

    /// The evidence with the wording of this fact: a line that it is merged into may word it differently.
    pub(crate) fn evidence_with_wording(&self) -> impl Iterator<Item = Evidence> {
        self.evidence.iter().map(|evidence| Evidence { wording: self.text.0.clone(), ..evidence.clone() })
    }
}

/// The facts that the user said, without duplicates, and the number of all other facts.
pub(super) fn supported_facts(
    extracted: &[ExtractedFact],
    messages: &[UnsearchedMessage],
    day: Date,
) -> (Vec<SupportedFact>, usize) {
    let mut facts: Vec<SupportedFact> = Vec::new();
    let mut unsupported = 0;
    for fact in extracted {
        let Some(message) = source_message(fact, messages) else {
            unsupported += 1;
            continue;
        };
        add_fact(&mut facts, fact, evidence(fact, message, day));
    }
    (facts, unsupported)
}

/// Adds a fact, or only its evidence when the fact is in the list already.
pub(crate) fn add_fact(facts: &mut Vec<SupportedFact>, fact: &ExtractedFact, evidence: Evidence) {
    let text = redaction::redact(&fact.fact, MAX_FACT_CHARS);
    match facts
        .iter_mut()
        .find(|other| normalise_without_punctuation(&other.text) == normalise_without_punctuation(&text))
    {
        Some(known) => known.evidence.push(evidence),
        None => {
            facts.push(SupportedFact { branch: fact.branch, text: Private(text), evidence: vec![evidence] })
        }
    }
}

/// The message of the user with the quote. `None` when the user only agreed to what the assistant said.
fn source_message<'m>(
    fact: &ExtractedFact,
    messages: &'m [UnsearchedMessage],
) -> Option<&'m UnsearchedMessage> {
    let quote = normalise_fact(fact.quote.as_ref()?);
    if !quote.chars().any(char::is_alphanumeric) {
        return None;
    }
    let has_quote = |message: &UnsearchedMessage| {
        message.content.participant == Participant::User
            && normalise_fact(&message.content.text).contains(&quote)
    };
    let mut candidates = messages.iter().enumerate().filter(|(_, message)| has_quote(message));
    let (_, first) = candidates.clone().next()?;
    // Among several messages with the same words it is unclear which one the model means.
    (!candidates.any(|(index, message)| only_agrees(fact, message, &messages[..index]))).then_some(first)
}

/// Returns `true` if the fact comes from the assistant and the user did not say it in their own words.
fn only_agrees(fact: &ExtractedFact, message: &UnsearchedMessage, earlier: &[UnsearchedMessage]) -> bool {
    let same = |other: &&UnsearchedMessage| other.conversation == message.conversation;
    let earlier =
        earlier.iter().rev().filter(same).flat_map(|other| [Some(&other.content), other.before.as_ref()]);
    let before = std::iter::once(message.before.as_ref()).chain(earlier).flatten();
    let mut answers: Vec<&MessageContent> =
        before.filter(|said| said.participant == Participant::Assistant).collect();
    answers.dedup();
    let sentences = answers.into_iter().take(EARLIER_ANSWERS).flat_map(|said| sentences(&said.text));
    let assistant_share =
        sentences.map(|sentence| grounded_share(&fact.fact, &[sentence])).fold(0.0, f64::max);
    assistant_share >= MIN_ASSISTANT_SHARE
        && grounded_share(&fact.fact, &[&message.content.text[..]]) < assistant_share / 2.0
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '!', '?', '\n', '。', '！', '？']).filter(|sentence| !sentence.trim().is_empty())
}

fn evidence(fact: &ExtractedFact, message: &UnsearchedMessage, day: Date) -> Evidence {
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
    fn only_facts_in_the_users_words_are_supported(
        #[case] assistant: &str,
        #[case] user: &str,
        #[case] quote: &str,
        #[case] expected: bool,
    ) {
        let narration = message(1, Participant::Assistant, assistant, None);
        let answer = message(2, Participant::User, user, Some(&narration));
        let fact = ExtractedFact {
            branch: Branch::User,
            fact: Private("The user likes green tea.".into()),
            quote: Some(Private(quote.into())),
        };

        let both = [narration, answer.clone()];
        let (found, _) = supported_facts(std::slice::from_ref(&fact), &both, Date::constant(2025, 9, 15));
        // The same when the assistant's message was searched earlier.
        let (alone, _) = supported_facts(&[fact], &[answer], Date::constant(2025, 9, 15));

        assert_eq!((found.len(), alone.len()), (usize::from(expected), usize::from(expected)));
    }
}
