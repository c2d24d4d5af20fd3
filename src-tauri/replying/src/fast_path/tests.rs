//! Tables of requests: what is taken with its exact call, and near misses that are left to a model.

mod english;
mod german;
mod french;
mod spanish;
mod italian;
mod dutch;
mod portuguese;
mod turkish;

use proptest::prelude::*;
use vocabulary::Language;

use super::recognise;

/// The calls in one line, such as `getTime {"place":"Tokyo"}`; `-` for none.
fn taken(language: &str, text: &str) -> String {
    let Some(calls) = recognise(text, Language::new(language).as_ref(), &["Jarvis"]) else {
        return "-".to_owned();
    };
    let line = |call: &super::FastCall| {
        let arguments = serde_json::to_string(&call.arguments).unwrap();
        if call.arguments.is_empty() { call.tool.to_owned() } else { format!("{} {arguments}", call.tool) }
    };
    calls.iter().map(line).collect::<Vec<_>>().join(" + ")
}

#[test]
fn language_without_a_table_is_left_to_a_model() {
    assert_eq!(taken("ja", "12 * 3"), "-");
}

#[test]
fn unknown_language_is_told_from_the_words() {
    assert_eq!(recognise("What time is it?", None, &[]).unwrap()[0].tool, "getTime");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,200}", words in "(set|a|timer|half|past|[0-9.:,]{1,6}|and|for|in|\\(|%|'| ){0,60}") {
        for language in super::languages::ALL {
            let language = Language::new(language.code);
            let _ = recognise(&text, language.as_ref(), &["Jarvis"]);
            let _ = recognise(&words, language.as_ref(), &["Jarvis"]);
        }
    }
}
