//! The time of day, here or anywhere.

use async_trait::async_trait;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use languages::messages::Messages;
use places::Place;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::days::resolved;
use super::declaration::{declaration, read, words};
use super::wording::{id, told, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// A town, a country with one time zone, or a zone such as Asia/Tokyo. Leave it out for the user's own time.
    place: Option<String>,
    /// A time of day as HH:MM, if the user asks how long it is until then; "05:00 or 17:00" if it may be either.
    until: Option<String>,
    /// The day of that time in the user's words or as YYYY-MM-DD. Leave it out for the next time.
    date: Option<String>,
}

pub(super) struct GetTime(Declaration);

impl GetTime {
    pub fn new() -> Self {
        Self(declaration::<Arguments>(
            "getTime",
            Effect::ReadOnly,
            "The time of day now, here or in any town, country or time zone, and how long it is until a time of day.",
            "clock hour timezone zone now late world until",
            &[
                ("what time is it?", json!({})),
                ("how late is it in Tokyo?", json!({"place": "Tokyo"})),
                ("is it already evening in New York?", json!({"place": "New York"})),
                ("how long until half past six in the evening?", json!({"until": "18:30"})),
            ],
        ))
    }
}

#[async_trait]
impl Tool for GetTime {
    fn declaration(&self) -> &Declaration {
        &self.0
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        match read::<Arguments>(arguments).and_then(|arguments| answer(arguments, context)) {
            Ok(result) | Err(result) => result,
        }
    }
}

fn answer(arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
    let Arguments { place, until, date } = arguments;
    match words(until) {
        Some(until) => time_until(&until, words(date).as_deref(), words(place), context),
        None => tell(words(place), context),
    }
}

/// The time that is left until a time of day: of this day, or the next one.
fn time_until(
    until: &str,
    date: Option<&str>,
    place: Option<String>,
    context: &ToolContext,
) -> Result<ToolResult, ToolResult> {
    let zone = place.map(|place| located(&place, context)).transpose()?.map(|place| place.zone);
    let now = context.now.to_zoned(zone.unwrap_or_else(|| context.zone.clone()));
    let times: Option<Vec<Time>> = until.split(" or ").map(|time| time.trim().parse().ok()).collect();
    let Some(times) = times else {
        return Err(ToolResult::failed(format!("{until:?} is no time of day. Write it as HH:MM.")));
    };
    let days = match date {
        Some(date) => vec![resolved(date, now.date())?.first],
        None => [Some(now.date()), now.date().tomorrow().ok()].into_iter().flatten().collect(),
    };
    let moments = days.iter().flat_map(|day| times.iter().map(move |time| day.to_datetime(*time)));
    let moments = moments.filter_map(|moment| moment.to_zoned(now.time_zone().clone()).ok());
    let Some(next) = moments.filter(|moment| *moment > now).min() else {
        return Err(ToolResult::failed(format!("{until} on that day is over.")));
    };
    let seconds = now.duration_until(&next).as_secs();
    // Nobody counts seconds if there are minutes.
    let seconds = if seconds < 60 { seconds } else { (seconds + 30) / 60 * 60 };
    let english = Messages::english();
    let text =
        format!("{} until {} on {}.", english.duration(seconds), english.time(next.time()), next.date());
    let result = ToolResult::done(text);
    let Some(wording) = wording(context, id::TIME_UNTIL) else { return Ok(result) };
    Ok(result.answering(wording.time_until(&wording.duration(seconds), &wording.time(next.time()))))
}

fn tell(place: Option<String>, context: &ToolContext) -> Result<ToolResult, ToolResult> {
    let here = context.now.to_zoned(context.zone.clone());
    let place = place.map(|place| located(&place, context)).transpose()?;
    let there = place.as_ref().map_or(here.clone(), |place| here.with_time_zone(place.zone.clone()));
    let english = Messages::english();
    let at = place.as_ref().map_or_else(String::new, |place| format!(" in {}", place.label));
    let text = format!(
        "It is {} ({}) on {}{at}.",
        there.strftime("%H:%M"),
        english.time(there.time()),
        english.day(there.date())
    );
    let result = ToolResult::done(text);
    let Some(wording) = wording(context, id::TIME_HERE) else { return Ok(result) };
    let time = wording.time(there.time());
    let answer = match &place {
        None => wording.time_here(&time),
        Some(place) if there.date() == here.date() => wording.time_there(&place.asked, &time),
        Some(place) => wording.time_there_on(&place.asked, &time, &wording.weekday(there.date())),
    };
    Ok(result.answering(answer))
}

/// A place with its time zone.
pub(super) struct ZonedPlace {
    /// As the user calls it.
    pub asked: String,
    /// With its country.
    pub label: String,
    pub zone: TimeZone,
}

/// Finds a town, a zone, or a country with one time zone.
pub(super) fn located(place: &str, context: &ToolContext) -> Result<ZonedPlace, ToolResult> {
    let found = |label: String, zone: &str| {
        let zone = TimeZone::get(zone)
            .map_err(|_| ToolResult::failed(format!("The time zone {zone} is unknown on this computer.")))?;
        Ok(ZonedPlace { asked: place.to_owned(), label, zone })
    };
    if place.contains('/') && TimeZone::get(place).is_ok() {
        return found(place.to_owned(), place);
    }
    let town = |place: Place| found(place.label(), place.time_zone);
    if let Some(named) = places::named(place) {
        return town(named);
    }
    match places::zones_of_country(place).as_slice() {
        [] => {}
        [zone] => return found(place.to_owned(), zone),
        zones => {
            let zones = zones.len();
            let failure =
                ToolResult::failed(format!("{place} has {zones} time zones. Ask for a town there."));
            return Err(told(failure, context, id::TIME_MANY_ZONES, |it| it.time_many_zones(place)));
        }
    }
    // "Leeds, Leeds, United Kingdom", as the place of the user is told to models: the area between may be unknown.
    let in_its_country = || {
        let (town, areas) = place.split_once(',')?;
        let (_, country) = areas.rsplit_once(',')?;
        places::find(&format!("{town},{country}"), 1).into_iter().next()
    };
    match places::find(place, 1).into_iter().next().or_else(in_its_country) {
        Some(nearest) => town(nearest),
        None => {
            let failure = ToolResult::failed(format!(
                "There is no town or country called {place} in the list. Ask for a larger town nearby."
            ));
            Err(told(failure, context, id::PLACE_UNKNOWN, |it| it.place_unknown(place)))
        }
    }
}
