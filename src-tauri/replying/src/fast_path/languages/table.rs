//! What the table of a language contains.

/// The requests of one language. Alternatives have `|` between them.
pub(in super::super) struct Table {
    /// ISO 639-1.
    pub code: &'static str,
    /// Beginnings that say nothing: "can you", "tell me".
    pub openers: &'static str,
    /// Words that say nothing wherever they stand, besides polite words and fillers.
    pub ignored: &'static str,
    /// Whole requests that want no answer.
    pub dismissals: &'static str,
    /// Words that name nothing to do or to buy: "put something on my list".
    pub unnamed: &'static str,
    /// Before decimals: '.' or ','.
    pub decimal_sign: char,
    /// The decimal sign as a word: "point".
    pub point: &'static str,
    /// Articles that count as one.
    pub one: &'static str,
    /// Between parts of a duration and between timers: "and".
    pub and: &'static str,
    /// Whole durations, in seconds: "half an hour".
    pub durations: &'static [(&'static str, u32)],
    /// Half of the unit, behind the number: "two and a half hours".
    pub and_a_half: &'static str,
    /// Half of the unit, behind the unit: "an hour and a half".
    pub unit_and_a_half: &'static str,
    /// Numbers with a half: "anderthalb", in tenths.
    pub halves: &'static [(&'static str, u32)],
    /// Words that make an hour one of the morning.
    pub morning: &'static str,
    /// Words that make an hour one of the afternoon or evening.
    pub evening: &'static str,
    /// Times of day. The slot is `{h}`, and `{m}` for minutes.
    pub clock: &'static [(&'static str, ClockMeaning)],
    /// Signs between two numbers, in the notation of `calculate`.
    pub operators: &'static [(&'static str, &'static str)],
    /// What stands before a number: roots.
    pub prefixes: &'static [(&'static str, &'static str)],
    /// What stands behind a number: powers.
    pub postfixes: &'static [(&'static str, &'static str)],
    /// Words that make an appointment one that repeats, wherever they stand.
    pub repeating: &'static str,
    /// How often: `daily`, `weekdays`.
    pub repetitions: &'static [(&'static str, &'static str)],
    /// Before the day of a week that something repeats on: "every".
    pub every: &'static str,
    /// Words for a list that names of lists end in: "Einkaufsliste".
    pub list_words: &'static str,
    /// The requests. Where an alarm or a reminder may have a `{date}`, it may be one that repeats.
    pub requests: &'static [(Meaning, &'static [&'static str])],
}

/// What the words of a time of day mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum ClockMeaning {
    /// These minutes behind the hour, or before it.
    Offset(i32),
    /// `{m}` minutes behind the hour.
    Past,
    /// `{m}` minutes before the hour.
    To,
    /// This time: minutes since midnight.
    Fixed(u32),
}

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Meaning {
    /// The time, here or at `{place}`.
    Time,
    /// The day today or of `{date}`.
    Date,
    /// The days until `{date}`.
    DaysUntil,
    /// A timer of `{duration}`, with a `{label}` or without. Two labels: two timers of this duration. Two durations: two
    /// timers.
    Timer,
    /// The timers, or the one called `{label}`.
    ListTimers,
    /// Cancels the only timer, or the one called `{label}`.
    CancelTimer,
    /// Cancels all timers.
    CancelAllTimers,
    /// Ends what rings.
    StopRinging,
    /// Later again, in `{duration}`.
    Snooze,
    /// An alarm at `{clock}`, on `{date}` or the next time.
    Alarm,
    /// The alarms and reminders that are set.
    ListReminders,
    /// Cancels the only alarm or reminder, or the one about `{text}`.
    CancelReminder,
    /// `{text}` goes on a list, on the one called `{label}` or `{list}`.
    AddTodo,
    /// What is on a list.
    ListTodos,
    /// `{text}` is done.
    FinishTodo,
    /// Says `{text}` at `{clock}`, on `{date}` or the next time, or in `{duration}`.
    Remind,
    /// Volume of `{n}` percent.
    Volume,
    /// Louder.
    Louder,
    /// Quieter.
    Quieter,
    /// No voice.
    Mute,
    /// The voice again.
    Unmute,
    /// The result of `{maths}`.
    Calculate,
    /// `{n}` percent of `{n}`.
    PercentOf,
    /// `{n}` of one `{unit}` in another.
    Convert,
    /// The same, with the wanted unit first.
    ConvertTo,
}
