//! The many ways to say a request, `requests.variations.txt` of each language. Rows in odd places are for work on the patterns,
//! those in even places judge it.

use std::fmt;

use languages::LanguageData;

use super::{taken, with_requests};
use crate::test_rows::{halves, rows};

const ROWS: &str = "requests.variations.txt";

/// Languages with fewer rows would have a share that means little.
const FEWEST_REQUESTS: usize = 120;
const FEWEST_NEAR_MISSES: usize = 60;

/// The least share of the requests of each half that is taken with the right calls, in percent.
const LEAST_TAKEN: usize = 90;

/// The outcome of one half of the rows.
#[derive(Debug, Default)]
struct Outcome {
    requests: usize,
    right: usize,
    /// Taken with other calls than those expected.
    wrong: Vec<String>,
    /// Left to a model.
    left: Vec<String>,
    near_misses: usize,
    /// Near misses that were taken.
    mistaken: Vec<String>,
}

impl Outcome {
    fn new(code: &str, rows: &[(String, String)]) -> Self {
        let mut outcome = Self::default();
        for (text, expected) in rows {
            let found = taken(code, text);
            match (expected.as_str(), found.as_str()) {
                ("-", "-") => outcome.near_misses += 1,
                ("-", _) => {
                    outcome.near_misses += 1;
                    outcome.mistaken.push(format!("{text} => {found}"));
                }
                (_, "-") => {
                    outcome.requests += 1;
                    outcome.left.push(text.clone());
                }
                _ if found == *expected => {
                    outcome.requests += 1;
                    outcome.right += 1;
                }
                _ => {
                    outcome.requests += 1;
                    outcome.wrong.push(format!("{text} => {found}"));
                }
            }
        }
        outcome
    }

    fn is_good(&self) -> bool {
        self.right * 100 >= LEAST_TAKEN * self.requests && self.wrong.is_empty() && self.mistaken.is_empty()
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requests, right, wrong, near_misses, mistaken, .. } = self;
        let (wrong, mistaken) = (wrong.len(), mistaken.len());
        write!(
            formatter,
            "{right} of {requests} right, {wrong} wrong, {mistaken} of {near_misses} near misses taken"
        )
    }
}

/// The languages whose folder has such rows.
fn with_variations() -> Vec<&'static LanguageData> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../languages/data");
    with_requests().filter(|data| folder.join(data.code).join(ROWS).is_file()).collect()
}

#[test]
fn requests_are_taken_as_people_say_them() {
    let mut failures = String::new();
    for data in with_variations() {
        let [tuning, held_out] = halves(data, ROWS).map(|rows| Outcome::new(data.code, &rows));
        println!("{}: tuning {tuning}; held out {held_out}", data.code);
        if !(tuning.is_good() && held_out.is_good()) {
            let Outcome { left, wrong, mistaken, .. } = &tuning;
            failures += &format!("{}: tuning {tuning}; held out {held_out}\n", data.code);
            failures += &format!("tuning, left: {left:?}\nwrong: {wrong:?}\nmistaken: {mistaken:?}\n");
        }
    }

    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_language_has_enough_variations() {
    let languages = with_variations();

    assert_eq!(languages.len(), with_requests().count());
    for data in languages {
        let (near_misses, requests): (Vec<_>, Vec<_>) =
            rows(data, ROWS).into_iter().partition(|(_, calls)| calls == "-");

        let enough = requests.len() >= FEWEST_REQUESTS && near_misses.len() >= FEWEST_NEAR_MISSES;
        assert!(enough, "{}: {} requests, {} near misses", data.code, requests.len(), near_misses.len());
    }
}
