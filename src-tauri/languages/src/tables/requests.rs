//! The content of `requests.toml`: requests that are answered without a model.

use super::lists::List;

/// The requests of one language that are answered without a model. `|` stands between alternatives; patterns are in the
/// notation of `sequences`.
#[derive(Debug)]
pub struct RequestTable {
    /// Beginnings that say nothing: "can you", "tell me".
    pub openers: &'static str,
    /// Names that other assistants are called by, said before a request out of habit: "alexa", "ok google".
    pub other_assistants: &'static str,
    /// Words that say nothing wherever they stand, besides polite words and fillers.
    pub ignored: &'static str,
    /// Whole requests that want no answer.
    pub dismissals: &'static str,
    /// Words that name nothing to do or to buy: "put something on my list".
    pub unnamed: &'static str,
    /// Words that name an appointment by its place among the others, besides those of `places`: "the next reminder".
    pub relative_places: &'static str,
    /// Words for something that was said before: "put that on my list".
    pub pronouns: &'static str,
    /// Short questions behind a request, which ask nothing: "set a timer, will you?"
    pub tag_questions: &'static str,
    /// Ends of an answer behind the value that was asked for: "twenty minutes should do".
    pub answer_endings: &'static str,
    /// Say nothing in an answer to "which one?", besides function words.
    pub choice_words: &'static str,
    /// Answers to "which one?" by the place in the question: "both", "the second one".
    pub places: List<(&'static str, PlaceInList)>,
    /// Begin what is no answer to a question: "I don't know", "play some music". In languages with the verb at the end, they
    /// may end it.
    pub no_answers: &'static str,
    /// Before decimals: '.' or ','.
    pub decimal_sign: char,
    /// The decimal sign as a word: "point".
    pub point: &'static str,
    /// Articles that count as one.
    pub one: &'static str,
    /// Between parts of a duration and between timers: "and".
    pub and: &'static str,
    /// Whole durations, in seconds: "half an hour".
    pub durations: List<(&'static str, u32)>,
    /// Half of the unit, behind the number: "two and a half hours".
    pub and_a_half: &'static str,
    /// Half of the unit, behind the unit: "an hour and a half".
    pub unit_and_a_half: &'static str,
    /// Numbers with a half: "anderthalb", in tenths.
    pub halves: List<(&'static str, u32)>,
    /// Parts of a whole with their numerator and denominator: "a third".
    pub fractions: List<(&'static str, (u32, u32))>,
    /// Words that make an hour one of the morning.
    pub morning: &'static str,
    /// Words that make an hour one of the afternoon or evening.
    pub evening: &'static str,
    /// Optional words behind 6:30, such as "o'clock".
    pub clock_sign: &'static str,
    /// Times of day. The slots are `{h}`, `{m}` for minutes, and `{hm}` for both, as in 7:15.
    pub clock: List<(&'static str, ClockMeaning)>,
    /// Signs between two numbers, in the notation of `calculate`.
    pub operators: List<(&'static str, &'static str)>,
    /// Operations before a number: roots.
    pub prefixes: List<(&'static str, &'static str)>,
    /// Operations behind a number: powers, and roots in languages that say them there.
    pub postfixes: List<(&'static str, &'static str)>,
    /// Words that make an appointment one that repeats, wherever they stand.
    pub repeating: &'static str,
    /// Words for a repetition, which is `daily` or `weekdays`.
    pub repetitions: List<(&'static str, &'static str)>,
    /// Before the day of a week that something repeats on: "every".
    pub every: &'static str,
    /// Before the second and later things of an enumeration: "eggs and some butter".
    pub articles: &'static str,
    /// The sides of a coin.
    pub coin: &'static str,
    /// Words for a list that names of lists may have in them: "Einkaufsliste".
    pub list_words: &'static str,
    /// Names of lists that an assistant keeps, for patterns in which the list is nobody's: "the shopping list".
    pub usual_lists: &'static str,
    /// Words for a timer that names of timers end in: "Teetimer".
    pub timer_words: &'static str,
    /// Names of languages, with `|` between alternatives, and the codes of the languages.
    pub language_names: List<(&'static str, &'static str)>,
    /// The requests. Where an alarm or a reminder may have a `{date}`, it may be one that repeats.
    pub requests: List<(RequestMeaning, List<&'static str>)>,
    /// The words of the patterns, folded, with a blank around each: a text without any of them is no request.
    pub vocabulary: &'static str,
}

/// The place of one or several things in a list that was read out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceInList {
    /// Every one of them.
    All,
    /// Every one of this many: "both", "all three".
    AllOf(usize),
    /// One of them, counted from 1.
    Nth(usize),
    /// The one that was read out last.
    Last,
}

/// The meaning of the words of a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockMeaning {
    /// These minutes behind the hour, or before it.
    Offset(i32),
    /// `{m}` minutes behind the hour.
    Past,
    /// `{m}` minutes before the hour.
    To,
    /// This time: minutes since midnight.
    Fixed(u32),
}

/// The action or answer that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestMeaning {
    /// The time, here or at each `{place}`.
    Time,
    /// The time until `{clock}`, on `{date}` or the next time.
    TimeUntil,
    /// The day today or of `{date}`.
    Date,
    /// The days until `{date}`.
    DaysUntil,
    /// The number of this week or of the one with `{date}`.
    WeekNumber,
    /// A timer of `{duration}`, with a `{label}` or without. Two labels: two timers of this duration. Two durations, or one and
    /// `{n}` of the same unit: two timers.
    Timer,
    /// A timer, with a `{label}` or without. Its duration is not said.
    TimerWithoutDuration,
    /// The timers, or the one called `{label}` or `{timer}` or of `{duration}`.
    ListTimers,
    /// Cancels the only timer, or the one called `{label}` or `{timer}` or of `{duration}`.
    CancelTimer,
    /// Cancels all timers.
    CancelAllTimers,
    /// Stops the time of the only timer, or of the one called `{label}` or `{timer}`.
    PauseTimer,
    /// Lets it run again.
    ResumeTimer,
    /// Makes it `{duration}` longer.
    LengthenTimer,
    /// Makes it `{duration}` shorter.
    ShortenTimer,
    /// Ends what rings.
    StopRinging,
    /// Later again, in `{duration}`.
    Snooze,
    /// An alarm at `{clock}`, on `{date}` or the next time.
    Alarm,
    /// An alarm, on `{date}` or the next time. Its time is not said.
    AlarmWithoutTime,
    /// The only alarm, or the one at the first `{clock}` of two, rings at the last `{clock}` instead.
    ChangeAlarm,
    /// The alarms and reminders that are set.
    ListReminders,
    /// Ends what rings. If nothing does, cancels the only alarm.
    StopAlarm,
    /// Cancels the alarm at `{clock}` or on `{date}`, or the only one.
    CancelAlarm,
    /// Cancels all alarms.
    CancelAllAlarms,
    /// Cancels the reminder about `{text}` or `{label}`, at `{clock}` or on `{date}`, or the only one.
    CancelReminder,
    /// Cancels all reminders.
    CancelAllReminders,
    /// `{text}` goes on a list, on the one called `{label}`, `{list}` or `{usual_list}`; without a text the first label does.
    AddTodo,
    /// The content of a list; with `{text}`, if that is on it.
    ListTodos,
    /// `{text}` is done.
    FinishTodo,
    /// Everything on the list called `{usual_list}` is done, or on the to-do list.
    ClearTodos,
    /// Says `{text}` at `{clock}`, on `{date}` or the next time, or in `{duration}`.
    Remind,
    /// Volume of `{n}` percent.
    Volume,
    /// Raises the volume.
    Louder,
    /// Lowers the volume.
    Quieter,
    /// No voice.
    Mute,
    /// The voice again.
    Unmute,
    /// The result of `{maths}`.
    Calculate,
    /// `{n}` percent of `{n}`.
    PercentOf,
    /// Of `{n}`, `{n}` percent: the whole comes first.
    OfPercent,
    /// The `{fraction}` of `{n}`.
    FractionOf,
    /// The sum of `{numbers}`, or of each `{n}`.
    Sum,
    /// The product of them.
    Product,
    /// The first `{n}` less the second.
    Difference,
    /// The second `{n}` less the first.
    DifferenceFrom,
    /// The first `{n}` divided by the second.
    Quotient,
    /// A `{quantity}`, which is an amount with its unit, in another `{unit}`.
    Convert,
    /// The same, with the wanted unit first.
    ConvertTo,
    /// A coin is tossed.
    TossCoin,
    /// A die is rolled, or `{n}` of them.
    RollDie,
    /// A number from `{n}` to `{n}`.
    PickNumber,
    /// The newest change is undone, whatever it is.
    Undo,
    /// The last request with another value: "and in Oslo?"
    SameWith,
    /// The percentage of the last request, of `{n}`.
    SameOf,
    /// `{n}` percent instead of those of the last request.
    SamePercent,
    /// `{n}` is added to the last result.
    ThenPlus,
    /// `{n}` is taken from the last result.
    ThenMinus,
    /// The last result times `{n}`.
    ThenTimes,
    /// The last result divided by `{n}`.
    ThenOver,
    /// The last request was meant with this value: "make it twelve".
    Change,
    /// Another one of what was set last, for `{label}` or with other values.
    Another,
    /// Takes back what was set last.
    TakeBack,
    /// When what was set last rings.
    WhenItRings,
    /// The last call once more, as it was: "try again".
    Again,
    /// The last answer in `{language}`.
    SameInLanguage,
}
