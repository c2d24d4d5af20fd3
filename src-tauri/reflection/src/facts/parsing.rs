//! The facts in a model's answer.

use memory::Branch;
use serde_json::Value;
use vocabulary::Private;

use super::extracted::Extracted;
use crate::folding::on_one_line;
use crate::reading::json_values;

/// The facts in an answer: the first JSON array that holds an object, wherever it stands. Blank facts and what is no
/// object are passed over, an unknown branch is [`Branch::User`]. Quotes are taken as they are, not yet compared with
/// what was said.
pub fn parse_extraction(reply: &str) -> Vec<Extracted> {
    let arrays = json_values(reply, '[').filter_map(|value| match value {
        Value::Array(items) => Some(items),
        _ => None,
    });
    let mut with_objects = arrays.filter(|items| items.iter().any(Value::is_object));
    with_objects.next().unwrap_or_default().iter().filter_map(fact).collect()
}

fn fact(item: &Value) -> Option<Extracted> {
    let text = |key: &str| {
        let text = on_one_line(item.get(key)?.as_str()?);
        (!text.is_empty()).then_some(text)
    };
    Some(Extracted {
        branch: text("branch").map_or(Branch::User, |name| branch_named(&name)),
        fact: Private(text("fact")?),
        quote: text("quote").map(Private),
    })
}

/// The branch of this name in any case; the user's when there is none.
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
    fn reads_the_facts(#[case] reply: &str, #[case] expected: &[(Branch, &str, Option<&str>)]) {
        let facts = parse_extraction(reply);

        let facts: Vec<_> = facts
            .iter()
            .map(|found| (found.branch, &found.fact[..], found.quote.as_ref().map(|quote| &quote[..])))
            .collect();
        assert_eq!(facts, expected);
    }
}
