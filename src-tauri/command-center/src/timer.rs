//! A timer that is asked for in plain words, so that no server is needed for it.

use languages::phrases::{MINUS, Phrases, RANGE_SIGN, folded_word, written_words};
use languages::{LanguageData, PerLanguage};

use crate::spoken::SpokenNumbers;

/// A timer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenTimer {
    /// Never zero.
    pub duration_seconds: u64,
    /// The purpose, in small letters.
    pub label: Option<String>,
}

/// The timer that an utterance asks for; `None` if it asks for anything else, for several timers, for a range, or for none.
/// The name of the assistant, one word, says nothing wherever it stands.
pub fn spoken_timer(
    text: &str,
    assistant_name: &str,
    language: &'static LanguageData,
) -> Option<SpokenTimer> {
    let reader = READERS.get(language).as_ref()?;
    let name = languages::folded(assistant_name);
    let written = written_words(text).into_iter().map(|written| (folded_word(&written), written));
    let (words, written): (Vec<String>, Vec<String>) = written.filter(|(word, _)| *word != name).unzip();
    let duration = reader.only_duration(&words)?;
    reader.is_request(&words, &duration).then_some(())?;
    // A duration is never longer than a year, so that the number fits.
    let duration_seconds = duration.seconds.round() as u64;
    (duration_seconds > 0).then_some(())?;
    Some(SpokenTimer { duration_seconds, label: reader.label(&words, &written, &duration) })
}

/// A duration and its place.
struct Found {
    from: usize,
    end: usize,
    seconds: f64,
}

struct Reader {
    numbers: &'static SpokenNumbers,
    triggers: Phrases,
    plurals: Phrases,
    more: Phrases,
    conjunctions: Phrases,
    openers: Phrases,
    range_signs: Phrases,
    range_openers: Phrases,
    relations: Phrases,
    conditions: Phrases,
    when: Phrases,
    fillers: Phrases,
    articles: Phrases,
    negations: Phrases,
    harmless_negations: Phrases,
    questions: Phrases,
    question_words: Phrases,
    other_orders: Phrases,
    skipped: Phrases,
}

static READERS: PerLanguage<Option<Reader>> = PerLanguage::new(Reader::new);

impl Reader {
    fn new(data: &'static LanguageData) -> Option<Self> {
        let table = data.requests.as_ref()?;
        let own = data.command_center.as_ref()?;
        let timer = &own.timer;
        let skipped = data.greetings.iter().chain(data.fillers.iter()).chain(data.polite_words.iter());
        Some(Self {
            numbers: SpokenNumbers::from_data(data)?,
            triggers: Phrases::from_list(timer.triggers),
            plurals: Phrases::from_list(timer.plurals),
            more: Phrases::from_list(timer.more),
            conjunctions: Phrases::from_list(data.conjunctions),
            openers: Phrases::from_list(data.request_openers),
            range_signs: Phrases::new(timer.range_signs.iter()),
            range_openers: Phrases::from_list(timer.range_openers),
            relations: Phrases::from_list(timer.relations),
            conditions: Phrases::from_list(timer.conditions),
            when: Phrases::from_list(timer.when),
            fillers: Phrases::from_list(timer.fillers),
            articles: Phrases::new(table.articles.split('|')),
            negations: Phrases::from_list(own.negations),
            harmless_negations: Phrases::from_list(own.harmless_negations),
            questions: Phrases::from_list(own.questions),
            question_words: Phrases::new(data.question_words.iter().chain(own.question_forms.iter())),
            other_orders: Phrases::from_list(own.other_orders),
            skipped: Phrases::new(skipped),
        })
    }

    /// The only duration of the words; `None` if there is none, or more than one.
    fn only_duration(&self, words: &[String]) -> Option<Found> {
        let mut only = None;
        let mut at = 0;
        while at < words.len() {
            if self.numbers.is_long_duration(&words[at..]) {
                return None;
            }
            let Some(duration) = self.numbers.duration_at(&words[at..]) else {
                at += 1;
                continue;
            };
            let found = Found { from: at, end: at + duration.length, seconds: duration.seconds };
            if only.replace(self.with_rest(words, found, duration.unit_seconds)).is_some() {
                return None;
            }
            at = only.as_ref().map_or(words.len(), |found| found.end);
        }
        only
    }

    /// "an hour twenty": a number at the end counts the next smaller unit.
    fn with_rest(&self, words: &[String], found: Found, unit_seconds: u32) -> Found {
        let rest = &words[found.end..];
        match self.numbers.number_at(rest) {
            Some((length, number))
                if unit_seconds > 1
                    && number.fract() == 0.0
                    && (1.0..60.0).contains(&number)
                    && self.says_nothing(&rest[length..]) =>
            {
                let seconds = found.seconds + number * f64::from(unit_seconds / 60);
                Found { end: found.end + length, seconds, ..found }
            }
            _ => found,
        }
    }

