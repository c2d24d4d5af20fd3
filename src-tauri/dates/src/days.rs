//! Turns a [`TimeExpression`] into days.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use languages::TimeUnit;

use crate::calendar::{Calendar, Direction, Hemisphere, Weeks};
use crate::expression::{Holiday, Occurrence, RecurringTime, Season, TimeExpression, When};

/// A span of days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Days {
    pub first: Date,
    pub last: Date,
}

impl Days {
    fn one(day: Date) -> Self {
        Self { first: day, last: day }
    }

    fn contains(self, day: Date) -> bool {
        self.first <= day && day <= self.last
    }

    /// Returns `true` if the other span is a smaller part of this one.
    pub(crate) fn is_narrowed_by(self, other: Self) -> bool {
        self != other && self.first <= other.first && other.last <= self.last
    }

    /// Number of days between the span and `day`; `0` inside it.
    fn distance(self, day: Date) -> i32 {
        let days = |span: jiff::Span| span.get_days();
        if day < self.first {
            days(self.first - day)
        } else if day > self.last {
            days(day - self.last)
        } else {
            0
        }
    }
}

/// "Two weeks ago" means that day with this many days on either side.
const WEEKS_AGO_TOLERANCE_DAYS: i32 = 3;

/// Years searched on either side for a recurring day: 29 February can be missing for eight years.
const YEARS_AROUND: i16 = 8;

impl Calendar {
    /// The days of an expression. `None` for an invalid date, such as 30 February, and for one out of range.
    pub(crate) fn days_of(&self, expression: TimeExpression) -> Option<Days> {
        let days = match expression {
            TimeExpression::Time(when) => self.days(when)?,
            TimeExpression::Since(when) => {
                Days { first: self.looking_to_past().days(when)?.first, last: self.today }
            }
            TimeExpression::Between(from, to) => self.between(from, to)?,
        };
        (days.first <= days.last).then_some(days)
    }

    /// The unit and first day of a time that is a whole week or year, which can narrow a weekday or month.
    pub(crate) fn week_or_year(&self, when: When) -> Option<(TimeUnit, Date)> {
        let (unit, first) = match when {
            When::Year(year) => (TimeUnit::Year, Date::new(year, 1, 1).ok()?),
            When::Calendar(unit @ (TimeUnit::Week | TimeUnit::Year), _) => (unit, self.days(when)?.first),
            When::Ago(number, TimeUnit::Year) if number.low == number.high => {
                (TimeUnit::Year, self.days(when)?.first)
            }
            When::Ago(number, TimeUnit::Week) if number.low == number.high => {
                (TimeUnit::Week, monday_of(plus(self.today, number.low.checked_mul(-7)?)?)?)
            }
            _ => return None,
        };
        Some((unit, first))
    }

    fn looking_to_past(&self) -> Self {
        Self { direction: Direction::Past, ..*self }
    }

    fn looking_to_future(&self) -> Self {
        Self { direction: Direction::Future, ..*self }
    }

    /// For the past, the end is resolved first and the start is the latest one before it; for the future the other way round.
    fn between(&self, from: When, to: When) -> Option<Days> {
        let is_absolute = |when: When| {
            matches!(when, When::Date(_) | When::Year(_) | When::RecurringTime(_, Occurrence::InYear(_)))
        };
        let (from, to) = if is_absolute(from) || self.direction == Direction::Future {
            let from = self.days(from)?;
            (from, Self { today: from.first, ..self.looking_to_future() }.days(to)?)
        } else {
            let to = self.days(to)?;
            (Self { today: to.last, ..self.looking_to_past() }.days(from)?, to)
        };
        Some(Days { first: from.first, last: to.last })
    }

    fn days(&self, when: When) -> Option<Days> {
        match when {
            When::Day(offset) => Some(Days::one(plus(self.today, offset)?)),
            When::Calendar(unit, offset) => self.calendar(unit, offset),
            When::Ago(number, unit) => self.away(unit, number.high.checked_neg()?, number.low.checked_neg()?),
            When::Ahead(number, unit) => self.away(unit, number.low, number.high),
            When::Within(number, unit) => {
                let back = number.high.checked_neg()?;
                let first = match unit {
                    TimeUnit::Day => plus(self.today, back)?,
                    TimeUnit::Week => plus(self.today, back.checked_mul(7)?)?,
                    TimeUnit::Fortnight => plus(self.today, back.checked_mul(14)?)?,
                    TimeUnit::Weekend => self.calendar(unit, back)?.first,
                    TimeUnit::Month => self.today.checked_add(back.months()).ok()?,
                    TimeUnit::Year => self.today.checked_add(back.years()).ok()?,
                };
                Some(Days { first, last: self.today })
            }
            When::RecurringTime(RecurringTime::Weekday(weekday), which) => self.weekday(weekday, which),
            When::RecurringTime(name, which) => self.name(name, which),
            When::Year(year) => {
                Some(Days { first: Date::new(year, 1, 1).ok()?, last: Date::new(year, 12, 31).ok()? })
            }
            When::InWeek(weekday, offset) => {
                let monday = self.calendar(TimeUnit::Week, offset)?.first;
                plus(monday, i32::from(weekday.to_monday_zero_offset())).map(Days::one)
            }
            When::Date(date) => Some(Days::one(date)),
        }
    }

