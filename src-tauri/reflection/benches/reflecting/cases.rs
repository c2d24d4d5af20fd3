//! The file of conversations. `tests/reflecting/README.md` describes its format.

use clap::ValueEnum;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::Deserialize;

/// The format name in the file.
const FORMAT: &str = "jarvis-reflecting-1";

/// Conversations and meals with the expected results.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cases {
    format: String,
    /// The conversations to read.
    pub conversations: Vec<Conversation>,
    /// The meals to read.
    pub meals: Vec<Meal>,
}

/// The half of a case: prompts are changed with one half and judged by the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Half {
    /// Used while prompts are changed.
    Tuning,
    /// Never used while prompts are changed.
    HeldOut,
}

/// A conversation of one or more days, with the expected results.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversation {
    /// Unique name.
    pub id: String,
    /// The half it belongs to.
    pub half: Half,
    /// The user's language.
    pub language: String,
    /// The turns, oldest first.
    pub turns: Vec<Turn>,
    /// Expectations for the diary entries of all days together.
    pub diary: Wanted,
    /// Expectations for the learned facts.
    pub facts: Wanted,
}

/// A message of the conversation.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The one who said it.
    pub speaker: Participant,
    /// Local time of the user.
    pub at: DateTime,
    /// The words.
    pub text: String,
}

/// A participant of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Participant {
    /// Words of the user.
    User,
    /// Words of the assistant.
    Assistant,
}

/// The facts that must be stored, and those that must not.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// Each item must be stored, in one of its wordings.
    pub keep: Vec<Vec<String>>,
    /// Words that must not be stored.
    #[serde(default)]
    pub avoid: Vec<String>,
    /// Maximum number of facts.
    pub most: Option<usize>,
}

/// A remark about food.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meal {
    /// Unique name.
    pub id: String,
    /// The half it belongs to.
    pub half: Half,
    /// Language of the remark.
    pub language: String,
    /// The conversations.
    pub text: String,
    /// The words that the description must contain.
    pub keep: Vec<Vec<String>>,
    /// Lowest and highest plausible estimate of the energy, in kilocalories.
    pub kcal: Option<[f64; 2]>,
    /// `true` if nothing was eaten.
    #[serde(default)]
    pub is_none: bool,
}

impl Cases {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Reads the cases; fails with the fault of the file.
    pub fn read(json: &str) -> Result<Self, String> {
        let cases: Self = serde_json::from_str(json).map_err(|error| error.to_string())?;
        match cases.errors() {
            errors if errors.is_empty() => Ok(cases),
            errors => Err(errors.join("; ")),
        }
    }

    /// Keeps only the wanted cases.
    pub fn keep(&mut self, is_wanted: impl Fn(Half, &str) -> bool) {
        self.conversations.retain(|conversation| is_wanted(conversation.half, &conversation.id));
        self.meals.retain(|meal| is_wanted(meal.half, &meal.id));
    }

    fn errors(&self) -> Vec<String> {
        let mut errors = Vec::new();
        if self.format != FORMAT {
            errors.push(format!("the format is {:?}: use {FORMAT:?}", self.format));
        }
        let mut ids: Vec<&str> = self.conversations.iter().map(|conversation| &conversation.id[..]).collect();
        ids.extend(self.meals.iter().map(|meal| &meal.id[..]));
        ids.sort_unstable();
        let twice = ids.windows(2).filter(|pair| pair[0] == pair[1]);
        errors.extend(twice.map(|pair| format!("{}: two have this id", pair[0])));
        let named = |id: &str, errors: Vec<String>| {
            errors.into_iter().map(move |error| format!("{id}: {error}")).collect()
        };
        let of_conversations = self.conversations.iter().map(|it| named(&it.id, it.errors()));
        let of_meals = self.meals.iter().map(|it| named(&it.id, it.errors()));
        errors.extend(of_conversations.chain(of_meals).flat_map(|errors: Vec<String>| errors));
        errors
    }
}

impl Conversation {
    /// The days, oldest first, each with its turns.
    pub fn days(&self) -> Vec<(Date, Vec<&Turn>)> {
        let mut days: Vec<(Date, Vec<&Turn>)> = Vec::new();
        for turn in &self.turns {
            match days.last_mut() {
                Some((day, turns)) if *day == turn.at.date() => turns.push(turn),
                _ => days.push((turn.at.date(), vec![turn])),
            }
        }
        days
    }

    fn errors(&self) -> Vec<String> {
        let mut errors = wanted_errors(&self.diary);
        errors.extend(wanted_errors(&self.facts));
        if self.turns.first().is_none_or(|turn| turn.speaker != Participant::User) {
            errors.push("begin with a turn of the user's".to_owned());
        }
        if self.turns.iter().any(|turn| turn.text.trim().is_empty()) {
            errors.push("a turn has no text".to_owned());
        }
        if !self.turns.windows(2).all(|pair| pair[0].at < pair[1].at) {
            errors.push("put each turn later than the one before it".to_owned());
        }
        if self.diary.most.is_some() {
            errors.push("`most` belongs to facts alone".to_owned());
        }
        if self.facts.keep.is_empty() && self.facts.most.is_none() {
            errors.push("say which facts are to be kept, or how many at `most` are learned".to_owned());
        }
        errors
    }
}

impl Meal {
    fn errors(&self) -> Vec<String> {
        let wanted = Wanted { keep: self.keep.clone(), ..Wanted::default() };
        let mut errors = wanted_errors(&wanted);
        if self.text.trim().is_empty() {
            errors.push("there is no text".to_owned());
        }
        if self.is_none != self.keep.is_empty() {
            errors.push("say either what is to be kept or that it `is_none`".to_owned());
        }
        if self.kcal.is_some_and(|[least, most]| least >= most) {
            errors.push("`kcal` is the least and the most".to_owned());
        }
        errors
    }
}

fn wanted_errors(wanted: &Wanted) -> Vec<String> {
    let kept = wanted.keep.iter().flatten();
    let is_blank = kept.chain(&wanted.avoid).any(|text| text.trim().is_empty());
    let is_empty = wanted.keep.iter().any(Vec::is_empty);
    let error = (is_blank || is_empty).then(|| "something to keep or avoid has no words".to_owned());
    error.into_iter().collect()
}

/// A local time in microseconds, read as UTC: the zone does not matter here.
pub fn micros(at: DateTime) -> i64 {
    at.to_zoned(TimeZone::UTC).map_or(0, |at| at.timestamp().as_microsecond())
}
