//! The sentences of one language, and how it writes numbers, days and times.

/// The sentences of one language. Names in braces are filled in.
#[derive(Debug)]
pub(crate) struct Phrases {
    /// ISO 639-1.
    pub code: &'static str,
    /// Before the decimals of a number.
    pub decimal_sign: char,
    /// Between groups of three digits.
    pub group_sign: char,
    /// "3:05 pm" instead of "15:05".
    pub has_twelve_hours: bool,
    /// The day of December that "Christmas" means.
    pub christmas_day: i8,
    /// From Monday on.
    pub weekdays: [&'static str; 7],
    /// From January on.
    pub months: [&'static str; 12],
    /// Between the last two parts of a list.
    pub and: &'static str,
    /// `{weekday}`, `{day}`, `{month}`, `{year}`
    pub date: &'static str,
    /// `{first}`, `{last}`
    pub date_span: &'static str,
    /// The day that was asked for is today: `{date}`
    pub is_today: &'static str,
    /// `{number}` days until `{date}`.
    pub days_until: &'static str,
    /// `{number}` days since `{date}`.
    pub days_since: &'static str,
    /// One day until `{date}`.
    pub one_day: &'static str,
    /// One day since `{date}`.
    pub one_day_since: &'static str,
    /// `{time}`
    pub time_here: &'static str,
    /// `{time}` in `{place}`
    pub time_there: &'static str,
    /// The same, where it is another day there: `{weekday}`
    pub time_there_on: &'static str,
    /// `{from}` is exactly `{to}`
    pub exactly: &'static str,
    /// `{from}` is about `{to}`
    pub about: &'static str,
    /// `{duration}`
    pub timer_set: &'static str,
    /// `{label}`, `{duration}`
    pub named_timer_set: &'static str,
    /// No timer.
    pub no_timer: &'static str,
    /// `{duration}`
    pub timer_left: &'static str,
    /// `{label}`, `{duration}`
    pub named_timer_left: &'static str,
    /// Timer cancelled.
    pub timer_cancelled: &'static str,
    /// `{label}`
    pub named_timer_cancelled: &'static str,
    /// Timers cancelled.
    pub timers_cancelled: &'static str,
    /// Ringing stopped.
    pub ringing_stopped: &'static str,
    /// Nothing rings.
    pub nothing_rings: &'static str,
    /// `{time}`
    pub alarm_set: &'static str,
    /// `{label}`, `{time}`
    pub reminder_set: &'static str,
    /// Daily, Monday to Friday, weekly, monthly, yearly.
    pub repetitions: [&'static str; 5],
    /// No reminders.
    pub no_reminders: &'static str,
    /// `{label}`, `{time}`
    pub item_at: &'static str,
    /// `{label}`
    pub cancelled: &'static str,
    /// `{duration}`
    pub snoozed: &'static str,
    /// `{text}`, `{list}`
    pub todo_added: &'static str,
    /// `{text}`
    pub todo_done: &'static str,
    /// `{file}`
    pub exported: &'static str,
    /// No todos.
    pub no_todos: &'static str,
    /// `{list}`
    pub todos: &'static str,
    /// With `{number}` per cent.
    pub volume_set: &'static str,
    /// The voice is off.
    pub muted: &'static str,
    /// The voice is on again.
    pub unmuted: &'static str,
}
