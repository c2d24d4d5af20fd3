use proptest::prelude::*;
use rstest::rstest;

use super::*;

#[rstest]
#[case::a_front_page("https://www.example.com", "example.com", true)]
#[case::path_of_only_slashes("http://example.com//", "example.com", true)]
#[case::a_path("https://docs.rs/tokio/latest", "docs.rs", false)]
#[case::without_a_scheme("www.bbc.co.uk/news", "bbc.co.uk", false)]
#[case::query_without_a_path("https://example.com?q=1", "example.com", true)]
#[case::with_a_port("http://localhost:8080/", "localhost:8080", true)]
#[case::with_a_password("https://bob:secret@example.com/x", "example.com", false)]
#[case::within_the_page("#top", "", true)]
#[case::no_host("mailto:bob@example.com", "", true)]
#[case::nothing("", "", true)]
fn address_is_described_by_its_domain_and_path(
    #[case] url: &str,
    #[case] domain: &str,
    #[case] is_homepage: bool,
) {
    assert_eq!(extract_domain_description(url), LinkDescription { domain: domain.to_owned(), is_homepage });
}

#[rstest]
#[case::to_a_front_page(
    "See [the site](https://www.example.com/).",
    "See Link to example.com homepage with the text 'the site'."
)]
#[case::to_a_page(
    "[Tokio](https://docs.rs/tokio) is a runtime",
    "Link to a page under docs.rs with the text 'Tokio' is a runtime"
)]
#[case::with_a_title(
    "[Tokio](https://docs.rs/tokio \"the docs\")",
    "Link to a page under docs.rs with the text 'Tokio'"
)]
#[case::with_parentheses_in_it(
    "[Rust](https://en.wikipedia.org/wiki/Rust_(language)) is new",
    "Link to a page under en.wikipedia.org with the text 'Rust' is new"
)]
#[case::within_the_page("Go [up](#top)", "Go up")]
#[case::bare("Go to https://example.com now", "Go to example.com homepage now")]
#[case::bare_at_the_end_of_a_sentence("Go to https://example.com/a.", "Go to a page under example.com.")]
#[case::bare_without_a_scheme("Go to www.example.com, please", "Go to example.com homepage, please")]
#[case::bare_in_parentheses_stays("Go (https://example.com/a)", "Go (https://example.com/a)")]
#[case::bare_in_angle_brackets("Go to <https://example.com/a>!", "Go to a page under example.com!")]
#[case::bare_and_bold("**https://example.com/a**", "a page under example.com")]
#[case::bare_with_a_password(
    "Use ftp or https://bob:pw@example.com/x",
    "Use ftp or a page under example.com"
)]
#[case::an_email_address("Write to <bob@example.com>", "Write to bob@example.com")]
fn links_are_described_in_words(#[case] written: &str, #[case] spoken: &str) {
    assert_eq!(preprocess_for_speech(written, None), spoken);
}

#[rstest]
#[case::english("en", [
    "Link to x.org homepage with the text 'Rust'",
    "Link to a page under x.org with the text 'Rust'",
    "x.org homepage",
    "a page under x.org",
])]
#[case::german("de", [
    "Link zur Startseite von x.org mit dem Text „Rust“",
    "Link zu einer Seite unter x.org mit dem Text „Rust“",
    "Startseite von x.org",
    "Seite unter x.org",
])]
#[case::french("fr", [
    "Lien vers la page d'accueil de x.org avec le texte « Rust »",
    "Lien vers une page de x.org avec le texte « Rust »",
    "la page d'accueil de x.org",
    "une page de x.org",
])]
#[case::spanish("es", [
    "Enlace a la página principal de x.org con el texto «Rust»",
    "Enlace a una página de x.org con el texto «Rust»",
    "la página principal de x.org",
    "una página de x.org",
])]
#[case::italian("it", [
    "Link alla pagina iniziale di x.org con il testo «Rust»",
    "Link a una pagina di x.org con il testo «Rust»",
    "la pagina iniziale di x.org",
    "una pagina di x.org",
])]
#[case::dutch("nl", [
    "Link naar de startpagina van x.org met de tekst “Rust”",
    "Link naar een pagina van x.org met de tekst “Rust”",
    "de startpagina van x.org",
    "een pagina van x.org",
])]
#[case::portuguese("pt", [
    "Ligação para a página inicial de x.org com o texto “Rust”",
    "Ligação para uma página de x.org com o texto “Rust”",
    "a página inicial de x.org",
    "uma página de x.org",
])]
#[case::swedish("sv", [
    "Länk till startsidan för x.org med texten ”Rust”",
    "Länk till en sida på x.org med texten ”Rust”",
    "startsidan för x.org",
    "en sida på x.org",
])]
#[case::turkish("tr", [
    "x.org ana sayfasına “Rust” metinli bağlantı",
    "x.org sitesindeki bir sayfaya “Rust” metinli bağlantı",
    "x.org ana sayfası",
    "x.org sitesindeki bir sayfa",
])]
#[case::japanese("ja", [
    "x.org のトップページへのリンク「Rust」",
    "x.org 内のページへのリンク「Rust」",
    "x.org のトップページ",
    "x.org 内のページ",
])]
#[case::language_without_words("fi", [
    "Link to x.org homepage with the text 'Rust'",
    "Link to a page under x.org with the text 'Rust'",
    "x.org homepage",
    "a page under x.org",
])]
fn links_are_described_in_the_language_of_the_text(#[case] code: &str, #[case] spoken: [&str; 4]) {
    let language = Language::new(code);
    let written =
        ["[Rust](https://x.org)", "[Rust](https://x.org/a)", "https://www.x.org/", "https://www.x.org/a"];

    assert_eq!(written.map(|text| preprocess_for_speech(text, language.as_ref())), spoken);
}

