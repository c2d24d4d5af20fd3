//! The tables of texts in the folders of languages, for tests: a text and what is expected of it in a line.

use languages::LanguageData;

/// A text and what is expected of it.
pub(crate) type Row = (String, String);

/// The rows of a table in the folder of a language.
pub(crate) fn rows(data: &LanguageData, name: &str) -> Vec<Row> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../languages/data");
    let file = format!("{folder}/{}/{name}", data.code);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let row = |line: &str| {
        let (text, expected) = line.split_once(" => ").unwrap_or_else(|| panic!("{file}: {line}"));
        (text.to_owned(), expected.to_owned())
    };
    rows.map(row).collect()
}

/// The tuning half and the held-out half of such a table.
pub(crate) fn halves(data: &LanguageData, name: &str) -> [Vec<Row>; 2] {
    let mut halves = [Vec::new(), Vec::new()];
    for (at, row) in rows(data, name).into_iter().enumerate() {
        halves[at % 2].push(row);
    }
    halves
}
