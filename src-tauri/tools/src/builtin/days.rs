//! Days and times that the arguments of a tool name.

use std::ops::Range;

use dates::{Calendar, DateSpan};
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::ToolResult;

/// The days of an expression, looking back: "Tuesday" is the last one.
pub(super) fn past_days(asked: &str, today: Date) -> Result<DateSpan, ToolResult> {
    // Models write times too: 2026-11-22T00:00:00Z.
    let date = asked.get(..10).and_then(|date| date.parse::<Date>().ok());
    let day = date.map(|day| DateSpan { first: day, last: day, words: 0..asked.len() });
    day.or_else(|| dates::span_of(asked, &Calendar::looking_back(today))).ok_or_else(|| {
        ToolResult::failed(format!("{asked:?} names no day. Write it as YYYY-MM-DD, or in plain words."))
    })
}

/// The days of an expression: the next ones, or the last ones where it is only about the past.
pub(super) fn resolved(asked: &str, today: Date) -> Result<DateSpan, ToolResult> {
    let ahead = Calendar::looking_ahead(today).with_exact_weeks();
    let back = Calendar::looking_back(today).with_exact_weeks();
    let iso = asked.parse::<Date>().ok().map(|day| DateSpan { first: day, last: day, words: 0..asked.len() });
    iso.or_else(|| dates::whole_span_of(asked, &ahead))
        .or_else(|| dates::whole_span_of(asked, &back))
        .or_else(|| dates::span_of(asked, &ahead))
        .or_else(|| dates::span_of(asked, &back))
        .ok_or_else(|| {
            ToolResult::failed(format!("{asked:?} names no day. Write it as YYYY-MM-DD, or in plain words."))
        })
}

/// The span in microseconds since 1970 UTC.
pub(super) fn micros(span: &DateSpan, zone: &TimeZone) -> Range<i64> {
    let begins = |day: Date| Some(day.to_zoned(zone.clone()).ok()?.timestamp().as_microsecond());
    let end = span.last.tomorrow().ok().and_then(begins).unwrap_or(i64::MAX);
    begins(span.first).unwrap_or(i64::MIN)..end
}