    fn calendar(&self, unit: TimeUnit, offset: i32) -> Option<Days> {
        match unit {
            TimeUnit::Day => Some(Days::one(plus(self.today, offset)?)),
            TimeUnit::Week => {
                let first = plus(monday_of(self.today)?, offset.checked_mul(7)?)?;
                Some(Days { first, last: plus(first, 6)? })
            }
            TimeUnit::Fortnight => {
                let first = plus(monday_of(self.today)?, offset.checked_mul(14)?)?;
                Some(Days { first, last: plus(first, 13)? })
            }
            TimeUnit::Weekend => {
                let saturday = plus(monday_of(self.today)?, 5)?;
                // On a Monday, "this weekend" in a question about the past is the previous one.
                let just_over = offset == 0 && self.direction == Direction::Past && saturday > self.today;
                let first = plus(saturday, (if just_over { -1 } else { offset }).checked_mul(7)?)?;
                Some(Days { first, last: plus(first, 1)? })
            }
            TimeUnit::Month => {
                let day = self.today.first_of_month().checked_add(offset.months()).ok()?;
                Some(Days { first: day, last: day.last_of_month() })
            }
            TimeUnit::Year => {
                let day = self.today.first_of_year().checked_add(offset.years()).ok()?;
                Some(Days { first: day, last: day.last_of_year() })
            }
        }
    }

    /// The days from `from` to `to` units away from today. Weeks get a tolerance.
    fn away(&self, unit: TimeUnit, from: i32, to: i32) -> Option<Days> {
        let tolerance = match self.weeks {
            Weeks::Roughly => WEEKS_AGO_TOLERANCE_DAYS,
            Weeks::Exactly => 0,
        };
        let length = match unit {
            TimeUnit::Week => 7,
            TimeUnit::Fortnight => 14,
            TimeUnit::Day | TimeUnit::Weekend | TimeUnit::Month | TimeUnit::Year => {
                let (first, last) = (self.calendar(unit, from)?, self.calendar(unit, to)?);
                return Some(Days { first: first.first, last: last.last });
            }
        };
        Some(Days {
            first: plus(self.today, from.checked_mul(length)?.checked_sub(tolerance)?)?,
            last: plus(self.today, to.checked_mul(length)?.checked_add(tolerance)?)?,
        })
    }

    /// Never today, which has its own word.
    fn weekday(&self, weekday: Weekday, which: Occurrence) -> Option<Days> {
        let nth = match (which, self.direction) {
            (Occurrence::Nth(nth), _) => nth,
            (_, Direction::Past) => -1,
            (_, Direction::Future) => 1,
        };
        self.today.nth_weekday(nth, weekday).ok().map(Days::one)
    }

    fn name(&self, name: RecurringTime, which: Occurrence) -> Option<Days> {
        let year = self.today.year();
        if let Occurrence::InYear(year) = which {
            return self.in_year(name, year);
        }
        let around = (year - YEARS_AROUND..=year + YEARS_AROUND).filter_map(|year| self.in_year(name, year));
        let all: Vec<Days> = around.collect();
        let today = self.today;
        match which {
            Occurrence::Nearest if self.direction == Direction::Past => {
                all.into_iter().rfind(|days| days.first <= today)
            }
            Occurrence::Nearest => all.into_iter().find(|days| days.last >= today),
            Occurrence::This => {
                let is_within_year = |days: &Days| days.first.year() == year && days.last.year() == year;
                let now = all.iter().copied().find(|days| days.contains(today));
                now.or_else(|| all.iter().copied().find(is_within_year))
                    .or_else(|| all.into_iter().min_by_key(|days| days.distance(today)))
            }
            Occurrence::Nth(nth) if nth < 0 => {
                let skipped = usize::try_from(nth.checked_neg()?.checked_sub(1)?).ok()?;
                all.into_iter().rev().filter(|days| days.last < today).nth(skipped)
            }
            Occurrence::Nth(nth) => {
                let skipped = usize::try_from(nth.checked_sub(1)?).ok()?;
                all.into_iter().filter(|days| days.first > today).nth(skipped)
            }
            Occurrence::InYear(year) => self.in_year(name, year),
        }
    }

