//! Each language is prepared when it is used, and no other one.

use replying::fast_path::{prepared_languages, recognise};

#[test]
fn requests_in_one_language_prepare_no_other() {
    let german = vocabulary::Language::new("de");
    let known = ["Wie spät ist es?", "stell einen Timer auf zehn Minuten", "Pizza", "erzähl mir einen Witz"];
    let typed = ["Wecke mich morgen um sieben", "Pizza", "Wie wird das Wetter?"];

    let taken = known.iter().filter(|text| recognise(text, german.as_ref(), &["Jarvis"]).is_some()).count();
    let taken = taken + typed.iter().filter(|text| recognise(text, None, &["Jarvis"]).is_some()).count();

    assert_eq!((taken, prepared_languages(), dates::compiled_languages()), (3, vec!["de"], vec!["de"]));
}
