//! The content of a language's files: plain values, so that the build script can make them from the files and write
//! them down as constants.

use crate::answer_kinds::{Introduction, LiveTopic, WorldAction};

/// A list in a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct List<T: 'static>(pub &'static [T]);

impl<T: std::fmt::Debug> std::fmt::Debug for List<T> {
    /// As a constant in Rust: the build script writes tables down in this form.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "List(&{:?})", self.0)
    }
}

impl<T> std::ops::Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0
    }
}

impl<T> IntoIterator for List<T> {
    type Item = &'static T;
    type IntoIter = std::slice::Iter<'static, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Words or phrases in the form of `normalised`: lower case, without punctuation around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordList {
    pub(crate) text: &'static str,
    pub(crate) separator: Separator,
}

/// The separator between the entries of a [`WordList`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    /// White space: single words.
    WhiteSpace,
    /// `|`: phrases of several words.
    Bar,
}

/// The way that words are separated in writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Words stand between spaces.
    Spaced,
    /// Words stand between spaces, with particles attached to their end: a phrase matches the beginning of a word.
    SpacedWithParticles,
    /// No spaces: a phrase matches anywhere.
    Unspaced,
}

/// The place of the question word in a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordOrder {
    /// Near the beginning: "where is my key".
    QuestionWordFirst,
    /// The place of the answer: "my key where is".
    QuestionWordInPlace,
}

