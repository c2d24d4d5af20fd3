//! Words of people in place of the verb in a tool's name: "get rid of the file" for `delete_file`.
//!
//! Sentence models know little of this. The vector of a tool takes these sentences in, so that a query in other words comes
//! nearer. English, as the names of tools are. Source: `cargo xtask bench tools`, tuning half; 0.54 to 0.60 of the
//! indirect questions have a right tool among the first five.

/// Sentences by the first word of a name; `{}` stands for the other words.
const SENTENCES: [(&str, &[&str]); 31] = [
    ("add", &["put it on the {}", "I need a {}"]),
    ("append", &["put this on the {}"]),
    ("assign", &["somebody should take the {}"]),
    ("book", &["I want a {}"]),
    ("cancel", &["I no longer want the {}"]),
    ("close", &["done with the {}"]),
    ("complete", &["I finished the {}"]),
    ("create", &["I need a new {}", "set up a {}"]),
    ("delete", &["get rid of the {}", "I don't need the {} any more"]),
    ("download", &["save the {}"]),
    ("find", &["where is a {}"]),
    ("get", &["what is the {}", "how is the {}"]),
    ("list", &["what {} do I have", "show me my {}"]),
    ("log", &["I just had {}", "note my {}"]),
    ("merge", &["join the {}"]),
    ("move", &["put the {} elsewhere"]),
    ("open", &["let me see the {}"]),
    ("play", &["put on some {}", "I want to hear {}"]),
    ("post", &["tell everybody"]),
    ("read", &["what does the {} say", "what is in the {}"]),
    ("remove", &["get rid of the {}"]),
    ("run", &["do the {}"]),
    ("search", &["is there a {} about", "find me a {}"]),
    ("send", &["let somebody know with a {}", "tell somebody"]),
    ("set", &["make the {} different", "change the {}"]),
    ("share", &["let others see the {}"]),
    ("start", &["get the {} going"]),
    ("stop", &["shut the {} down"]),
    ("track", &["where is my {}"]),
    ("update", &["change the {}", "the {} is different now"]),
    ("write", &["put this into a {}"]),
];

/// Sentences that can mean the tool of this name, which is in words without its server. None if its first word is no
/// verb we know.
pub(super) fn paraphrases(name: &str) -> Vec<String> {
    let (verb, object) = name.split_once(' ').unwrap_or((name, ""));
    let known = SENTENCES.iter().find(|(of_verb, _)| *of_verb == verb && !object.is_empty());
    known.into_iter().flat_map(|(_, sentences)| sentences.iter()).map(|it| it.replace("{}", object)).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::known_verb("delete old file", &["get rid of the old file", "I don't need the old file any more"])]
    #[case::other_verb("geocode address", &[])]
    #[case::verb_alone("stop", &[])]
    fn verb_of_a_name_is_said_in_other_words(#[case] name: &str, #[case] expected: &[&str]) {
        assert_eq!(paraphrases(name), expected);
    }

    #[test]
    fn verbs_are_in_order_and_unique() {
        assert!(SENTENCES.is_sorted_by(|one, next| one.0 < next.0));
    }
}
