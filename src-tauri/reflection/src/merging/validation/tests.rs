use rstest::rstest;

use super::super::merged::FactSource::{Existing, New};
use super::*;
use crate::merging::read_merge;

fn owned(facts: &[&str]) -> Vec<String> {
    facts.iter().map(|&fact| fact.to_owned()).collect()
}

fn settled(existing: &[&str], new: &[&str], reply: &str) -> Result<MergedFacts, MergeRejection> {
    let (existing, new) = (owned(existing), owned(new));
    validate(&existing, &new, &read_merge(&existing, &new, reply).unwrap())
}

fn line(text: &str, sources: &[FactSource], is_verbatim: bool) -> MergedLine {
    MergedLine { text: Private(text.into()), sources: sources.to_vec(), is_verbatim }
}

#[test]
fn unchanged_lines_have_their_facts_as_sources() {
    let merged =
        settled(&["Tea.", "Cake."], &["cake", "Scones"], r#"{"facts":["Cake.","Tea","Scones","tea!"]}"#);

    let expected = MergedFacts {
        lines: vec![
            line("Cake.", &[Existing(1), New(0)], true),
            line("Tea", &[Existing(0)], true),
            line("Scones", &[New(1)], true),
        ],
        dropped: vec![],
    };
    assert_eq!(merged.unwrap(), expected);
}

#[test]
fn rewritten_line_has_all_joined_facts_as_sources() {
    let merged = settled(
        &["The user walked on Monday morning.", "The user has a cat."],
        &["The user walked on Tuesday morning."],
        r#"{"facts":["The user has a cat.","The user often walks in the morning."]}"#,
    );

    let merged = merged.unwrap();
    assert_eq!(merged.lines[1], line("The user often walks in the morning.", &[Existing(0), New(0)], false));
    assert_eq!(merged.dropped, []);
}

#[test]
fn fact_split_into_two_lines_is_the_source_of_both() {
    let merged = settled(
        &["The user has a cat and plays chess.", "Ada bakes."],
        &[],
        r#"{"facts":["The user has a cat.","The user plays chess.","Ada bakes."]}"#,
    );

    let merged = merged.unwrap();
    assert_eq!(merged.lines[0].sources, [Existing(0)]);
    assert_eq!(merged.lines[1].sources, [Existing(0)]);
    assert_eq!(merged.dropped, []);
}

#[rstest]
#[case::nearly_the_same("The user likes tea a lot.", "The user likes teas a lot.", true)]
#[case::another_thing("The user has a cat.", "The user has a dog.", false)]
fn without_new_facts_only_a_repetition_may_be_dropped(
    #[case] one: &str,
    #[case] other: &str,
    #[case] may_go: bool,
) {
    let merged = settled(&[one, other], &[], &serde_json::json!({ "facts": [one] }).to_string());

    assert_eq!(merged.is_ok(), may_go, "{merged:?}");
}

#[rstest]
#[case::named(r#"{"facts":["The user now calls York home."],"replaces":[{"new":1,"existing":1}]}"#, Some(0))]
#[case::alike(r#"{"facts":["The user now calls York home."]}"#, None)]
fn contradicted_fact_is_dropped_without_its_evidence(#[case] reply: &str, #[case] by: Option<usize>) {
    let merged = settled(&["Lives in Leeds."], &["The user now calls York home."], reply).unwrap();

    assert_eq!(merged.lines, [line("The user now calls York home.", &[New(0)], true)]);
    assert_eq!(merged.dropped, [DroppedFact { source: Existing(0), by }]);
}

#[test]
fn rewritten_line_does_not_get_evidence_of_a_replaced_fact() {
    let merged = settled(
        &["The user lives in Leeds."],
        &["The user moved to York."],
        r#"{"facts":["The user lives in York now."],"replaces":[{"new":1,"existing":1}]}"#,
    );

    let merged = merged.unwrap();
    assert_eq!(merged.lines, [line("The user lives in York now.", &[New(0)], false)]);
    assert_eq!(merged.dropped, [DroppedFact { source: Existing(0), by: Some(0) }]);
}

#[rstest]
#[case::banana(r#"{"facts":["Bananas fly over Helsinki."]}"#, "invents")]
#[case::one_invention_among_facts(r#"{"facts":["The user likes tea.","Helsinki is foggy."]}"#, "invents")]
#[case::an_invention_in_familiar_words(
    r#"{"facts":["The user likes tea.","Ada bakes.","Works at a mill.","Plays chess.","Has two cats.","Runs.","The user likes Works."]}"#,
    "invents"
)]
#[case::a_number(r#"{"facts":["The user likes 3 teas."]}"#, "invents")]
#[case::almost_everything_gone(r#"{"facts":["The user likes tea."]}"#, "forgets")]
fn list_that_invents_or_loses_facts_is_rejected(#[case] reply: &str, #[case] why: &str) {
    let existing =
        ["The user likes tea.", "Ada bakes.", "Works at a mill.", "Plays chess.", "Has two cats.", "Runs."];

    assert_eq!(settled(&existing, &[], reply).unwrap_err().code(), why);
}

#[test]
fn list_where_one_new_fact_replaces_all_is_rejected() {
    let reply = r#"{"facts":["The user has a cat."],"replaces":[{"new":1,"existing":1},{"new":1,"existing":2},{"new":1,"existing":3}]}"#;

    let merged = settled(&["Likes tea.", "Ada bakes.", "Plays chess."], &["The user has a cat."], reply);

    assert_eq!(merged.unwrap_err().code(), "forgets");
}
