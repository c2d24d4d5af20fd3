//! The answer of the weather service, and the report made of it.

use jiff::civil::DateTime;
use serde_json::Value;

/// Hours of today that are told: each third one.
const HOUR_STEP: i8 = 3;
/// Days that are told.
const MAX_DAYS: usize = 7;

/// The weather at a place.
#[derive(Debug, Clone, PartialEq)]
pub struct WeatherReport {
    /// Town, region and country.
    pub place: String,
    /// Conditions in words.
    pub conditions: &'static str,
    /// Degrees Celsius.
    pub temperature_c: f64,
    /// The apparent temperature, in degrees Celsius, if it differs.
    pub feels_like_c: Option<f64>,
    /// Relative humidity in percent.
    pub humidity_pct: Option<f64>,
    /// Wind in kilometres per hour.
    pub wind_kmh: Option<f64>,
    /// Gusts in kilometres per hour, if they are stronger than the wind.
    pub gusts_kmh: Option<f64>,
    /// The rest of today in steps of three hours.
    pub hours: Vec<Hour>,
    /// Today and the next days.
    pub days: Vec<Day>,
}

/// The weather at an hour of today.
#[derive(Debug, Clone, PartialEq)]
pub struct Hour {
    /// `HH:MM`, local time of the place.
    pub time: String,
    /// Degrees Celsius.
    pub temperature_c: f64,
    /// In words.
    pub conditions: &'static str,
}

/// The weather of a day.
#[derive(Debug, Clone, PartialEq)]
pub struct Day {
    /// `YYYY-MM-DD`.
    pub date: String,
    /// Lowest temperature in degrees Celsius.
    pub min_c: f64,
    /// Highest temperature in degrees Celsius.
    pub max_c: f64,
    /// In words.
    pub conditions: &'static str,
}

impl WeatherReport {
    /// Reads the answer of the service; `None` if it has no current weather.
    pub(super) fn read(place: String, answer: &Value) -> Option<Self> {
        let current = &answer["current"];
        let number = |key: &str| current[key].as_f64();
        let temperature_c = number("temperature_2m")?;
        let wind_kmh = number("wind_speed_10m");
        let feels_like_c =
            number("apparent_temperature").filter(|felt| rounded(*felt) != rounded(temperature_c));
        Some(Self {
            place,
            conditions: condition_of(&current["weather_code"]),
            temperature_c,
            feels_like_c,
            humidity_pct: number("relative_humidity_2m"),
            wind_kmh,
            gusts_kmh: number("wind_gusts_10m").filter(|gusts| wind_kmh.is_some_and(|wind| *gusts > wind)),
            hours: hours(answer),
            days: days(&answer["daily"]),
        })
    }

    /// The report as the model reads it.
    pub fn text(&self) -> String {
        let mut lines = vec![
            format!("Weather in {}", self.place),
            format!("Conditions: {}", self.conditions),
            format!("Temperature: {:.1} °C ({:.1} °F)", self.temperature_c, fahrenheit(self.temperature_c)),
        ];
        if let Some(felt) = self.feels_like_c {
            lines.push(format!("Feels like: {felt:.1} °C ({:.1} °F)", fahrenheit(felt)));
        }
        if let Some(humidity) = self.humidity_pct {
            lines.push(format!("Humidity: {humidity} %"));
        }
        if let Some(wind) = self.wind_kmh {
            let gusts = self.gusts_kmh.map_or_else(String::new, |gusts| format!(", gusts {gusts:.1} km/h"));
            lines.push(format!("Wind: {wind:.1} km/h{gusts}"));
        }
        if !self.hours.is_empty() {
            lines.push("Later today:".to_owned());
            let line =
                |hour: &Hour| format!("- {}: {:.1} °C, {}", hour.time, hour.temperature_c, hour.conditions);
            lines.extend(self.hours.iter().map(line));
        }
        if !self.days.is_empty() {
            lines.push("Next days:".to_owned());
            let line = |day: &Day| {
                format!("- {}: {:.1} to {:.1} °C, {}", day.date, day.min_c, day.max_c, day.conditions)
            };
            lines.extend(self.days.iter().map(line));
        }
        lines.join("\n")
    }
}

/// Degrees Fahrenheit.
pub fn fahrenheit(celsius: f64) -> f64 {
    celsius * 9.0 / 5.0 + 32.0
}

/// To a tenth, as it is shown.
fn rounded(value: f64) -> i64 {
    (value * 10.0).round() as i64
}

