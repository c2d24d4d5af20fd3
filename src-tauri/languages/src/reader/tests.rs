use rstest::rstest;

use super::*;

/// The files of English, with one text replaced by another.
fn english_with(name: &str, text: &str, replacement: &str) -> LanguageFiles {
    let file = |file: &str| {
        let path = Path::new("data/en").join(file);
        let source = SourceFile::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join(&path));
        let source = source.unwrap().unwrap_or_else(|| panic!("{} is missing", path.display()));
        if file != name {
            return SourceFile { path, ..source };
        }
        assert!(source.text.contains(text), "{text:?} is not in {file}");
        SourceFile { path, text: source.text.replacen(text, replacement, 1) }
    };
    LanguageFiles {
        code: "en".to_owned(),
        about: file("about.toml"),
        words: file("words.toml"),
        dates: Some(file("dates.toml")),
        requests: Some(file("requests.toml")),
        answers: Some(file("answers.toml")),
        command_center: Some(file("command_center.toml")),
    }
}

/// The mistakes after this change, one per line, with the line numbers of their file.
fn mistakes(name: &str, text: &str, replacement: &str) -> String {
    let mistakes = read(&english_with(name, text, replacement)).err().unwrap_or_default();
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The line of `data/en` that contains this text.
fn line(name: &str, text: &str) -> usize {
    let files = english_with(name, text, text);
    let source = match name {
        "about.toml" => files.about,
        "words.toml" => files.words,
        "dates.toml" => files.dates.unwrap(),
        "requests.toml" => files.requests.unwrap(),
        "answers.toml" => files.answers.unwrap(),
        _ => files.command_center.unwrap(),
    };
    source.text[..source.text.find(text).unwrap()].matches('\n').count() + 1
}

#[test]
fn shipped_files_have_no_mistake() {
    assert_eq!(mistakes("about.toml", "", ""), "");
}

#[rstest]
#[case::unknown_field("about.toml", "own_name", "own_nmae", "own_nmae is no field of this table")]
#[case::unknown_choice(
    "about.toml",
    "\"spaced\"",
    "\"spacd\"",
    "writing is \"spacd\", not one of spaced, spaced with particles, unspaced"
)]
#[case::not_a_text("about.toml", "\"English\"", "7", "english_name is an integer, not a text")]
#[case::no_timer("command_center.toml", "[timer]", "[tmer]", "tmer is no field of this table")]
#[case::syntax("words.toml", "fillers = \"", "fillers = ", "missing opening quote")]
#[case::short_list("words.toml", "\"one\", \"two\",", "\"one\",", "numbers has 31 entries, not 32")]
#[case::unknown_unit("words.toml", "litre = \"litre|", "liter = \"litre|", "liter is no field of this table")]
#[case::unknown_slot_in_narration(
    "words.toml",
    "[{word}] offered to",
    "[{more}] offered to",
    "\"{assistant} [{more}] offered to\": there is no slot {more}"
)]
#[case::narration_without_a_beginning(
    "words.toml",
    "[{word}] offered to",
    "[{word}] offered\", \"[they] offered",
    "\"[they] offered\": it begins with what may be left out"
)]
#[case::sentence_without_the_name("words.toml", "called {name}", "called", "name_sentence has no | before")]
#[case::unknown_way_to_count("words.toml", "\"juxtaposed\"", "\"side by side\"", "tens is \"side by side\"")]
#[case::short_week("dates.toml", "\"monday\", ", "", "weekdays has 6 entries, not 7")]
#[case::unknown_unit_of_time("dates.toml", "fortnight = ", "fortnite = ", "fortnite is no unit of time")]
#[case::unknown_meaning("dates.toml", "\"day -1\" = ", "\"dya -1\" = ", "\"dya -1\" means nothing")]
#[case::unknown_slot(
    "dates.toml",
    "this {holiday}",
    "this {feast}",
    "\"this {feast}\": there is no slot {feast}"
)]
#[case::bad_pattern("dates.toml", "last {holiday}", "(last {holiday}", "\"(last {holiday}\": ( without )")]
#[case::bad_range("dates.toml", "\"2 to 5\"", "\"2-5\"", "\"2-5\" is no range such as \"2 to 5\"")]
#[case::unknown_request("requests.toml", "[timer.list]", "[timer.show]", "there are no requests timer.show")]
#[case::unknown_rule(
    "requests.toml",
    "<what_is> the time",
    "<whats> the time",
    "\"<whats> the time\": there is no rule whats"
)]
#[case::slot_of_another_file(
    "requests.toml",
    "[the] [current] time in {place}",
    "[the] [current] time in {month}",
    "\"[the] [current] time in {month}\": there is no slot"
)]
#[case::unused_rule(
    "requests.toml",
    "[rules]\n",
    "[rules]\nstop = \"(stop|end)\"\n",
    "no pattern uses the rule stop"
)]
#[case::unknown_topic(
    "answers.toml",
    "[live]\nweather",
    "[live]\nwheather",
    "wheather is no field of this table"
)]
#[case::unknown_slot_of_a_claim(
    "answers.toml",
    "<i> (will|ll) remind you {any}",
    "<i> (will|ll) remind you {when}",
    "\"<i> (will|ll) remind you {when}\": there is no slot {when}"
)]
#[case::unknown_time("requests.toml", "\"hour +15\"", "\"quarter\"", "\"quarter\" is no time")]
#[case::unknown_operator(
    "requests.toml",
    "\"mod\" = ",
    "\"modulo\" = ",
    "\"modulo\" is not one of +, -, *, /, ^, mod"
)]
fn mistake_is_reported_with_file_and_line(
    #[case] name: &str,
    #[case] text: &str,
    #[case] replacement: &str,
    #[case] message: &str,
) {
    let at = match text {
        "\"one\", \"two\"," => line(name, "numbers = ["),
        "\"monday\", " => line(name, "weekdays = ["),
        "[rules]\n" | "[live]\nweather" => line(name, text) + 1,
        text => line(name, text),
    };

    let found = mistakes(name, text, replacement);

    assert!(found.contains(&format!("data/en/{name}:{at}: {message}")), "{found}");
}

#[rstest]
#[case::of_the_file("about.toml", "own_name = \"English\"", "data/en/about.toml:1: own_name is missing")]
#[case::of_a_table("words.toml", "hundred = \"hundred\"", "hundred is missing")]
fn missing_field_is_reported(#[case] name: &str, #[case] text: &str, #[case] message: &str) {
    let found = mistakes(name, text, "");

    assert!(found.contains(message), "{found}");
}

#[test]
fn every_mistake_of_a_file_is_reported() {
    let found = mistakes("about.toml", "own_name = \"English\"", "colour = \"red\"\nname = 3");

    assert_eq!(found.lines().count(), 3, "{found}");
}

#[test]
fn language_with_a_folder_is_no_other_language() {
    let text = "[sv]\nfrequent_words = \"och\"\n\n[da]\nfrequent_words = \"og\"\n";
    let file = SourceFile { path: "data/other_languages.toml".into(), text: text.to_owned() };

    let others = read_others(&file, &["sv".to_owned()]).unwrap();

    assert_eq!(others.iter().map(|other| other.code).collect::<Vec<_>>(), ["da"]);
}
