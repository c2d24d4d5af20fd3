//! Keywords of tools, and the tool that a prompt means by them.
//!
//! A detected tool is only a hint: the model still gets every tool.
//!
//! Source: docs/behaviour/bridge.md#words-that-hint-a-tool. The phrases are data of a language.

mod table; // the keywords of a tool
mod strict;

pub use table::keywords;

/// The way to compare a prompt with keywords.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeywordMode {
    /// As the original bridge does: parts of words count, order of registration decides, no negation.
    Compat,
    /// Whole words, longest keyword, negations; nothing if two tools fit as well.
    #[default]
    Strict,
}

/// The tool that a prompt means; `None` if there is none. `tools` are in the order of registration.
pub fn detect<'t>(mode: KeywordMode, prompt: &str, tools: &'t [String]) -> Option<&'t str> {
    match mode {
        KeywordMode::Compat => {
            let prompt = prompt.to_lowercase();
            let is_meant =
                |tool: &&String| keywords(tool).iter().any(|keyword| has_all_parts(&prompt, keyword));
            tools.iter().find(is_meant).map(String::as_str)
        }
        KeywordMode::Strict => strict::detect(prompt, tools),
    }
}

/// Returns `true` if every part of the keyword is somewhere in the prompt, also inside a longer word.
fn has_all_parts(prompt: &str, keyword: &str) -> bool {
    keyword.split(' ').all(|part| prompt.contains(part))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::web("brave_web_search", &["brave_web_search", "brave web search", "search the web", "web search", "search online", "look up", "find information about"])]
    #[case::near("brave_local_search", &["brave_local_search", "brave local search", "find nearby", "search near me", "local", "around here", "in the area"])]
    #[case::image("generate_image", &["generate_image", "generate image", "create image", "make image", "draw", "create picture", "generate picture"])]
    #[case::mail("send_email", &["send_email", "send email", "send mail", "email to", "mail to", "compose email"])]
    #[case::drive("search_drive", &["search_drive", "search drive", "find file", "look for file", "search files"])]
    #[case::inbox("search_email", &["search_email", "search email", "find email", "look for email", "search mail"])]
    #[case::other_tool("create_folder", &["create_folder", "create folder"])]
    #[case::one_word("echo", &["echo"])]
    #[case::capitals("getTime", &["gettime"])]
    #[case::several_lines("a__b_c", &["a__b_c", "a  b c"])]
    fn each_tool_has_its_names_and_its_phrases(#[case] tool: &str, #[case] expected: &[&str]) {
        assert_eq!(keywords(tool), expected);
    }

    const ALL: [&str; 6] = [
        "brave_web_search",
        "brave_local_search",
        "generate_image",
        "send_email",
        "search_drive",
        "search_email",
    ];

    fn detected(mode: KeywordMode, prompt: &str, tools: &[&str]) -> Option<String> {
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        detect(mode, prompt, &tools).map(str::to_owned)
    }

    /// Each row: the tool in the mode `compat`, and in the mode `strict`.
    #[rstest]
    #[case::name("use generate_image now", Some("generate_image"), Some("generate_image"))]
    #[case::name_in_words("Generate an IMAGE", Some("generate_image"), Some("generate_image"))]
    #[case::phrase("search the web for rust", Some("brave_web_search"), Some("brave_web_search"))]
    #[case::any_order("online, please search", Some("brave_web_search"), Some("brave_web_search"))]
    #[case::part_of_a_word("restart localhost", Some("brave_local_search"), None)]
    #[case::adverb("it runs locally", Some("brave_local_search"), None)]
    #[case::drawer("open the drawer", Some("generate_image"), None)]
    #[case::withdraw("withdraw the money", Some("generate_image"), None)]
    #[case::tomorrow("check my email tomorrow", Some("send_email"), None)]
    #[case::negation("don't search the web", Some("brave_web_search"), None)]
    #[case::curly_negation("Don’t search the web!", Some("brave_web_search"), None)]
    #[case::without("answer without a web search", Some("brave_web_search"), None)]
    #[case::no_need("no need to draw", Some("generate_image"), None)]
    #[case::backup("look at my backup", Some("brave_web_search"), None)]
    #[case::profile("find my profile", Some("search_drive"), None)]
    #[case::find_mail("find the email to Bob", Some("send_email"), Some("search_email"))]
    #[case::plural("draw nothing, create images", Some("generate_image"), Some("generate_image"))]
    #[case::plural_of_a_phrase("find the files of May", Some("search_drive"), Some("search_drive"))]
    #[case::singular("search this file", None, Some("search_drive"))]
    #[case::inflected_verb("she searches the web", Some("brave_web_search"), Some("brave_web_search"))]
    #[case::negation_of_another_clause(
        "I don't know it, search the web",
        Some("brave_web_search"),
        Some("brave_web_search")
    )]
    #[case::negation_that_ends(
        "don't draw but search the web",
        Some("brave_web_search"),
        Some("brave_web_search")
    )]
    #[case::question("why don't you draw a cat", Some("generate_image"), Some("generate_image"))]
    #[case::two_sentences("Look there. Hands up!", Some("brave_web_search"), None)]
    #[case::longer_of_two("local draw", Some("brave_local_search"), Some("brave_local_search"))]
    #[case::nothing("what is two plus two", None, None)]
    #[case::no_prompt("", None, None)]
    #[case::other_language("suche im Netz", None, None)]
    #[case::hyphen("do a web-search", Some("brave_web_search"), Some("brave_web_search"))]
    fn prompt_means_a_tool_as_the_mode_says(
        #[case] prompt: &str,
        #[case] compat: Option<&str>,
        #[case] strict: Option<&str>,
    ) {
        let found = [KeywordMode::Compat, KeywordMode::Strict].map(|mode| detected(mode, prompt, &ALL));

        assert_eq!(found.each_ref().map(Option::as_deref), [compat, strict]);
    }

    #[rstest]
    #[case::first_registered(&["send_email", "search_email"], Some("send_email"))]
    #[case::other_order(&["search_email", "send_email"], Some("search_email"))]
    #[case::not_registered(&["create_folder"], None)]
    #[case::no_tools(&[], None)]
    fn registration_order_decides_in_compat(#[case] tools: &[&str], #[case] expected: Option<&str>) {
        let found = detected(KeywordMode::Compat, "find the email to Bob", tools);

        assert_eq!(found.as_deref(), expected);
    }

    #[rstest]
    #[case::same_length(&["read_note", "send_note"], "read note and send note", None)]
    #[case::longer_one(&["note", "read_note"], "read the note", Some("read_note"))]
    #[case::registered_twice(&["read_note", "read_note"], "read note", Some("read_note"))]
    fn longest_keyword_wins_and_a_tie_hints_nothing(
        #[case] tools: &[&str],
        #[case] prompt: &str,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(detected(KeywordMode::Strict, prompt, tools).as_deref(), expected);
    }
}
