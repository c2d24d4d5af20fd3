//! The weather, with scripted services.

use std::error::Error;
use std::sync::Arc;

use ::tools::ToolContext;
use ::tools::web::weather::{
    Coordinates, PlaceReader, UserPlace, WeatherApis, WeatherParts, WeatherReport, report,
};
use ::tools::web::{WebError, WebFetch};
use async_trait::async_trait;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use vocabulary::{ConversationId, Origin, Private};

use super::scripted_web::{ScriptedWeb, body};
use crate::suite::{block_on, read};

#[derive(Deserialize)]
struct Script {
    #[serde(default)]
    args: Value,
    geocode_response: Option<Value>,
    forecast_response: Option<Value>,
    detected_location: Option<Detected>,
    place_found_in_text: Option<String>,
}

#[derive(Deserialize, Clone, Default)]
struct Detected {
    latitude: Option<f64>,
    longitude: Option<f64>,
    city: Option<String>,
    region: Option<String>,
    country: Option<String>,
}

#[async_trait]
impl UserPlace for Detected {
    async fn coordinates(&self) -> Option<Coordinates> {
        Some(Coordinates {
            latitude: self.latitude?,
            longitude: self.longitude?,
            city: self.city.clone().unwrap_or_default(),
            region: self.region.clone().unwrap_or_default(),
            country: self.country.clone().unwrap_or_default(),
        })
    }
}

struct ScriptedPlace(Option<String>);

#[async_trait]
impl PlaceReader for ScriptedPlace {
    async fn place_in(&self, _: &str, _: &CancellationToken) -> Result<String, Box<dyn Error + Send + Sync>> {
        self.0.clone().ok_or_else(|| "the model failed".into())
    }
}

pub(super) fn run(input: Value) -> Result<Value, String> {
    let script: Script = read(input)?;
    let (geocode, forecast) = (script.geocode_response.clone(), script.forecast_response.clone());
    let web = Arc::new(ScriptedWeb::new(move |request| {
        let is_geocode = request.url.host_str().is_some_and(|host| host.starts_with("geocoding"));
        let (name, answer) =
            if is_geocode { ("geocode", geocode.as_ref()) } else { ("forecast", forecast.as_ref()) };
        let answer = answer.map(|answer| body(request, 200, answer.to_string()));
        (Some(name.to_owned()), answer.ok_or(WebError::Unreachable))
    }));
    let parts = WeatherParts {
        web: Arc::clone(&web) as Arc<dyn WebFetch>,
        apis: WeatherApis::default(),
        user: Some(Arc::new(script.detected_location.unwrap_or_default())),
        reader: Some(Arc::new(ScriptedPlace(script.place_found_in_text))),
    };
    let asked = script.args["location"].as_str().map(str::trim).filter(|place| !place.is_empty());
    let outcome = block_on(report(&parts, asked.map(str::to_owned), None, &context()));
    let calls = web.asked();
    Ok(match outcome {
        Ok(report) => told(&report, &calls),
        Err(_) => json!({ "success": false, "calls": calls }),
    })
}

fn context() -> ToolContext {
    ToolContext {
        query: Private(String::new()),
        language: None,
        conversation: ConversationId::main(),
        origin: Origin::Typed,
        now: Timestamp::UNIX_EPOCH,
        zone: TimeZone::UTC,
        stop: CancellationToken::new(),
        inquiries: ::tools::Inquiries::default(),
    }
}

fn told(report: &WeatherReport, calls: &[String]) -> Value {
    let hour = |hour: &::tools::web::weather::Hour| json!({ "time": hour.time, "temperature_c": hour.temperature_c, "conditions": hour.conditions });
    let day = |day: &::tools::web::weather::Day| json!({ "date": day.date, "min_c": day.min_c, "max_c": day.max_c, "conditions": day.conditions });
    let fahrenheit = ::tools::web::weather::fahrenheit;
    json!({
        "success": true,
        "calls": calls,
        "place": report.place,
        "conditions": report.conditions,
        "temperature_c": report.temperature_c,
        "temperature_f": fahrenheit(report.temperature_c),
        "feels_like_c": report.feels_like_c,
        "feels_like_f": report.feels_like_c.map(fahrenheit),
        "humidity_pct": report.humidity_pct,
        "wind_kmh": report.wind_kmh,
        "gusts_kmh": report.gusts_kmh,
        "hours": report.hours.iter().map(hour).collect::<Vec<_>>(),
        "days": report.days.iter().map(day).collect::<Vec<_>>(),
    })
}