    fn says_nothing(&self, words: &[String]) -> bool {
        words.is_empty() || self.skipped.at(words).is_some_and(|length| self.says_nothing(&words[length..]))
    }

    fn is_request(&self, words: &[String], duration: &Found) -> bool {
        let (before, behind) = (&words[..duration.from], &words[duration.end..]);
        let is_several = self.plurals.find(words).is_some() || self.more.find(behind).is_some();
        let trigger = self.triggers.find(before).or_else(|| self.triggers.find(behind));
        if is_several || trigger.is_none() {
            return false;
        }
        !(self.is_refused(words, duration)
            || self.is_question(words, duration)
            || self.is_range(before, behind)
            || self.relations.at(behind).is_some()
            || self.is_followed_by_a_request(behind)
            || self.is_conditional(words, duration))
    }

    /// Something is not to be done, or is about what runs already.
    fn is_refused(&self, words: &[String], duration: &Found) -> bool {
        let trigger = self.triggers.find(words).map_or(words.len(), |(at, _)| at);
        let first = trigger.min(duration.from);
        let is_order = |at: &usize| self.other_orders.at(&words[*at..first]).is_some();
        let is_negated = |at: &usize| {
            let rest = &words[*at..];
            self.negations.at(rest).is_some() && !self.is_harmless(words, *at)
        };
        // What stands behind both may be part of the label: "to stop the oven".
        (0..first).any(|at| is_order(&at))
            || (0..trigger.max(duration.from).min(words.len())).any(|at| is_negated(&at))
    }

    fn is_harmless(&self, words: &[String], at: usize) -> bool {
        (0..=at)
            .any(|from| self.harmless_negations.at(&words[from..]).is_some_and(|length| from + length > at))
    }

    fn is_question(&self, words: &[String], duration: &Found) -> bool {
        let mut start = 0;
        while let Some(length) = self.skipped.at(&words[start..]) {
            start += length;
        }
        let asks = |at: usize| {
            self.question_words.at(&words[at..]).is_some() && !self.is_when_before(words, at, duration)
        };
        self.questions.at(&words[start..]).is_some() || (0..words.len()).any(asks)
    }

    /// "when [the] 5 minutes"
    fn is_when_before(&self, words: &[String], at: usize, duration: &Found) -> bool {
        self.when.at(&words[at..]).is_some_and(|length| {
            let next = at + length;
            let article = words.get(next..).and_then(|rest| self.articles.at(rest)).unwrap_or_default();
            next == duration.from || next + article == duration.from
        })
    }

    fn is_range(&self, before: &[String], behind: &[String]) -> bool {
        let is_number_before = |words: &[String]| {
            (0..words.len()).any(|at| {
                self.numbers.number_at(&words[at..]).is_some_and(|(length, _)| at + length == words.len())
            })
        };
        let is_sign_at_end = before.last().is_some_and(|word| word == RANGE_SIGN).then_some(1);
        let sign = is_sign_at_end.or_else(|| self.range_signs.at_end(before));
        let follows_number = sign.is_some_and(|length| is_number_before(&before[..before.len() - length]));
        let sign = behind.first().is_some_and(|word| word == RANGE_SIGN).then_some(1);
        let sign = sign.or_else(|| self.range_signs.at(behind));
        let precedes_number = sign.is_some_and(|length| self.numbers.number_at(&behind[length..]).is_some());
        follows_number
            || precedes_number
            || is_number_before(before)
            || before.last().is_some_and(|word| word == MINUS)
            || self.range_openers.find(before).is_some()
    }

    /// "and tell me a joke": one timer is not all that is asked for.
    fn is_followed_by_a_request(&self, behind: &[String]) -> bool {
        (0..behind.len()).any(|at| {
            let next = self.conjunctions.at(&behind[at..]).map(|length| &behind[at + length..]);
            let opener = next.and_then(|next| self.openers.at(next));
            // "and call it tea" only says what it is for.
            opener > next.and_then(|next| self.fillers.at(next))
        })
    }

    fn is_conditional(&self, words: &[String], duration: &Found) -> bool {
        (0..words.len())
            .any(|at| self.conditions.at(&words[at..]).is_some() && !self.is_when_before(words, at, duration))
    }

    /// The words that are left without the duration, numbers and what says nothing.
    fn label(&self, words: &[String], written: &[String], duration: &Found) -> Option<String> {
        let mut left: Vec<&str> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            if at == duration.from {
                at = duration.end;
                continue;
            }
            // A phrase does not reach into the duration.
            let end = if at < duration.from { duration.from } else { words.len() };
            let rest = &words[at..end];
            let silent =
                self.triggers.at(rest).or_else(|| self.fillers.at(rest)).or_else(|| self.skipped.at(rest));
            let silent = silent.or_else(|| self.numbers.number_at(rest).map(|(length, _)| length));
            if silent.is_none() {
                left.push(&written[at]);
            }
            at += silent.unwrap_or(1);
        }
        (!left.is_empty()).then(|| left.join(" "))
    }
}

#[cfg(test)]
mod tests;
