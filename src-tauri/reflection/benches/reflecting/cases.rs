//! The file of conversations, as `tests/reflecting/README.md` describes it.

use clap::ValueEnum;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::Deserialize;

/// What the first line of such a file says.
const FORMAT: &str = "jarvis-reflecting-1";

/// Conversations and meals, and what is to come of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cases {
    format: String,
    /// What was said.
    pub conversations: Vec<Conversation>,
    /// What was eaten.
    pub meals: Vec<Meal>,
}

/// Which half a case belongs to: prompts are written with the one in view, and judged by the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Half {
    /// Looked at while prompts are changed.
    Tuning,
    /// Never looked at while prompts are changed.
    HeldOut,
}

/// What was said, on one day or more, and what is to come of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversation {
    /// Its name.
    pub id: String,
    /// Where it belongs.
    pub half: Half,
    /// The user's language.
    pub language: String,
    /// What was said, oldest first.
    pub turns: Vec<Turn>,
    /// What the entries of all its days together are to say.
    pub diary: Wanted,
    /// What is to be learned.
    pub facts: Wanted,
}

/// Something that was said.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Who.
    pub speaker: Participant,
    /// When, where the user is.
    pub at: DateTime,
    /// What.
    pub text: String,
}

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Participant {
    /// Whoever uses the program.
    User,
    /// The program.
    Assistant,
}

/// What is to be kept, and what must not be.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// Each is a thing to be kept, in one of several wordings.
    pub keep: Vec<Vec<String>>,
    /// What must not be stored.
    #[serde(default)]
    pub avoid: Vec<String>,
    /// The most facts that may be learned.
    pub most: Option<usize>,
}

/// What somebody said about eating.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meal {
    /// Its name.
    pub id: String,
    /// Where it belongs.
    pub half: Half,
    /// Its language.
    pub language: String,
    /// What was said.
    pub text: String,
    /// What the description is to name.
    pub keep: Vec<Vec<String>>,
    /// Between what and what an estimate of the energy is sensible, in kilocalories.
    pub kcal: Option<[f64; 2]>,
    /// Nothing was eaten.
    #[serde(default)]
    pub is_none: bool,
}

impl Cases {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub fn read(json: &str) -> Result<Self, String> {
        let cases: Self = serde_json::from_str(json).map_err(|error| error.to_string())?;
        match cases.flaws() {
            flaws if flaws.is_empty() => Ok(cases),
            flaws => Err(flaws.join("; ")),
        }
    }

    /// Keeps the cases of which this holds.
    pub fn keep(&mut self, is_wanted: impl Fn(Half, &str) -> bool) {
        self.conversations.retain(|conversation| is_wanted(conversation.half, &conversation.id));
        self.meals.retain(|meal| is_wanted(meal.half, &meal.id));
    }

    fn flaws(&self) -> Vec<String> {
        let mut flaws = Vec::new();
        if self.format != FORMAT {
            flaws.push(format!("the format is {:?}: use {FORMAT:?}", self.format));
        }
        let mut ids: Vec<&str> = self.conversations.iter().map(|conversation| &conversation.id[..]).collect();
        ids.extend(self.meals.iter().map(|meal| &meal.id[..]));
        ids.sort_unstable();
        let twice = ids.windows(2).filter(|pair| pair[0] == pair[1]);
        flaws.extend(twice.map(|pair| format!("{}: two have this id", pair[0])));
        let named = |id: &str, flaws: Vec<String>| {
            flaws.into_iter().map(move |flaw| format!("{id}: {flaw}")).collect()
        };
        let of_conversations = self.conversations.iter().map(|it| named(&it.id, it.flaws()));
        let of_meals = self.meals.iter().map(|it| named(&it.id, it.flaws()));
        flaws.extend(of_conversations.chain(of_meals).flat_map(|flaws: Vec<String>| flaws));
        flaws
    }
}

impl Conversation {
    /// Its days, oldest first, each with what was said on it.
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

    fn flaws(&self) -> Vec<String> {
        let mut flaws = wanted_flaws(&self.diary);
        flaws.extend(wanted_flaws(&self.facts));
        if self.turns.first().is_none_or(|turn| turn.speaker != Participant::User) {
            flaws.push("begin with a turn of the user's".to_owned());
        }
        if self.turns.iter().any(|turn| turn.text.trim().is_empty()) {
            flaws.push("a turn has no text".to_owned());
        }
        if !self.turns.windows(2).all(|pair| pair[0].at < pair[1].at) {
            flaws.push("put each turn later than the one before it".to_owned());
        }
        if self.diary.most.is_some() {
            flaws.push("`most` belongs to facts alone".to_owned());
        }
        if self.facts.keep.is_empty() && self.facts.most.is_none() {
            flaws.push("say which facts are to be kept, or how many at `most` are learned".to_owned());
        }
        flaws
    }
}

impl Meal {
    fn flaws(&self) -> Vec<String> {
        let wanted = Wanted { keep: self.keep.clone(), ..Wanted::default() };
        let mut flaws = wanted_flaws(&wanted);
        if self.text.trim().is_empty() {
            flaws.push("there is no text".to_owned());
        }
        if self.is_none != self.keep.is_empty() {
            flaws.push("say either what is to be kept or that it `is_none`".to_owned());
        }
        if self.kcal.is_some_and(|[least, most]| least >= most) {
            flaws.push("`kcal` is the least and the most".to_owned());
        }
        flaws
    }
}

fn wanted_flaws(wanted: &Wanted) -> Vec<String> {
    let kept = wanted.keep.iter().flatten();
    let is_blank = kept.chain(&wanted.avoid).any(|text| text.trim().is_empty());
    let is_empty = wanted.keep.iter().any(Vec::is_empty);
    let flaw = (is_blank || is_empty).then(|| "something to keep or avoid has no words".to_owned());
    flaw.into_iter().collect()
}

/// A local time in microseconds: every zone is as good as any other here.
pub fn micros(at: DateTime) -> i64 {
    at.to_zoned(TimeZone::UTC).map_or(0, |at| at.timestamp().as_microsecond())
}
