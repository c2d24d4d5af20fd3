//! The day today, the day that an expression means, the days until then, and its week.

use async_trait::async_trait;
use dates::DateSpan;
use jiff::ToSpan;
use jiff::civil::Date;
use languages::messages::Messages;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::days::resolved;
use super::declaration::{declaration, read, words};
use super::get_time::located;
use super::wording::{id, told, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// A day in the user's words or as YYYY-MM-DD, such as "in six weeks", "next Friday", "Christmas". Leave it out for today.
    date: Option<String>,
    /// A town, if the day there is asked for.
    place: Option<String>,
    /// Whether the user asks how many days it is until or since then.
    #[serde(default)]
    count_days: bool,
    /// Whether the user asks for the number of the week.
    #[serde(default)]
    week_number: bool,
}

pub(super) struct GetDate(Declaration);

impl GetDate {
    pub fn new() -> Self {
        Self(declaration::<Arguments>(
            "getDate",
            Effect::ReadOnly,
            "The date and weekday of today or of any day, how many days it is until or since then, and the week number.",
            "calendar day weekday today tomorrow week month year until since count",
            &[
                ("what day is it?", json!({})),
                ("which day is in six weeks?", json!({"date": "in six weeks"})),
                ("how many days until Christmas?", json!({"date": "Christmas", "count_days": true})),
                ("what weekday was 4 May 1979?", json!({"date": "1979-05-04"})),
            ],
        ))
    }
}

#[async_trait]
impl Tool for GetDate {
    fn declaration(&self) -> &Declaration {
        &self.0
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        match read(arguments).and_then(|arguments| tell(arguments, context)) {
            Ok(result) | Err(result) => result,
        }
    }
}

fn tell(arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
    let zone = match words(arguments.place) {
        Some(place) => located(&place, context)?.zone,
        None => context.zone.clone(),
    };
    let today = context.now.to_zoned(zone).date();
    let wording = wording(context, id::DATE_TODAY);
    let asked = words(arguments.date);
    let span = match &asked {
        None => DateSpan { first: today, last: today, words: 0..0 },
        Some(asked) => resolved(asked, today)?,
    };
    let english = Messages::english();
    let feast = feast_day(&span, wording.unwrap_or(english).christmas_day());
    let first = feast.unwrap_or(span.first);
    if arguments.week_number {
        return Ok(week_of(first, today, asked.is_some(), context));
    }
    let days = first.since((jiff::Unit::Day, today)).map_or(0, |span| span.get_days());
    let distance = match days {
        0 => "today".to_owned(),
        1.. => format!("in {days} days"),
        _ => format!("{} days ago", -days),
    };
    let is_one_day = span.first == span.last || feast.is_some() || arguments.count_days;
    let text = if is_one_day {
        format!("{} ({first}), {distance}. Today is {today}.", english.day(first))
    } else {
        format!("From {} to {}. Today is {today}.", english.day(span.first), english.day(span.last))
    };
    let result = ToolResult::done(text);
    let Some(wording) = wording else { return Ok(result) };
    let date = wording.day(first);
    let distance = i64::from(days.abs());
    let answer = match days {
        _ if !is_one_day => wording.date_span(&wording.day(span.first), &wording.day(span.last)),
        0 if asked.is_some() => wording.date_today(&date),
        1.. if arguments.count_days => wording.date_days_until(&date, distance),
        ..=-1 if arguments.count_days => wording.date_days_since(&date, distance),
        _ => format!("{date}."),
    };
    Ok(result.answering(answer))
}

/// The number of the week with this day. The answer names the day if the user did.
fn week_of(day: Date, today: Date, is_named: bool, context: &ToolContext) -> ToolResult {
    let week = day.iso_week_date();
    let number = week.week().to_string();
    let written = Messages::english().day(day);
    let text =
        format!("{written} ({day}) is in week {number} of {} (ISO 8601). Today is {today}.", week.year());
    told(ToolResult::done(text), context, id::DATE_WEEK_NOW, |wording| match is_named {
        true => wording.date_week_of(&wording.day(day), &number),
        false => wording.date_week_now(&number),
    })
}

/// The day that people mean by a feast of several days: Christmas Day or Eve, Easter Sunday. `None` if the span is none.
fn feast_day(span: &DateSpan, christmas_day: i8) -> Option<Date> {
    let DateSpan { first, last, .. } = span;
    let is_christmas = first.month() == 12 && first.day() == 24 && last.day() == 26;
    if is_christmas {
        return first.with().day(christmas_day).build().ok();
    }
    let sunday = dates::easter_sunday(first.year())?;
    let is_easter = *first == sunday.saturating_sub(2.days()) && *last == sunday.saturating_add(1.days());
    is_easter.then_some(sunday)
}
