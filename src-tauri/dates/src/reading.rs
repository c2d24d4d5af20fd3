//! Finds the expressions of a text and chooses the one that is meant.

use crate::days::{Days, Meaning, Name, Unit, When, Which, plus};
use crate::grammar::{GRAMMAR, Line, Matched, Tongue};
use crate::tokens::tokens;
use crate::{Calendar, Found, Looking};

/// See [`crate::span_of`].
pub(crate) fn read(text: &str, calendar: &Calendar) -> Option<Found> {
    let tokens = tokens(text);
    let ids = GRAMMAR.ids(&tokens);
    let line = Line { tokens: &tokens, ids: &ids };
    let mut found = expressions(line, calendar).into_iter().filter_map(|expression| {
        let days = calendar.days_of(expression.meaning)?;
        is_looked_at(days, calendar)
            .then(|| (days, tokens[expression.from].at.start..tokens[expression.end - 1].at.end))
    });
    let first = found.next()?;
    let (Days { first, last }, words) =
        found.fold(first, |chosen, next| if chosen.0.is_narrowed_by(next.0) { next } else { chosen });
    Some(Found { first, last, words })
}

fn is_looked_at(days: Days, calendar: &Calendar) -> bool {
    match calendar.looking {
        Looking::Back => days.first <= calendar.today,
        Looking::Ahead => days.last >= calendar.today,
    }
}

struct Expression {
    /// The tokens of it.
    from: usize,
    end: usize,
    meaning: Meaning,
}

/// From left to right, the longest first; each in the language that reads most of it.
fn expressions(line: Line<'_>, calendar: &Calendar) -> Vec<Expression> {
    let marks: Vec<usize> = GRAMMAR.tongues.iter().map(|tongue| tongue.marks_in(line)).collect();
    let most_marks = marks.iter().copied().max().unwrap_or_default();
    let mut expressions = Vec::new();
    let mut at = 0;
    while at < line.tokens.len() {
        let candidates = GRAMMAR.tongues.iter().zip(&marks).filter_map(|(tongue, marks)| {
            let phrase = tongue.phrase_at(line, at, *marks < most_marks);
            let phrase = phrase.map(|phrase| together(tongue, line, phrase, calendar).unwrap_or(phrase));
            // "March" alone may be a verb, "March last year" is not.
            let name = tongue.name_at(line, at).and_then(|name| together(tongue, line, name, calendar));
            let longest = phrase.into_iter().chain(name).max_by_key(|matched| matched.end)?;
            Some((longest, *marks))
        });
        let longest = candidates
            .reduce(|best, next| if (next.0.end, next.1) > (best.0.end, best.1) { next } else { best });
        let end = longest.map_or(at + 1, |(matched, _)| {
            expressions.push(Expression { from: at, end: matched.end, meaning: matched.meaning });
            matched.end
        });
        at = end;
    }
    expressions
}

/// An expression with the one that follows it, where one is said in the other: "March last year".
fn together(tongue: &Tongue, line: Line<'_>, matched: Matched, calendar: &Calendar) -> Option<Matched> {
    let with_next = |when: When| {
        let (end, next) = tongue.following(line, matched.end)?;
        let both =
            one_in_the_other(when, next, calendar).or_else(|| one_in_the_other(next, when, calendar))?;
        Some((end, both))
    };
    let both = match matched.meaning {
        Meaning::Time(when) => with_next(when).map(|(end, both)| (end, Meaning::Time(both))),
        Meaning::Since(when) => with_next(when).map(|(end, both)| (end, Meaning::Since(both))),
        Meaning::Between(from, to) => with_next(to).map(|(end, both)| (end, Meaning::Between(from, both))),
    };
    both.map(|(end, meaning)| Matched { end, meaning })
}

/// A month or season in a year, a weekday in a week, a weekday that is also dated.
fn one_in_the_other(inner: When, outer: When, calendar: &Calendar) -> Option<When> {
    let When::Name(name, Which::Nearest) = inner else {
        return None;
    };
    if let Name::Weekday(_) = name
        && matches!(outer, When::Date(_) | When::Name(Name::DayOfMonth { .. }, _))
    {
        return Some(outer);
    }
    match (name, calendar.whole(outer)?) {
        (Name::Weekday(weekday), (Unit::Week, monday)) => {
            plus(monday, i32::from(weekday.to_monday_zero_offset())).map(When::Date)
        }
        (Name::Weekday(_), _) | (_, (Unit::Week, _)) => None,
        (name, (_, first)) => Some(When::Name(name, Which::InYear(first.year()))),
    }
}
