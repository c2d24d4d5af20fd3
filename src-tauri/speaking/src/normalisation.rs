//! Text normalisation for English: writes out what phonemisers pronounce wrongly.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Writes out abbreviations, money, units and signs. The phonemiser pronounces numbers and times correctly.
pub(crate) fn normalise_english(text: &str) -> String {
    let mut text = MONEY.replace_all(text, money).into_owned();
    for (abbreviation, words) in ABBREVIATIONS.iter() {
        if let std::borrow::Cow::Owned(written) = abbreviation.replace_all(&text, *words) {
            text = written;
        }
    }
    text
}

/// `$3.50`, `€ 12`, `£1,200`.
static MONEY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?P<sign>[$€£])\s?(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<part>\d{2}))?(?P<more>\s(?:thousand|million|billion|trillion))?\b")
        .expect("the regex is a constant")
});

fn money(found: &Captures<'_>) -> String {
    let (one, many, part_name) = match &found["sign"] {
        "$" => ("dollar", "dollars", "cents"),
        "£" => ("pound", "pounds", "pence"),
        _ => ("euro", "euros", "cents"),
    };
    let whole = found["whole"].replace(',', "");
    let more = found.name("more").map_or("", |m| m.as_str());
    let unit = if whole == "1" && more.is_empty() { one } else { many };
    match found.name("part").map(|part| part.as_str().trim_start_matches('0')) {
        None | Some("") => format!("{whole}{more} {unit}"),
        Some(part) => format!("{whole}{more} {unit} and {part} {part_name}"),
    }
}

/// The written form as a regular expression, and the spoken form.
static ABBREVIATIONS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let table = [
        (r"\bDr\.", "Doctor"),
        (r"\bMr\.", "Mister"),
        (r"\bMrs\.", "Missis"),
        (r"\bMs\.", "Miz"),
        (r"\bProf\.", "Professor"),
        (r"\bSt\.(\s+[A-Z])", "Saint$1"),
        (r"\b([A-Z][a-z]+) St\.", "$1 Street"),
        (r"\b(?:e\.\s?g\.),?", "for example,"),
        (r"\b(?:i\.\s?e\.),?", "that is,"),
        (r"\betc\.", "et cetera."),
        (r"\bvs\.?(\s)", "versus$1"),
        (r"\bapprox\.", "approximately"),
        (r"\bNo\.\s?(\d)", "number $1"),
        (r"(\d)\s?[aA]\.?[mM]\.?(\W|$)", "$1 a m$2"),
        (r"(\d)\s?[pP]\.?[mM]\.?(\W|$)", "$1 p m$2"),
        (r"(\d)\s?°\s?C\b", "$1 degrees Celsius"),
        (r"(\d)\s?°\s?F\b", "$1 degrees Fahrenheit"),
        (r"(\d)\s?°", "$1 degrees"),
        (r"(\d)\s?km/h\b", "$1 kilometres per hour"),
        (r"(\d)\s?m/s\b", "$1 metres per second"),
        (r"(\d)\s?mph\b", "$1 miles per hour"),
        (r"(\d)\s?km\b", "$1 kilometres"),
        (r"(\d)\s?kg\b", "$1 kilograms"),
        (r"(\d)\s?cm\b", "$1 centimetres"),
        (r"(\d)\s?mm\b", "$1 millimetres"),
        (r"(\d)\s?ml\b", "$1 millilitres"),
        (r"(\d)\s?GB\b", "$1 gigabytes"),
        (r"(\d)\s?MB\b", "$1 megabytes"),
        (r"(\d)\s?kWh\b", "$1 kilowatt hours"),
        (r"(\d)\s?%", "$1 percent"),
        (r"(\d)\s?[–-]\s?(\d)", "$1 to $2"),
        (r"\s&\s", " and "),
        (r"(\w)/(\w)", "$1 $2"),
    ];
    table
        .into_iter()
        .map(|(written, spoken)| (Regex::new(written).expect("the regex is a constant"), spoken))
        .collect()
});

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("Dr. Smith met Mrs. Jones", "Doctor Smith met Missis Jones")]
    #[case("St. Paul lives in Baker St.", "Saint Paul lives in Baker Street")]
    #[case("It costs $3.50 or £1", "It costs 3 dollars and 50 cents or 1 pound")]
    #[case("€1,200 and $2 million", "1200 euros and 2 million dollars")]
    #[case("$5.00", "5 dollars")]
    #[case("21°C, 50% and 30 km/h", "21 degrees Celsius, 50 percent and 30 kilometres per hour")]
    #[case("at 7 p.m. or 8am", "at 7 p m or 8 a m")]
    #[case("fruit, e.g. apples", "fruit, for example, apples")]
    #[case("10-12 days", "10 to 12 days")]
    #[case("plain words stay", "plain words stay")]
    fn abbreviations_money_and_units_are_written_out(#[case] written: &str, #[case] spoken: &str) {
        assert_eq!(normalise_english(written), spoken);
    }
}
