//! Cut-offs and delays of a policy, over all lengths of its pauses.

use std::fmt;
use std::time::Duration;

use hearing::{Completeness, HearingConfig, PauseSigns};
use settings::{HearingSettings, ListeningSettings};

use crate::pauses::Pause;

/// The mean delay that cut-offs are compared at. Source: eot-bench.
const DELAY: Duration = Duration::from_millis(300);
/// The share of cut-offs that delays are compared at. Source: eot-bench.
const CUT_OFFS: f64 = 0.05;

/// A mark above every vote.
const NEVER: f32 = 2.0;

/// The way the end is decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Policy {
    /// Every pause of the same length.
    SilenceAlone,
    /// The words decide.
    Words,
    /// A vote below `doubt` makes the wait longer; one from `sure` on shortens it where the words leave doubt.
    WordsAndSound { sure: f32, doubt: f32 },
    /// A vote from 0.95 on shortens the wait also if the words are complete, to two thirds.
    SoundShortens,
}

impl Policy {
    /// The marks of `hearing::endpoint`.
    pub const OF_HEARING: Self = Self::WordsAndSound { sure: 0.95, doubt: 0.4 };

    /// The marks to choose from.
    pub fn candidates() -> impl Iterator<Item = Self> {
        let doubts = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7];
        let marks = [NEVER, 0.95].into_iter();
        marks.flat_map(move |sure| doubts.map(|doubt| Self::WordsAndSound { sure, doubt }))
    }

    /// The silence that ends the utterance, with all pauses of the settings multiplied by `factor`.
    fn wait(self, pause: &Pause, factor: f64, config: &HearingConfig) -> Duration {
        let of_words = PauseSigns { finished: None, ..pause.signs }.closing_silence(config);
        let with = |vote| PauseSigns { finished: Some(vote), ..pause.signs }.closing_silence(config);
        let scaled = |silence: Duration| silence.mul_f64(factor).max(pause.words_known_after);
        match (self, pause.signs.finished.unwrap_or_default()) {
            (Self::SilenceAlone, _) => config.early_endpoint.mul_f64(factor),
            // The vote comes too late to end what is short anyway.
            (Self::WordsAndSound { sure, .. }, vote) if vote >= sure => {
                scaled(with(1.0)).max(pause.vote_known_after).min(scaled(of_words))
            }
            (Self::SoundShortens, vote) if vote >= 0.95 && !pause.signs.is_name_only => {
                let silence = with(1.0);
                let share = if pause.signs.words == Completeness::Complete { 2.0 / 3.0 } else { 1.0 };
                scaled(silence.mul_f64(share)).max(pause.vote_known_after).min(scaled(of_words))
            }
            (Self::WordsAndSound { doubt, .. }, vote)
                if vote < doubt && scaled(of_words) > pause.vote_known_after =>
            {
                scaled(with(0.0))
            }
            (Self::Words | Self::WordsAndSound { .. } | Self::SoundShortens, _) => scaled(of_words),
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SilenceAlone => f.write_str("silence alone"),
            Self::Words => f.write_str("words"),
            Self::SoundShortens => f.write_str("words, and sound only to shorten"),
            Self::WordsAndSound { sure: NEVER, doubt } => write!(f, "words and sound, longer below {doubt}"),
            Self::WordsAndSound { sure, doubt } => {
                write!(f, "words and sound, longer below {doubt}, shorter from {sure}")
            }
        }
    }
}

/// One point of a policy.
#[derive(Debug, Clone, Copy)]
struct Point {
    /// Share of the pauses inside sentences that end the turn.
    cut_offs: f64,
    /// Mean delay at the ends of sentences.
    delay: Duration,
}

fn point(pauses: &[Pause], policy: Policy, factor: f64, config: &HearingConfig) -> Point {
    let (mut inside, mut cut_off, mut ends, mut delay) = (0, 0, 0, Duration::ZERO);
    for pause in pauses {
        let wait = policy.wait(pause, factor, config);
        match pause.inside {
            Some(lasts) => {
                inside += 1;
                cut_off += u32::from(lasts > wait);
            }
            None => {
                ends += 1;
                delay += wait;
            }
        }
    }
    Point { cut_offs: f64::from(cut_off) / f64::from(inside.max(1)), delay: delay / ends.max(1) }
}

/// The number of pauses inside sentences and of ends.
pub fn describe(pauses: &[Pause]) -> String {
    let inside = pauses.iter().filter(|pause| pause.inside.is_some()).count();
    format!("{inside} pauses inside sentences, {} ends", pauses.len() - inside)
}

/// The figures of a policy over some pauses.
pub struct Figures {
    /// With the settings as they are.
    as_set: Point,
    /// The best point with a mean delay of at most [`DELAY`].
    at_delay: Option<Point>,
    /// The best point with at most the mean delay of the words alone, as set.
    at_same_delay: Option<Point>,
    /// The quickest point with cut-offs of at most [`CUT_OFFS`].
    at_cut_offs: Option<Point>,
}

impl Figures {
    pub fn new(pauses: &[Pause], policy: Policy) -> Self {
        let config = HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default()).unwrap();
        let curve = || (1..=200).map(|step| point(pauses, policy, f64::from(step) / 40.0, &config));
        let best_within = |delay: Duration| {
            let within = curve().filter(|point| point.delay <= delay);
            within.min_by(|a, b| a.cut_offs.total_cmp(&b.cut_offs))
        };
        Self {
            as_set: point(pauses, policy, 1.0, &config),
            at_delay: best_within(DELAY),
            at_same_delay: best_within(point(pauses, Policy::Words, 1.0, &config).delay),
            at_cut_offs: curve().find(|point| point.cut_offs <= CUT_OFFS),
        }
    }

    /// The policy of these with the fewest cut-offs at the delay of the words alone; of equal ones, the quickest.
    pub fn best(pauses: &[Pause], policies: impl Iterator<Item = Policy>) -> Option<Policy> {
        let worth = |policy: &Policy| {
            let figures = Self::new(pauses, *policy);
            let cut_offs = figures.at_same_delay.map_or(1.0, |point| point.cut_offs);
            (cut_offs, figures.at_cut_offs.map_or(Duration::MAX, |point| point.delay))
        };
        let order = |a: &(f64, Duration), b: &(f64, Duration)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        policies.min_by(|a, b| order(&worth(a), &worth(b)))
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |point: Point| format!("{:.1} %", point.cut_offs * 100.0);
        let or_never = |text: Option<String>| text.unwrap_or_else(|| "never".to_owned());
        let Self { as_set, at_delay, at_same_delay, at_cut_offs } = self;
        writeln!(f, "    cut-offs at {} ms: {}", DELAY.as_millis(), or_never(at_delay.map(share)))?;
        let delay = at_cut_offs.map(|point| format!("{} ms", point.delay.as_millis()));
        writeln!(f, "    delay at {:.0} % cut-offs: {}", CUT_OFFS * 100.0, or_never(delay))?;
        writeln!(f, "    cut-offs at the delay of the words as set: {}", or_never(at_same_delay.map(share)))?;
        write!(f, "    as set: {} cut off, after {} ms", share(*as_set), as_set.delay.as_millis())
    }
}