    fn in_year(&self, name: RecurringTime, year: i16) -> Option<Days> {
        let day = |month, day| Date::new(year, month, day).ok();
        match name {
            RecurringTime::Weekday(_) => None,
            RecurringTime::Month(month) => {
                let first = day(month, 1)?;
                Some(Days { first, last: first.last_of_month() })
            }
            RecurringTime::Season(season) => {
                let first = day(first_month(season, self.hemisphere), 1)?;
                Some(Days { first, last: first.checked_add(2.months()).ok()?.last_of_month() })
            }
            RecurringTime::Holiday(Holiday::Christmas) => {
                Some(Days { first: day(12, 24)?, last: day(12, 26)? })
            }
            RecurringTime::Holiday(Holiday::Easter) => {
                let sunday = easter_sunday(year)?;
                Some(Days { first: plus(sunday, -2)?, last: plus(sunday, 1)? })
            }
            RecurringTime::Holiday(Holiday::NewYear) => {
                let eve = day(12, 31)?;
                Some(Days { first: eve, last: plus(eve, 1)? })
            }
            RecurringTime::DayOfMonth { month, day: of_month } => day(month, of_month).map(Days::one),
        }
    }
}

/// The first month of a meteorological season, which has whole months.
fn first_month(season: Season, hemisphere: Hemisphere) -> i8 {
    match (season, hemisphere) {
        (Season::Spring, Hemisphere::Northern) | (Season::Autumn, Hemisphere::Southern) => 3,
        (Season::Summer, Hemisphere::Northern) | (Season::Winter, Hemisphere::Southern) => 6,
        (Season::Autumn, Hemisphere::Northern) | (Season::Spring, Hemisphere::Southern) => 9,
        (Season::Winter, Hemisphere::Northern) | (Season::Summer, Hemisphere::Southern) => 12,
    }
}

/// Easter Sunday of a year in the Western calendar. `None` for years that no date has.
///
/// Source: the Gregorian computus of Meeus, Jones and Butcher.
pub fn easter_sunday(year: i16) -> Option<Date> {
    let year_number = i32::from(year);
    let (golden, century, of_century) = (year_number % 19, year_number / 100, year_number % 100);
    let correction = (century - (century + 8) / 25 + 1) / 3;
    let moon = (19 * golden + century - century / 4 - correction + 15) % 30;
    let weekday = (32 + 2 * (century % 4) + 2 * (of_century / 4) - moon - of_century % 4) % 7;
    let late = (golden + 11 * moon + 22 * weekday) / 451;
    let day = moon + weekday - 7 * late + 114;
    Date::new(year, i8::try_from(day / 31).ok()?, i8::try_from(day % 31 + 1).ok()?).ok()
}

pub(crate) fn plus(day: Date, days: i32) -> Option<Date> {
    // More days than the calendar has. jiff panics on a span with more days than its own limit.
    const MAX_DAYS: i32 = 4_000_000;
    if !(-MAX_DAYS..=MAX_DAYS).contains(&days) {
        return None;
    }
    day.checked_add(days.days()).ok()
}

fn monday_of(day: Date) -> Option<Date> {
    plus(day, -i32::from(day.weekday().to_monday_zero_offset()))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(date(2023, 4, 9))]
    #[case(date(2024, 3, 31))]
    #[case(date(2025, 4, 20))]
    #[case(date(2038, 4, 25))]
    fn easter_sunday_matches_the_church_calendar(#[case] sunday: Date) {
        assert_eq!(easter_sunday(sunday.year()), Some(sunday));
    }

    #[rstest]
    #[case::southern_summer(Season::Summer, Occurrence::Nearest, date(2023, 12, 1), date(2024, 2, 29))]
    #[case::southern_winter(Season::Winter, Occurrence::Nearest, date(2024, 6, 1), date(2024, 8, 31))]
    #[case::southern_spring(Season::Spring, Occurrence::This, date(2024, 9, 1), date(2024, 11, 30))]
    fn southern_seasons_are_half_a_year_apart(
        #[case] season: Season,
        #[case] which: Occurrence,
        #[case] first: Date,
        #[case] last: Date,
    ) {
        let calendar =
            Calendar { hemisphere: Hemisphere::Southern, ..Calendar::looking_back(date(2024, 9, 5)) };

        let days =
            calendar.days_of(TimeExpression::Time(When::RecurringTime(RecurringTime::Season(season), which)));

        assert_eq!(days, Some(Days { first, last }));
    }
}