/// The words of one language. All of them are in the form of `normalised`, except abbreviations, which keep their full
/// stops.
#[derive(Debug)]
pub struct LanguageData {
    /// The place in the list of all languages.
    pub(crate) index: usize,
    /// ISO 639-1.
    pub code: &'static str,
    /// As prompts name it.
    pub english_name: &'static str,
    /// As its speakers name it.
    pub own_name: &'static str,
    /// Its code in the data of Tesseract, which reads text in pictures, such as `deu`.
    pub ocr_code: &'static str,
    /// The way that words are separated.
    pub writing: Writing,
    /// The place of the question word.
    pub word_order: WordOrder,
    /// The id of the recommended voice in the catalogue of models; `None` if the catalogue has none.
    pub default_voice: Option<&'static str>,
    /// Lower-case letters and signs besides a to z, or those that distinguish it from languages in the same script. Empty
    /// if the script identifies the language.
    pub letters: &'static str,
    /// Endings of its words that few other languages have. Empty as above.
    pub endings: WordList,
    /// Articles, pronouns, prepositions, conjunctions, auxiliaries. Question words and possessives count too: ask
    /// `is_function_word`.
    pub function_words: WordList,
    /// "what", "where"
    pub question_words: WordList,
    /// Of the first person: "my", "our". Empty where they are endings of nouns.
    pub possessives: WordList,
    /// Words between a thing and its owner: "of".
    pub of_owner: WordList,
    /// Words that end no sentence. Where the language has no spaces they are endings of the text.
    pub continuation_words: WordList,
    /// Between two requests in one sentence: "and". Empty where conjunctions are parts of words.
    pub conjunctions: WordList,
    /// "uh", "um"
    pub fillers: WordList,
    /// Whole answers that mean yes.
    pub yes: WordList,
    /// Whole answers that mean no.
    pub no: WordList,
    /// Whole commands to stop speaking. Some mean something else inside a sentence: Spanish "para", Turkish "dur".
    pub stop_words: WordList,
    /// Whole requests to undo the newest change, in a language without a table of requests.
    pub undo_requests: WordList,
    /// "please", "thanks"
    pub polite_words: WordList,
    /// Words before a name that call somebody.
    pub greetings: WordList,
    /// Beginnings of requests: "can you", "remind me". In languages with the verb at the end, their ends.
    pub request_openers: WordList,
    /// Phrases that ask for what was said or done before, or whether it is remembered.
    pub looking_back: WordList,
    /// Phrases that point to what was said before, by whomever: "about that", "what do you think".
    pub pointing_words: WordList,
    /// Words that follow a name that is talked about, not called.
    pub said_of_others: WordList,
    /// Phrases that ask for advice or permission.
    pub advice: WordList,
    /// A natural sentence about the assistant, with `{name}` for its name and `|` before what identifies a repetition of
    /// it: "The assistant |is called {name}."
    pub name_sentence: Option<&'static str>,
    /// The words for 0 to 31, `|` between alternatives: ask `number_words`.
    pub numbers: [&'static str; 32],
    /// The words for 40, 50, 60, 70, 80, 90 and 100, `|` between alternatives.
    pub tens: [&'static str; 7],
    /// Endings of digits that count in order: "st", "nd".
    pub ordinal_endings: WordList,
    /// The rules for larger numbers; `None` if we cannot read them.
    pub number_composition: Option<NumberComposition>,
    /// The names of the units of measure; `None` if we have none.
    pub measures: Option<MeasureNames>,
    /// Characters that end a sentence.
    pub sentence_ends: &'static str,
    /// Abbreviations whose full stop ends no sentence, with it.
    pub abbreviations: WordList,
    /// Abbreviations only before a number: "no." is the end of a sentence elsewhere.
    pub abbreviations_before_numbers: WordList,
    /// "3. Mai": a full stop behind a number makes it an ordinal.
    pub has_ordinals_with_full_stop: bool,
    /// The words that announce a secret; `None` if we do not know them.
    pub secrets: Option<SecretWords>,
    /// The words for tools of other programs; `None` if we have none.
    pub tool_words: Option<ToolWords>,
    /// Its expressions of time; `None` if we have none.
    pub dates: Option<DateTable>,
    /// Its requests that are answered without a model; `None` if we have none.
    pub requests: Option<RequestTable>,
    /// Its patterns about answers; `None` if we have none.
    pub answers: Option<AnswerTable>,
    /// Its words about utterances that a Command Center would hear; `None` if we have none.
    pub command_center: Option<CommandCenterWords>,
}

/// The rules for the numbers from 32 to 99, of a ten and a unit, and for the hundreds. `|` stands between alternatives.
#[derive(Debug)]
pub struct NumberComposition {
    pub(crate) tens: Tens,
    /// 200, 300 … 900 where they are words of their own; empty where the unit stands before the word for 100.
    pub(crate) hundreds: List<&'static str>,
    /// Hundreds are joined in writing: "zweihundertfünf".
    pub(crate) is_joined: bool,
    pub(crate) hundred: &'static str,
    pub(crate) thousand: &'static str,
    /// Optional words between hundreds and the rest.
    pub(crate) and: &'static str,
}

/// The order of a ten and a unit, and what joins them.
#[derive(Debug)]
#[allow(dead_code, reason = "the files decide which of them are used")]
pub(crate) enum Tens {
    /// "forty five"
    Juxtaposed,
    /// "cuarenta y cinco"
    With(&'static str),
    /// "fünfundvierzig"; the second joins units that end in a vowel: "tweeënveertig".
    UnitFirst(&'static str, &'static str),
    /// "fyrtiofem"
    Joined,
    /// "quarantacinque", "quarantotto"
    Elided,
    /// "soixante et onze", "quatre-vingt-douze"
    French,
}

/// The names of the units in one language.
#[derive(Debug)]
pub struct MeasureNames {
    /// For each id of `MEASURES` the singular, the plural, and other names, with `|` between them.
    pub(crate) names: List<(&'static str, &'static str)>,
}

/// The words by which requests name tools of other programs.
#[derive(Debug)]
pub struct ToolWords {
    /// The phrases for each tool, by its name.
    pub tools: List<(&'static str, WordList)>,
    /// Words before what is not wanted, in the same clause: "don't", "without".
    pub negations: WordList,
    /// Phrases that begin like a negation and are none: "don't you".
    pub no_negations: WordList,
    /// Words that begin another clause: "but".
    pub clause_openers: WordList,
    /// Endings that make no other word of a noun or a verb: "images", "searches".
    pub endings: WordList,
}

/// A language without a folder of its own.
#[derive(Debug)]
pub struct OtherLanguage {
    /// ISO 639-1.
    pub(crate) code: &'static str,
    /// Words that keep a text of it from being taken for a language that resembles it. Empty if none does.
    pub(crate) frequent_words: WordList,
    /// Between two requests in one sentence.
    pub(crate) conjunctions: WordList,
}

/// The expressions of time of one language. `|` stands between alternatives; patterns are in the notation of `sequences`.
#[derive(Debug)]
pub struct DateTable {
    /// `{n}` as well: articles that mean one, besides the number.
    pub articles_as_one: &'static str,
    /// `{n}` as well: words for an approximate number, with its lowest and highest value.
    pub approximate_numbers: List<(&'static str, i32, i32)>,
    /// `{nth}`: first to thirty-first, as days of a month; digits need no entry.
    pub ordinals: List<&'static str>,
    /// `{unit}`
    pub units: List<(&'static str, TimeUnit)>,
    /// `{weekday}`, from Monday.
    pub weekdays: [&'static str; 7],
    /// `{month}`, from January.
    pub months: [&'static str; 12],
    /// `{season}`: spring, summer, autumn, winter.
    pub seasons: [&'static str; 4],
    /// `{holiday}`: Christmas, Easter, New Year.
    pub holidays: [&'static str; 3],
    /// Patterns that always name a time. Besides those above there are the slots `{dd}` (a day of a month in digits),
    /// `{dm}` (`3.5.`), `{year}` and `{when}` (any other pattern, or a name). A leading `~` means "only if no other
    /// language has more function words in the text": *hier* is yesterday in French and here in German.
    pub phrases: List<(&'static str, DateMeaning)>,
    /// Ambiguous patterns, which name a time only within another pattern (in its slot `{when}`).
    pub names: List<&'static str>,
    /// Words between a time and a larger one that contains it: *Monday of last week*.
    pub links: WordList,
    /// Pairs of words: a match that ends with the first is not a time when the second follows, as in *in spring onions*.
    pub never_before: List<(&'static str, &'static str)>,
    /// A match after one of these words is not a time: *every Monday*.
    pub never_after: WordList,
    /// Words for the night, which begins in the evening and ends in the morning: "at 3 at night" is 03:00.
    pub night: &'static str,
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// One day.
    Day,
    /// Monday to Sunday.
    Week,
    /// Two weeks.
    Fortnight,
    /// Saturday and Sunday.
    Weekend,
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
}

/// The meaning of a pattern, given the values of its slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateMeaning {
    /// A number of days from today; negative for the past.
    DaysFromToday(i32),
    /// A unit, counted from the current one.
    UnitFromNow(TimeUnit, i32),
    /// The slot's unit or name, counted from the current one.
    Counted(i32),
    /// The current unit or name of the slot.
    Current,
    /// The name of the slot: the latest or the next one.
    Nearest,
    /// `{n} {unit}` ago; without `{n}`, one unit ago.
    Ago,
    /// Between this low and this high number of units ago.
    AgoAbout(i32, i32, TimeUnit),
    /// In the last `{n} {unit}`.
    Within,
    /// In the last units, with this number.
    WithinAbout(i32, TimeUnit),
    /// The weekday of the slot, in a week counted from the current one.
    WeekdayOfWeek(i32),
    /// In `{n} {unit}`.
    Ahead,
    /// From `{when}` until today.
    Since,
    /// From one `{when}` to the other.
    Between,
}

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
    /// Words for something that was said before: "put that on my list".
    pub pronouns: &'static str,
    /// Short questions behind a request, which ask nothing: "set a timer, will you?"
    pub tag_questions: &'static str,
    /// Ends of an answer behind the value that was asked for: "twenty minutes should do".
    pub answer_endings: &'static str,
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
    /// Operations behind a number: powers.
    pub postfixes: List<(&'static str, &'static str)>,
    /// Words that make an appointment one that repeats, wherever they stand.
    pub repeating: &'static str,
    /// Words for a repetition, which is `daily` or `weekdays`.
    pub repetitions: List<(&'static str, &'static str)>,
    /// Before the day of a week that something repeats on: "every".
    pub every: &'static str,
    /// Before the second and later things of an enumeration: "eggs and some butter".
    pub articles: &'static str,
    /// Words for a list that names of lists end in: "Einkaufsliste".
    pub list_words: &'static str,
    /// Words for a timer that names of timers end in: "Teetimer".
    pub timer_words: &'static str,
    /// Names of languages, with `|` between alternatives, and the codes of the languages.
    pub language_names: List<(&'static str, &'static str)>,
    /// The requests. Where an alarm or a reminder may have a `{date}`, it may be one that repeats.
    pub requests: List<(RequestMeaning, List<&'static str>)>,
    /// The words of the patterns, folded, with a blank around each: a text without any of them is no request.
    pub vocabulary: &'static str,
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
    /// The time, here or at `{place}`.
    Time,
    /// The day today or of `{date}`.
    Date,
    /// The days until `{date}`.
    DaysUntil,
    /// A timer of `{duration}`, with a `{label}` or without. Two labels: two timers of this duration. Two durations: two
    /// timers.
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
    /// The alarms and reminders that are set.
    ListReminders,
    /// Cancels the only alarm or reminder, or the one about `{text}`.
    CancelReminder,
    /// `{text}` goes on a list, on the one called `{label}` or `{list}`; without a text the first label does.
    AddTodo,
    /// The content of a list.
    ListTodos,
    /// `{text}` is done.
    FinishTodo,
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
    /// `{n}` of one `{unit}` in another.
    Convert,
    /// The same, with the wanted unit first.
    ConvertTo,
    /// The newest change is undone, whatever it is.
    Undo,
    /// The last request with another value: "and in Oslo?"
    SameWith,
    /// The percentage of the last request, of `{n}`.
    SameOf,
    /// `{n}` percent instead of those of the last request.
    SamePercent,
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

/// The words around a secret that is said: "my password is hunter2". In small letters, as they are said.
#[derive(Debug)]
pub struct SecretWords {
    /// Labels of passwords. In a label a blank may be missing or a hyphen, and capitals count as such.
    pub password: WordList,
    /// Labels of keys and tokens for programs.
    pub key: WordList,
    /// Labels of the check number of a card, also called security code.
    pub card_check: WordList,
    /// Labels of personal numbers.
    pub pin: WordList,
    /// Labels of codes, which have many other meanings.
    pub code: WordList,
    /// Labels with this ending may end a longer word.
    pub compound_endings: WordList,
    /// "is" in one word with its label.
    pub short_copulas: WordList,
    /// Words between a label and its value.
    pub copulas: WordList,
    /// Words between "is" and the value.
    pub fillers: WordList,
    /// Nouns which, behind an article or alone, stand before the value: "the password is the word …".
    pub nouns_before_value: WordList,
    /// Articles and possessives.
    pub determiners: WordList,
    /// Words that may follow a label and lead to "is": "the code for the door is …".
    pub prepositions: WordList,
    /// Words that open a clause about the label: "the code they sent me is …".
    pub clause_openers: WordList,
    /// Pronouns for the label: "remember my PIN, it is …".
    pub pronouns: WordList,
    /// Pronouns and "is" in one word.
    pub pronouns_with_is: WordList,
    /// Adjectives, nouns and possessives that follow a label: "le code secret est …".
    pub adjectives: WordList,
    /// Words before "to" and a new value.
    pub changing_verbs: WordList,
    /// "to" before a new value.
    pub target_prepositions: WordList,
    /// Words beside "code" that make it something else than a secret, and compounds that are none: "felkod".
    pub harmless_qualifiers: WordList,
    /// Things that numbers count. A number before one of these is no secret.
    pub units: WordList,
    /// The same, before an ending: "12-stelliges".
    pub unit_beginnings: WordList,
    /// Words that are said while a secret is spelled.
    pub spelling_words: WordList,
    /// "and" before the next clause.
    pub conjunctions: WordList,
    /// Words that often follow "the password is" and are no password.
    pub continuations: WordList,
    /// Endings of adjectives and participles.
    pub adjective_endings: WordList,
    /// Beginnings of participles: "verschlüsselt".
    pub participle_beginnings: WordList,
    /// Their endings.
    pub participle_endings: WordList,
    /// Words for a digit, besides the numbers.
    pub digit_words: WordList,
    /// Words for two digits within a number.
    pub ten_words: WordList,
}

/// The patterns of one language about answers, in the notation of `sequences`. Besides words there are `{any}` (some words
/// or none), `{name}` (a few words, which are captured), `{thing}` and `{done}` (see below), `{begin}` and `{end}`.
#[derive(Debug)]
pub struct AnswerTable {
    /// Beginnings of requests that say nothing: "could you".
    pub openers: List<&'static str>,
    /// Whole requests for something that only a source outside can tell, wherever the pattern stands in them.
    pub live: List<(LiveTopic, List<&'static str>)>,
    /// Requests that only seem so: explanations, stories.
    pub not_live: List<&'static str>,
    /// Questions for the outcome of something, asked with a year.
    pub outcomes: List<&'static str>,
    /// Whole requests to do something in the world.
    pub actions: List<(WorldAction, List<&'static str>)>,
    /// Whole requests that only seem so.
    pub not_actions: List<&'static str>,
    /// Words in declarations of tools that do something in the world.
    pub tool_words: List<(WorldAction, &'static str)>,
    /// Words in declarations of tools that are sources of a topic.
    pub source_words: List<(LiveTopic, &'static str)>,
    /// `{thing}`: things that are set, sent or switched; `None` for those that Jarvis keeps itself. `|` stands between
    /// alternatives.
    pub things: List<(Option<WorldAction>, &'static str)>,
    /// `{done}`: participles such as "set" and "sent".
    pub done: &'static str,
    /// Claims that something was done, wherever the pattern stands in a sentence.
    pub claims: List<&'static str>,
    /// Claims that something is so, wherever the pattern stands in a sentence: "your flight is booked". They may be remembered.
    pub states: List<&'static str>,
    /// Sentences that only seem so.
    pub not_claims: List<&'static str>,
    /// Requests for a text of any content: a story, a translation.
    pub texts: List<&'static str>,
    /// Claims of Jarvis to be a person, wherever the pattern stands in a sentence.
    pub persons: List<&'static str>,
    /// Orders to an assistant in text from outside, wherever the pattern stands in a sentence: "ignore all previous
    /// instructions".
    pub orders: List<&'static str>,
    /// Whom such an order is for, before a colon or a comma: "note to the AI".
    pub order_addresses: List<&'static str>,
    /// Beginnings of sentences that speak of a tool instead of its result: "The tool returned".
    pub tool_talk: List<&'static str>,
    /// Whole sentences without content: "The answer is".
    pub empty: List<&'static str>,
    /// Whole statements that introduce the user.
    pub introductions: List<(Introduction, List<&'static str>)>,
    /// Words that are no part of a name: "later".
    pub not_names: WordList,
    /// Whole questions for what was introduced.
    pub questions: List<(Introduction, List<&'static str>)>,
}

/// The words about utterances that are judged before a Command Center hears them.
#[derive(Debug)]
pub struct CommandCenterWords {
    /// Whole utterances that take back a call by name, with `{name}` for the name of the assistant.
    pub dismissals: WordList,
    /// Words that may follow them, besides polite words.
    pub closings: WordList,
    /// Words that a recogniser may write small at the beginning of a whole sentence.
    pub small_openers: WordList,
    /// Words that make a request one that is not to be done.
    pub negations: WordList,
    /// Phrases that look like negations and are none.
    pub harmless_negations: WordList,
    /// Beginnings of questions, besides the question words.
    pub questions: WordList,
    /// Question words in one word with a verb: "what's".
    pub question_forms: WordList,
    /// Orders about something that runs already.
    pub other_orders: WordList,
    /// The words of a request for a timer.
    pub timer: SpokenTimerWords,
}

/// The words of a request for a timer in free words.
#[derive(Debug)]
pub struct SpokenTimerWords {
    /// One of them has to be said.
    pub triggers: WordList,
    /// Words for more than one timer.
    pub plurals: WordList,
    /// Words for one more timer, behind a duration.
    pub more: WordList,
    /// Words that count two, besides the number.
    pub two: WordList,
    /// Short words for minutes, besides the names of measures.
    pub minutes: WordList,
    /// Words between the two numbers of a range.
    pub range_signs: WordList,
    /// Words before a range.
    pub range_openers: WordList,
    /// Words behind a duration that is counted from something else, or runs already.
    pub relations: WordList,
    /// Words that make it something else than one timer.
    pub conditions: WordList,
    /// The question words that may stand before a duration.
    pub when: WordList,
    /// Words that say nothing about what a timer is for.
    pub fillers: WordList,
}