/// The hours of today after the current time that a step of three falls on.
fn hours(answer: &Value) -> Vec<Hour> {
    let Some(now) = time(&answer["current"]["time"]) else { return Vec::new() };
    let hourly = &answer["hourly"];
    let times = hourly["time"].as_array().map_or(&[][..], Vec::as_slice);
    let hour = |(index, value): (usize, &Value)| {
        let at = time(value)?;
        let is_told = at.date() == now.date() && at > now && at.hour() % HOUR_STEP == 0;
        is_told.then_some(())?;
        Some(Hour {
            time: at.strftime("%H:%M").to_string(),
            temperature_c: hourly["temperature_2m"][index].as_f64()?,
            conditions: condition_of(&hourly["weather_code"][index]),
        })
    };
    times.iter().enumerate().filter_map(hour).collect()
}

fn days(daily: &Value) -> Vec<Day> {
    let dates = daily["time"].as_array().map_or(&[][..], Vec::as_slice);
    let day = |(index, date): (usize, &Value)| {
        Some(Day {
            date: date.as_str()?.to_owned(),
            min_c: daily["temperature_2m_min"][index].as_f64()?,
            max_c: daily["temperature_2m_max"][index].as_f64()?,
            conditions: condition_of(&daily["weather_code"][index]),
        })
    };
    dates.iter().enumerate().filter_map(day).take(MAX_DAYS).collect()
}

fn time(value: &Value) -> Option<DateTime> {
    value.as_str()?.parse().ok()
}

fn condition_of(code: &Value) -> &'static str {
    code.as_f64().map_or("unknown", |code| condition(code as i64))
}

/// A weather code in words.
pub fn condition(code: i64) -> &'static str {
    match code {
        0 => "clear sky",
        1 => "mainly clear",
        2 => "partly cloudy",
        3 => "overcast",
        45 => "fog",
        48 => "depositing rime fog",
        51 => "light drizzle",
        53 => "moderate drizzle",
        55 => "dense drizzle",
        56 | 57 => "freezing drizzle",
        61 => "slight rain",
        63 => "moderate rain",
        65 => "heavy rain",
        66 | 67 => "freezing rain",
        71 => "slight snow",
        73 => "moderate snow",
        75 => "heavy snow",
        77 => "snow grains",
        80 => "slight rain showers",
        81 => "moderate rain showers",
        82 => "violent rain showers",
        85 => "slight snow showers",
        86 => "heavy snow showers",
        95 => "thunderstorm",
        96 | 99 => "thunderstorm with hail",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn report_tells_now_the_rest_of_today_and_the_days() {
        let answer = json!({
            "current": {"time": "2026-11-25T16:45", "temperature_2m": 7.26, "relative_humidity_2m": 81,
                "apparent_temperature": 4.1, "weather_code": 61, "wind_speed_10m": 18.4, "wind_gusts_10m": 18.4},
            "hourly": {"time": ["2026-11-25T15:00", "2026-11-25T18:00", "2026-11-25T20:00", "2026-11-25T21:00", "2026-11-26T00:00"],
                "temperature_2m": [8.0, 6.5, 6.0, 5.5, 5.0], "weather_code": [3, 61, 61, 2, 0]},
            "daily": {"time": ["2026-11-25", "2026-11-26"], "weather_code": [61, 3],
                "temperature_2m_min": [3.0, 1.5], "temperature_2m_max": [8.1, 6.0]}
        });

        let report = WeatherReport::read("Leeds, England, United Kingdom".into(), &answer).unwrap();

        insta::assert_snapshot!(report.text(), @r"
        Weather in Leeds, England, United Kingdom
        Conditions: slight rain
        Temperature: 7.3 °C (45.1 °F)
        Feels like: 4.1 °C (39.4 °F)
        Humidity: 81 %
        Wind: 18.4 km/h
        Later today:
        - 18:00: 6.5 °C, slight rain
        - 21:00: 5.5 °C, partly cloudy
        Next days:
        - 2026-11-25: 3.0 to 8.1 °C, slight rain
        - 2026-11-26: 1.5 to 6.0 °C, overcast
        ");
    }

    #[test]
    fn gusts_without_wind_are_left_out() {
        let answer = json!({ "current": { "temperature_2m": 7.0, "wind_gusts_10m": 30.0 } });

        let report = WeatherReport::read("Leeds".into(), &answer).unwrap();

        assert_eq!((report.wind_kmh, report.gusts_kmh), (None, None));
    }

    #[test]
    fn answer_without_current_weather_is_no_report() {
        assert_eq!(WeatherReport::read(String::new(), &json!({"daily": {}})), None);
    }
}
