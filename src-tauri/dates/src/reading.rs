//! Finds the expressions of time in a text and chooses one.

use languages::TimeUnit;

use crate::calendar::{Calendar, DateSpan, Direction};
use crate::candidates::candidates;
use crate::days::{Days, plus};
use crate::expression::{Occurrence, RecurringTime, TimeExpression, When};
use crate::grammar::{ExpressionMatch, LanguageGrammar, TokenizedText, grammar_of};
use crate::tokens::{Token, tokens};

/// See [`crate::span_of`].
pub(crate) fn read(text: &str, calendar: &Calendar) -> Option<DateSpan> {
    let tokens = tokens(text);
    let mut found = expressions(&tokens, calendar).into_iter().filter_map(|expression| {
        let days = calendar.days_of(expression.meaning)?;
        is_in_direction(days, calendar)
            .then(|| (days, tokens[expression.from].at.start..tokens[expression.end - 1].at.end))
    });
    let first = found.next()?;
    let (Days { first, last }, words) =
        found.fold(first, |chosen, next| if chosen.0.is_narrowed_by(next.0) { next } else { chosen });
    Some(DateSpan { first, last, words })
}

/// See [`crate::whole_span_of`].
pub(crate) fn read_whole(text: &str, calendar: &Calendar) -> Option<DateSpan> {
    let tokens = tokens(text);
    let words = tokens.first()?.at.start..tokens.last()?.at.end;
    candidates(&tokens).into_iter().find_map(|candidate| {
        let language = grammar_of(candidate.data)?;
        let ids = language.ids(&tokens);
        let tokenized = TokenizedText { tokens: &tokens, ids: &ids };
        let readings = [language.phrase_at(tokenized, 0, false), language.name_at(tokenized, 0)];
        readings.into_iter().flatten().find_map(|reading| {
            let combined = combined_with_next(language, tokenized, reading, calendar);
            let whole = [combined, Some(reading)].into_iter().flatten().find(|it| it.end == tokens.len())?;
            let days = calendar.days_of(whole.meaning).filter(|days| is_in_direction(*days, calendar))?;
            Some(DateSpan { first: days.first, last: days.last, words: words.clone() })
        })
    })
}

fn is_in_direction(days: Days, calendar: &Calendar) -> bool {
    match calendar.direction {
        Direction::Past => days.first <= calendar.today,
        Direction::Future => days.last >= calendar.today,
    }
}

struct FoundExpression {
    /// Index of the first token, and of the token after the last one.
    from: usize,
    end: usize,
    meaning: TimeExpression,
}

/// All expressions from left to right, each in the language that matches the most tokens.
fn expressions(tokens: &[Token], calendar: &Calendar) -> Vec<FoundExpression> {
    let candidates = candidates(tokens);
    let languages: Vec<_> = candidates
        .iter()
        .filter_map(|candidate| {
            let language = grammar_of(candidate.data)?;
            Some((candidate, language, language.ids(tokens)))
        })
        .collect();
    let mut expressions = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let matches = languages.iter().filter_map(|(candidate, language, ids)| {
            let text = TokenizedText { tokens, ids };
            let phrase = language.phrase_at(text, at, candidate.is_less_likely);
            let phrase =
                phrase.map(|phrase| combined_with_next(language, text, phrase, calendar).unwrap_or(phrase));
            // "March" alone may be a verb, "March last year" is not.
            let name = language
                .name_at(text, at)
                .and_then(|name| combined_with_next(language, text, name, calendar));
            let longest = phrase.into_iter().chain(name).max_by_key(|matched| matched.end)?;
            Some((longest, candidate.function_words))
        });
        let longest = matches
            .reduce(|best, next| if (next.0.end, next.1) > (best.0.end, best.1) { next } else { best });
        let end = longest.map_or(at + 1, |(matched, _)| {
            expressions.push(FoundExpression { from: at, end: matched.end, meaning: matched.meaning });
            matched.end
        });
        at = end;
    }
    expressions
}

/// An expression combined with the next one where one narrows the other: "March last year".
fn combined_with_next(
    language: &LanguageGrammar,
    text: TokenizedText<'_>,
    matched: ExpressionMatch,
    calendar: &Calendar,
) -> Option<ExpressionMatch> {
    let with_next = |when: When| {
        let (end, next) = language.following(text, matched.end)?;
        let both = narrowed(when, next, calendar).or_else(|| narrowed(next, when, calendar))?;
        Some((end, both))
    };
    let both = match matched.meaning {
        TimeExpression::Time(when) => with_next(when).map(|(end, both)| (end, TimeExpression::Time(both))),
        TimeExpression::Since(when) => with_next(when).map(|(end, both)| (end, TimeExpression::Since(both))),
        TimeExpression::Between(from, to) => {
            with_next(to).map(|(end, both)| (end, TimeExpression::Between(from, both)))
        }
    };
    both.map(|(end, meaning)| ExpressionMatch { end, meaning })
}

/// `inner` narrowed by `outer`: a month or season in a year, a weekday in a week, or a weekday with its date.
fn narrowed(inner: When, outer: When, calendar: &Calendar) -> Option<When> {
    let When::RecurringTime(name, Occurrence::Nearest) = inner else {
        return None;
    };
    if let RecurringTime::Weekday(_) = name
        && matches!(outer, When::Date(_) | When::RecurringTime(RecurringTime::DayOfMonth { .. }, _))
    {
        return Some(outer);
    }
    match (name, calendar.week_or_year(outer)?) {
        (RecurringTime::Weekday(weekday), (TimeUnit::Week, monday)) => {
            plus(monday, i32::from(weekday.to_monday_zero_offset())).map(When::Date)
        }
        (RecurringTime::Weekday(_), _) | (_, (TimeUnit::Week, _)) => None,
        (name, (_, first)) => Some(When::RecurringTime(name, Occurrence::InYear(first.year()))),
    }
}
