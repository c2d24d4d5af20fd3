//! The slots of patterns: the values of words in them, and the meaning of a pattern with filled slots.

use jiff::civil::{Date, Weekday};
use languages::{DateMeaning, DateTable, LanguageData, TimeUnit};

use crate::expression::{Holiday, Number, Occurrence, RecurringTime, Season, TimeExpression, When};
use crate::tokens::Figure;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Number,
    Nth,
    DayInDigits,
    DayAndMonth,
    Unit,
    Weekday,
    Month,
    Season,
    Holiday,
    Year,
    Date,
    When,
}

impl Slot {
    pub(super) fn named(text: &str) -> Option<Self> {
        let slot = match text {
            "n" => Self::Number,
            "nth" => Self::Nth,
            "dd" => Self::DayInDigits,
            "dm" => Self::DayAndMonth,
            "unit" => Self::Unit,
            "weekday" => Self::Weekday,
            "month" => Self::Month,
            "season" => Self::Season,
            "holiday" => Self::Holiday,
            "year" => Self::Year,
            "date" => Self::Date,
            "when" => Self::When,
            _ => return None,
        };
        Some(slot)
    }
}

/// The value of a slot.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    Number(Number),
    DayOfMonth(i8),
    DayAndMonth { day: i8, month: i8 },
    Unit(TimeUnit),
    Weekday(Weekday),
    Month(i8),
    Season(Season),
    Holiday(Holiday),
    Year(i16),
    Date(Date),
    When(When),
}

/// Largest count: larger ones are not used in speech, and with it date arithmetic cannot overflow.
const MAX_COUNT: u32 = 999;

impl Value {
    pub(super) fn fits(self, slot: Slot) -> bool {
        match self {
            Self::Number(_) => slot == Slot::Number,
            Self::DayOfMonth(_) => slot == Slot::Nth,
            Self::DayAndMonth { .. } => slot == Slot::DayAndMonth,
            Self::Unit(_) => slot == Slot::Unit,
            Self::Weekday(_) => slot == Slot::Weekday,
            Self::Month(_) => slot == Slot::Month,
            Self::Season(_) => slot == Slot::Season,
            Self::Holiday(_) => slot == Slot::Holiday,
            Self::Year(_) => slot == Slot::Year,
            Self::Date(_) => slot == Slot::Date,
            Self::When(_) => slot == Slot::When,
        }
    }

    pub(super) fn from_figure(figure: Figure, slot: Slot) -> Option<Self> {
        let number = |number: u32| i32::try_from(number).ok().map(Number::exactly).map(Self::Number);
        let day = |number: u32| i8::try_from(number).ok().filter(|day| (1..=31).contains(day));
        match (figure, slot) {
            (Figure::Number(value), Slot::Number) if value <= MAX_COUNT => number(value),
            (Figure::Number(value), Slot::Year) if (1900..2200).contains(&value) => {
                i16::try_from(value).ok().map(Self::Year)
            }
            (Figure::Number(value) | Figure::Ordinal(value), Slot::Nth | Slot::DayInDigits) => {
                day(value).map(Self::DayOfMonth)
            }
            (Figure::DayAndMonth { day, month }, Slot::DayAndMonth) => Some(Self::DayAndMonth { day, month }),
            (Figure::Date(date), Slot::Date) => Some(Self::Date(date)),
            _ => None,
        }
    }
}

pub(super) fn values_of(data: &LanguageData, table: &DateTable) -> Vec<(&'static str, Value)> {
    let mut values = Vec::new();
    for (number, words) in (1..).zip(&data.numbers[1..]) {
        values.push((*words, Value::Number(Number::exactly(number))));
    }
    values.push((table.articles_as_one, Value::Number(Number::exactly(1))));
    for (words, low, high) in table.approximate_numbers {
        values.push((*words, Value::Number(Number { low: *low, high: *high })));
    }
    for (day, words) in (1..).zip(table.ordinals) {
        values.push((*words, Value::DayOfMonth(day)));
    }
    values.extend(table.units.iter().map(|(words, unit)| (*words, Value::Unit(*unit))));
    for (number, words) in (0..).zip(table.weekdays) {
        let weekday = Weekday::from_monday_zero_offset(number).expect("a week has seven days");
        values.push((words, Value::Weekday(weekday)));
    }
    values.extend((1..).zip(table.months).map(|(month, words)| (words, Value::Month(month))));
    let seasons = [Season::Spring, Season::Summer, Season::Autumn, Season::Winter];
    values.extend(table.seasons.into_iter().zip(seasons.map(Value::Season)));
    let holidays = [Holiday::Christmas, Holiday::Easter, Holiday::NewYear];
    values.extend(table.holidays.into_iter().zip(holidays.map(Value::Holiday)));
    values
}

