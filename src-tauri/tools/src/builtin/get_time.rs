//! The time of day, here or anywhere.

use async_trait::async_trait;
use jiff::tz::TimeZone;
use languages::messages::Messages;
use places::Place;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::declaration::{declaration, read, words};
use super::wording::{id, told, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// A town, a country with one time zone, or a zone such as Asia/Tokyo. Leave it out for the user's own time.
    place: Option<String>,
}

pub(super) struct GetTime(Declaration);

impl GetTime {
    pub fn new() -> Self {
        Self(declaration::<Arguments>(
            "getTime",
            Effect::ReadOnly,
            "The time of day now, here or in any town, country or time zone.",
            "clock hour timezone zone now late world",
            &[
                ("what time is it?", json!({})),
                ("how late is it in Tokyo?", json!({"place": "Tokyo"})),
                ("is it already evening in New York?", json!({"place": "New York"})),
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
        match read::<Arguments>(arguments).and_then(|arguments| tell(words(arguments.place), context)) {
            Ok(result) | Err(result) => result,
        }
    }
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
