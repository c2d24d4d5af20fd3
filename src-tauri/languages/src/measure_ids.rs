//! The units of measure and the ingredients that every language names.

/// Ids of the units, grouped by what they measure.
pub const MEASURES: [(&str, &[&str]); 8] = [
    ("time", &["second", "minute", "hour", "day", "week", "year"]),
    ("length", &["millimetre", "centimetre", "metre", "kilometre", "inch", "foot", "yard", "mile"]),
    ("mass", &["milligram", "gram", "kilogram", "tonne", "ounce", "pound", "stone"]),
    (
        "volume",
        &[
            "millilitre",
            "centilitre",
            "decilitre",
            "litre",
            "teaspoon",
            "tablespoon",
            "cup",
            "pint",
            "gallon",
        ],
    ),
    ("temperature", &["celsius", "fahrenheit", "kelvin"]),
    ("speed", &["metre_per_second", "kilometre_per_hour", "mile_per_hour", "knot"]),
    ("area", &["square_metre", "square_kilometre", "hectare", "acre", "square_foot", "square_mile"]),
    ("data", &["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"]),
];

/// Ids of the ingredients of recipes.
pub const INGREDIENTS: [&str; 10] =
    ["water", "milk", "flour", "sugar", "butter", "rice", "oil", "honey", "salt", "oats"];
