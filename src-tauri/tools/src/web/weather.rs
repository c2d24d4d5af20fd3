//! The weather at a place, now and in the next days.
//!
//! Source of the forms: the documentation of Open-Meteo. Source of the codes: WMO table 4677, as Open-Meteo uses it.

mod forecast; // the service's answer, and the report made of it
mod place; // the place in the user's words

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use net::Purpose;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::port::{WebError, WebFetch, WebRequest};
use crate::builtin::declaration::{declaration, run, words};
use crate::config::WebConfig;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

pub use forecast::{Day, Hour, WeatherReport, condition, fahrenheit};
pub use place::Coordinates;
pub use place::accepted_place;
use place::{GeocodedPlaces, name_and_area};

/// The longest one request may take.
const REQUEST_LIMIT: Duration = Duration::from_secs(10);
/// Places that are looked at when the user names the area too: "Portland, Oregon".
const PLACES_OF_A_NAME: &str = "10";

/// The addresses of the services.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeatherApis {
    /// Finds places by name.
    pub geocoding: Url,
    /// Gives forecasts by coordinates.
    pub forecast: Url,
}

impl Default for WeatherApis {
    fn default() -> Self {
        let url = |text| Url::parse(text).expect("the address is a constant");
        Self {
            geocoding: url("https://geocoding-api.open-meteo.com/v1/search"),
            forecast: url("https://api.open-meteo.com/v1/forecast"),
        }
    }
}

/// The reason why there is no weather, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoWeather {
    /// Nobody named a place, and none is known.
    #[error("The place is not known. Ask the user for which town.")]
    WithoutPlace,
    /// There is no such place.
    #[error("There is no place called {0}. Ask the user for a larger town nearby.")]
    UnknownPlace(String),
    /// The service knows the place and has nothing for it.
    #[error("The weather service sent no weather for this place. Say that it is not known at the moment.")]
    NoneForPlace,
    /// The service took too long.
    #[error("The weather service did not answer in time. Say that it can be tried again.")]
    TimedOut,
    /// The setting `web.offline` is on.
    #[error(
        "Jarvis is set to work offline, so the weather was not asked. The user can change that in the settings (web.offline)."
    )]
    Offline,
    /// Its answer has another form.
    #[error("The answer of the weather service could not be read.")]
    Unreadable,
    /// It cannot be reached.
    #[error("The weather service could not be reached. Say that the network may be down.")]
    Unreachable,
}

/// The port to the place where the user is.
#[async_trait]
pub trait UserPlace: Send + Sync {
    /// The place where the user is, as far as the settings allow to know.
    async fn coordinates(&self) -> Option<Coordinates>;
}

/// The port that reads a place out of what the user said.
#[async_trait]
pub trait PlaceReader: Send + Sync {
    /// The answer of a model that was asked for the one place in a text, as it is.
    ///
    /// # Errors
    ///
    /// The model failed.
    async fn place_in(
        &self,
        text: &str,
        stop: &CancellationToken,
    ) -> Result<String, Box<dyn Error + Send + Sync>>;
}

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// A town, with its country if that is needed to tell it apart. Leave it out for the place of the user.
    #[serde(alias = "city", alias = "place")]
    location: Option<String>,
}

/// The tool `getWeather`.
pub struct GetWeather {
    declaration: Declaration,
    parts: WeatherParts,
    config: watch::Receiver<WebConfig>,
}

/// The parts of the weather tool.
pub struct WeatherParts {
    /// The way to the services.
    pub web: Arc<dyn WebFetch>,
    /// Their addresses.
    pub apis: WeatherApis,
    /// The place where the user is, if that can be known.
    pub user: Option<Arc<dyn UserPlace>>,
    /// Reads places with a model, if there is one.
    pub reader: Option<Arc<dyn PlaceReader>>,
}

