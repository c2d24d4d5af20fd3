//! Detection on sentences of the fifteen languages, and on texts that it must leave unknown.

use rstest::rstest;

/// The language of the text, as a code.
fn detected(text: &str) -> Option<String> {
    languages::detect(text).map(|detection| detection.language.code().to_owned())
}

#[rstest]
#[case::english("The user moved to Porto.", "en")]
#[case::german("Der Nutzer wohnt in Freiburg und ist Schreiner.", "de")]
#[case::french("L'utilisateur ne mange pas de poisson.", "fr")]
#[case::spanish("Me llamo Inés y vivo en Sevilla con mis hijos.", "es")]
#[case::italian("Non mangio carne e sono di Pisa.", "it")]
#[case::portuguese("Eu moro em Braga e não como carne.", "pt")]
#[case::dutch("Ik woon in Utrecht en ik heb een hond, maar mijn vrouw niet.", "nl")]
#[case::polish("Mieszkam w Krakowie i nie jem mięsa, mam się dobrze.", "pl")]
#[case::turkish("Bugün hava çok güzel ama yarın yağmur var.", "tr")]
#[case::russian("Напомни мне завтра утром позвонить маме.", "ru")]
#[case::ukrainian("Я живу у Львові і не їм м'яса.", "uk")]
#[case::japanese("東京に住んでいます。", "ja")]
#[case::chinese("用户不吃辣，住在 Porto。", "zh")]
#[case::korean("저는 부산에 살아요.", "ko")]
#[case::arabic("المستخدم يفضّل الشاي.", "ar")]
fn language_of_a_sentence_is_detected(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(detected(text).as_deref(), Some(expected));
}

#[rstest]
#[case::word_of_many_languages("ok")]
#[case::name("Jarvis")]
#[case::loan_word("pizza")]
#[case::digits("3.14")]
#[case::nothing("")]
#[case::persian("من در تهران زندگی می‌کنم و گوشت نمی‌خورم.")]
#[case::serbian("Ја живим у Београду и не једем месо, али љубим рибу.")]
#[case::czech("Bydlím v Brně, mám psa a nejím maso, ale to je dobré i pro děti.")]
#[case::greek("Μένω στην Αθήνα.")]
fn ambiguous_text_and_other_languages_stay_unknown(#[case] text: &str) {
    assert_eq!(detected(text), None);
}
