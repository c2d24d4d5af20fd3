//! The language of what was said, as the prompts need it.
//!
//! Small models answer in the language of the prompt unless the prompt names another one and contains an example of it.

/// The language of a text as a two-letter code. `None` when the text is too short or ambiguous.
pub fn detect_language(text: &str) -> Option<&'static str> {
    let detection = languages::detect(text)?;
    languages::of(&detection.language).map(|data| data.code)
}

/// The name in the prompts of a language of [`detect_language`].
pub(crate) fn language_name(language: &str) -> Option<&'static str> {
    languages::of_code(language).map(|data| data.english_name)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::english("The user moved to Porto.", Some("en"))]
    #[case::german("Der Nutzer wohnt in Freiburg und ist Schreiner.", Some("de"))]
    #[case::french("L'utilisateur ne mange pas de poisson.", Some("fr"))]
    #[case::spanish("Me llamo Inés y vivo en Sevilla.", Some("es"))]
    #[case::italian("Non mangio carne e sono di Pisa.", Some("it"))]
    #[case::portuguese("Eu moro em Braga e não como carne.", Some("pt"))]
    #[case::chinese("用户不吃辣，住在 Porto。", Some("zh"))]
    #[case::arabic("المستخدم يفضّل الشاي.", Some("ar"))]
    #[case::dutch("Ik woon in Utrecht en ik heb een hond, maar mijn vrouw niet.", Some("nl"))]
    #[case::polish("Mieszkam w Krakowie i nie jem mięsa, mam się dobrze.", Some("pl"))]
    #[case::hungarian(
        "Budapesten lakom, és van egy kutyám, de a feleségem nem szereti a macskákat, ez is baj.",
        None
    )]
    #[case::romanian(
        "Locuiesc la Cluj cu soția mea, am un câine și o pisică, dar nu mănânc carne de porc.",
        None
    )]
    #[case::czech("Bydlím v Brně, mám psa a nejím maso, ale to je dobré i pro děti, jak se říká.", None)]
    #[case::slovak(
        "Bývam v Košiciach a mám psa, nie som vegetarián, ale na obed i tak jem zeleninu z trhu.",
        None
    )]
    #[case::catalan("Visc a Girona amb la meva dona i tinc un gos que no menja carn.", None)]
    #[case::indonesian("Saya tinggal di Bandung dan saya tidak makan daging, ini untuk anak saya.", None)]
    #[case::persian("من در تهران زندگی می‌کنم و گوشت نمی‌خورم.", None)]
    #[case::urdu("میں لاہور میں رہتا ہوں اور گوشت نہیں کھاتا۔", None)]
    #[case::japanese("東京に住んでいます。", Some("ja"))]
    #[case::turkish("Ankara'da yaşıyorum ve et yemiyorum.", Some("tr"))]
    #[case::russian("Я живу в Казани и не ем мясо.", Some("ru"))]
    #[case::ukrainian("Я живу у Львові і не їм м'яса.", Some("uk"))]
    #[case::korean("저는 부산에 살고 고기를 먹지 않아요.", Some("ko"))]
    #[case::a_name_alone("Porto", None)]
    #[case::nothing("", None)]
    fn languages_are_detected_or_left_unknown(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(detect_language(text), expected);
    }
}
