//! Reads the facts in an answer.

use memory::Branch;
use serde_json::Value;
use vocabulary::Private;

use super::extracted::ExtractedFact;
use crate::answers::json_values;
use crate::normalising::on_one_line;

/// The facts in an answer: the items of the first JSON array that contains an object. Blank facts and other values are
/// skipped, an unknown branch becomes [`Branch::User`]. Quotes are not yet compared with the dialogue.
pub fn parse_extraction(reply: &str) -> Vec<ExtractedFact> {
    let arrays = json_values(reply, '[').filter_map(|value| match value {
        Value::Array(items) => Some(items),
        _ => None,
    });
    let mut with_objects = arrays.filter(|items| items.iter().any(Value::is_object));
    with_objects.next().unwrap_or_default().iter().filter_map(fact).collect()
}

fn fact(item: &Value) -> Option<ExtractedFact> {
    let text = |key: &str| {
        let text = on_one_line(item.get(key)?.as_str()?);
        (!text.is_empty()).then_some(text)
    };
    Some(ExtractedFact {
        branch: text("branch").map_or(Branch::User, |name| branch_named(&name)),
        fact: Private(text("fact")?),
        quote: text("quote").map(Private),
    })
}

/// The branch with this name, in any case; [`Branch::User`] for an unknown name.
fn branch_named(name: &str) -> Branch {
    match name.trim().to_ascii_lowercase().as_str() {
        "directives" => Branch::Directives,
        "world" => Branch::World,
        _ => Branch::User,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain(r#"[{"branch":"WORLD","fact":" Ada bakes. "}]"#, &[(Branch::World, "Ada bakes.", None)])]
    #[case::quoted(
        r#"[{"branch":"directives","fact":"Be brief.","quote":"keep it short"}]"#,
        &[(Branch::Directives, "Be brief.", Some("keep it short"))]
    )]
    #[case::among_words("Here [1]:\n```json\n[{\"fact\":\"a\"}]\n```", &[(Branch::User, "a", None)])]
    #[case::unknown_branch(r#"[{"branch":"MOON","fact":"a"},{"branch":7,"fact":"b"}]"#, &[(Branch::User, "a", None), (Branch::User, "b", None)])]
    #[case::in_an_object(r#"{"facts":[{"branch":"USER","fact":"a"}]}"#, &[(Branch::User, "a", None)])]
    #[case::several_lines(r#"[{"fact":"a\nb"}]"#, &[(Branch::User, "a b", None)])]
    #[case::nulls(r#"[null, {"fact":null}, {"fact":""}, {"fact":3}, "a", {"branch":"USER"}]"#, &[])]
    #[case::cut_off(r#"[{"branch":"USER","fact":"a"},{"bra"#, &[])]
    #[case::no_json("The user likes tea.", &[])]
    #[case::nothing("[]", &[])]
    #[case::empty("", &[])]
    fn facts_are_read_from_a_json_array(
        #[case] reply: &str,
        #[case] expected: &[(Branch, &str, Option<&str>)],
    ) {
        let facts = parse_extraction(reply);

        let facts: Vec<_> = facts
            .iter()
            .map(|found| (found.branch, &found.fact[..], found.quote.as_ref().map(|quote| &quote[..])))
            .collect();
        assert_eq!(facts, expected);
    }
}