/// The values of the slots of a matched pattern.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SlotValues {
    number: Option<Number>,
    day: Option<i8>,
    unit: Option<TimeUnit>,
    /// A weekday, month, season, feast or `3.5.`.
    name: Option<RecurringTime>,
    year: Option<i16>,
    date: Option<Date>,
    first: Option<When>,
    second: Option<When>,
}

impl SlotValues {
    pub(super) fn with(mut self, value: Value) -> Self {
        match value {
            Value::Number(number) => self.number = Some(number),
            Value::DayOfMonth(day) => self.day = Some(day),
            Value::DayAndMonth { day, month } => self.name = Some(RecurringTime::DayOfMonth { month, day }),
            Value::Unit(unit) => self.unit = Some(unit),
            Value::Weekday(weekday) => self.name = Some(RecurringTime::Weekday(weekday)),
            Value::Month(month) => self.name = Some(RecurringTime::Month(month)),
            Value::Season(season) => self.name = Some(RecurringTime::Season(season)),
            Value::Holiday(holiday) => self.name = Some(RecurringTime::Holiday(holiday)),
            Value::Year(year) => self.year = Some(year),
            Value::Date(date) => self.date = Some(date),
            Value::When(when) if self.first.is_none() => self.first = Some(when),
            Value::When(when) => self.second = Some(when),
        }
        self
    }

    /// Returns the meaning of a pattern; `None` if its slots do not make meaning together, such as 31 April.
    pub(super) fn meaning(&self, meaning: DateMeaning) -> Option<TimeExpression> {
        let when = match meaning {
            DateMeaning::Since => return self.first.map(TimeExpression::Since),
            DateMeaning::Between => return Some(TimeExpression::Between(self.first?, self.second?)),
            DateMeaning::DaysFromToday(offset) => When::Day(offset),
            DateMeaning::UnitFromNow(unit, offset) => When::Calendar(unit, offset),
            DateMeaning::Counted(offset) => match self.name()? {
                Some(name) => When::RecurringTime(name, Occurrence::Nth(offset)),
                None => When::Calendar(self.longer_unit()?, offset),
            },
            DateMeaning::Current => match self.name()? {
                Some(name) => When::RecurringTime(name, Occurrence::This),
                None => When::Calendar(self.longer_unit()?, 0),
            },
            DateMeaning::Nearest => match (self.date, self.name()?, self.year) {
                (Some(date), ..) => When::Date(date),
                (None, Some(name), Some(year)) => When::RecurringTime(name, Occurrence::InYear(year)),
                (None, Some(name), None) => When::RecurringTime(name, Occurrence::Nearest),
                (None, None, year) => When::Year(year?),
            },
            DateMeaning::WeekdayOfWeek(offset) => match self.name {
                Some(RecurringTime::Weekday(weekday)) => When::InWeek(weekday, offset),
                _ => return None,
            },
            DateMeaning::WithinAbout(number, unit) => When::Within(Number::exactly(number), unit),
            DateMeaning::Ago => When::Ago(self.number.unwrap_or(Number::ONE), self.unit?),
            DateMeaning::AgoAbout(low, high, unit) => When::Ago(Number { low, high }, unit),
            DateMeaning::Within => When::Within(self.number.unwrap_or(Number::ONE), self.unit?),
            DateMeaning::Ahead => When::Ahead(self.number.unwrap_or(Number::ONE), self.unit?),
        };
        Some(TimeExpression::Time(when))
    }

    /// The unit, unless it is the day: "the last day" is rarely yesterday, which has its own word.
    fn longer_unit(&self) -> Option<TimeUnit> {
        self.unit.filter(|unit| *unit != TimeUnit::Day)
    }

    /// The name, if there is one. The outer `None` means a day that is in no year.
    fn name(&self) -> Option<Option<RecurringTime>> {
        let counted = self.number.and_then(|number| i8::try_from(number.low).ok());
        let Some(day) = self.day.or(counted) else {
            return Some(self.name);
        };
        let Some(RecurringTime::Month(month)) = self.name else {
            return None;
        };
        // A leap year, so 29 February counts.
        Date::new(2024, month, day).ok()?;
        Some(Some(RecurringTime::DayOfMonth { month, day }))
    }
}