impl GetWeather {
    /// The tool with these parts.
    pub fn new(parts: WeatherParts, config: watch::Receiver<WebConfig>) -> Self {
        let mut declaration = declaration::<Arguments>(
            "getWeather",
            Effect::Network,
            "The weather now and for the next seven days, at a place or where the user is.",
            "weather forecast rain sun snow wind temperature umbrella coat warm cold hot storm degrees tomorrow weekend",
            &[
                ("do I need an umbrella?", json!({})),
                ("what is the weather in Leeds tomorrow?", json!({"location": "Leeds"})),
                ("how warm is it in Paris?", json!({"location": "Paris, France"})),
            ],
        );
        declaration.timeout = REQUEST_LIMIT * 3;
        Self { declaration, parts, config }
    }
}

#[async_trait]
impl Tool for GetWeather {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, async |arguments: Arguments| {
            let home = words(Some(self.config.borrow().place.clone()));
            let report = report(&self.parts, words(arguments.location), home, context).await;
            report.map(|report| ToolResult::done(report.text()).untrusted()).map_err(|error| {
                let failed = ToolResult::failed(error.to_string());
                if error == NoWeather::WithoutPlace { failed.lacking("location") } else { failed }
            })
        })
        .await
    }
}

/// The weather at a place in the user's words, else at the place of the settings, else where the user is, else at a place that
/// is named in the query.
///
/// # Errors
///
/// [`NoWeather`], a sentence for the model.
pub async fn report(
    parts: &WeatherParts,
    asked: Option<String>,
    home: Option<String>,
    context: &ToolContext,
) -> Result<WeatherReport, NoWeather> {
    let coordinates = match asked.or(home) {
        Some(name) => geocoded(parts, &name).await?,
        None => match user_coordinates(parts).await {
            Some(coordinates) => coordinates,
            None => {
                let Some(name) = named_in_query(parts, context).await else {
                    return Err(NoWeather::WithoutPlace);
                };
                geocoded(parts, &name).await?
            }
        },
    };
    let place = coordinates.label();
    let mut url = parts.apis.forecast.clone();
    url.query_pairs_mut()
        .append_pair("latitude", &coordinates.latitude.to_string())
        .append_pair("longitude", &coordinates.longitude.to_string())
        .append_pair(
            "current",
            "temperature_2m,relative_humidity_2m,apparent_temperature,weather_code,wind_speed_10m,wind_gusts_10m",
        )
        .append_pair("hourly", "temperature_2m,weather_code")
        .append_pair("daily", "weather_code,temperature_2m_max,temperature_2m_min")
        .append_pair("forecast_days", "7")
        .append_pair("timezone", "auto");
    let answer: Value = fetched(parts, url).await?;
    WeatherReport::read(place, &answer).ok_or(NoWeather::NoneForPlace)
}

async fn user_coordinates(parts: &WeatherParts) -> Option<Coordinates> {
    parts.user.as_ref()?.coordinates().await
}

async fn named_in_query(parts: &WeatherParts, context: &ToolContext) -> Option<String> {
    let answer = parts.reader.as_ref()?.place_in(&context.query, &context.stop).await.ok()?;
    accepted_place(&answer)
}

async fn geocoded(parts: &WeatherParts, name: &str) -> Result<Coordinates, NoWeather> {
    let (town, area) = name_and_area(name);
    let mut url = parts.apis.geocoding.clone();
    url.query_pairs_mut()
        .append_pair("name", town)
        .append_pair("count", if area.is_empty() { "1" } else { PLACES_OF_A_NAME })
        .append_pair("language", "en")
        .append_pair("format", "json");
    let found: GeocodedPlaces = serde_json::from_value(fetched(parts, url).await?).unwrap_or_default();
    found.best(&area).ok_or_else(|| NoWeather::UnknownPlace(name.to_owned()))
}

async fn fetched(parts: &WeatherParts, url: Url) -> Result<Value, NoWeather> {
    let request = WebRequest::new(url, Purpose::Weather, REQUEST_LIMIT);
    let answer = parts.web.fetch(request).await.and_then(|response| response.json());
    answer.map_err(|error| match error {
        WebError::TimedOut => NoWeather::TimedOut,
        WebError::Offline => NoWeather::Offline,
        WebError::Unreadable => NoWeather::Unreadable,
        _ => NoWeather::Unreachable,
    })
}