#[rstest]
#[case::plain_words("It is twenty past four.", "It is twenty past four.")]
#[case::bold("**Rain** and __wind__", "Rain and wind")]
#[case::italics("*Rain* and _wind_", "Rain and wind")]
#[case::bold_italics("***Rain***, **_wind_**", "Rain, wind")]
#[case::strikethrough("~~Rain~~ wind", "Rain wind")]
#[case::identifiers_keep_their_underscores("call my_long_name now", "call my_long_name now")]
#[case::a_product_keeps_its_signs("2*3*4 and 5 * 6 * 7", "2*3*4 and 5 * 6 * 7")]
#[case::inline_code("run `cargo test` now", "run cargo test now")]
#[case::fenced_code("Try:\n```rust\nlet x = 1;\n```\nDone", "Try:\nlet x = 1;\n\nDone")]
#[case::unclosed_code_fence("```rust\nlet x = 1;", "let x = 1;")]
#[case::headings("# Weather\n### Today", "Weather\nToday")]
#[case::hash_without_a_space_stays("#1 is best", "#1 is best")]
#[case::indented_words_stay("Rain\n  and wind", "Rain\n  and wind")]
#[case::quotes("> said he\n>> said she", "said he\nsaid she")]
#[case::bullets("- milk\n* eggs\n+ tea\n  - green", "milk\neggs\ntea\ngreen")]
#[case::an_underlined_title("Weather\n=======\nRain\n---\nWind", "Weather\nRain\nWind")]
#[case::a_rule_under_nothing_stays("Rain\n\n---\nWind", "Rain\n\n---\nWind")]
#[case::a_numbered_list("1. milk\n2) eggs", "milk\neggs")]
#[case::a_single_number_stays("1. milk\n\nand tea", "1. milk\n\nand tea")]
#[case::years_stay("1984. A book\n1985. A year", "1984. A book\n1985. A year")]
#[case::tags("<b>Rain</b><br/> and <a href=\"x\">wind</a>", "Rain and wind")]
#[case::comparisons_are_no_tags("if a < b and c > d", "if a < b and c > d")]
#[case::tight_comparisons_are_no_tags("if a <b and c> d", "if a <b and c> d")]
#[case::types_are_no_tags("a Vec<String> of words", "a Vec<String> of words")]
#[case::nothing("", "")]
fn markdown_marks_are_removed_and_words_stay(#[case] written: &str, #[case] spoken: &str) {
    assert_eq!(strip_markdown_for_speech(written), spoken);
}

proptest! {
    #[test]
    fn clean_up_accepts_any_text_and_never_lengthens_it(text in r"(?s)[\PC\n`*_~<>\[\]()#=.:/-]{0,120}") {
        let spoken = strip_markdown_for_speech(&text);
        prop_assert!(spoken.len() <= text.len(), "{:?}", spoken);
        let _ = preprocess_for_speech(&text, None);
    }

    #[test]
    fn plain_words_are_not_changed(text in r"[A-Za-z,.!?' ]{0,80}") {
        prop_assume!(!text.to_lowercase().contains("www."));
        prop_assert_eq!(preprocess_for_speech(&text, None), text);
    }

    #[test]
    fn password_in_an_address_is_never_spoken(name in "[a-z]{3,8}", tail in "(/[a-z]{0,6})?") {
        let spoken = preprocess_for_speech(&format!("Open https://{name}:hunter2@example.com{tail} now"), None);
        prop_assert!(!spoken.contains("hunter2"), "{}", spoken);
    }
}
