//! The diary, the knowledge graph, the warm profile, and tool messages.

use ::memory::{Branch, Days, Evidence, Memory, NewEntry, NewFact, NodeId, decayed_score, join_truncated};
use jiff::civil::Date;
use llm::{Message, Role, ToolCall, ToolCallId};
use replying::tool_talk;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::suite::{Suite, read};

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "diary.keyword_search_dates" => keyword_search_dates,
        "memory_misc.filter_contexts_by_time" => filter_by_time,
        "memory_misc.is_tool_message" => is_tool_message,
        "memory_misc.scrub_tool_call" => scrub_tool_call,
        "graph.decayed_score" => score,
        "graph.search_nodes" => search_nodes,
        "graph.warm_profile_sections" => warm_profile_sections,
        "graph.branch_text_length" => branch_text_length,
        _ => return None,
    })
}

/// An arbitrary time, in microseconds since 1970 UTC. No answer depends on it.
const NOW: i64 = 1_763_812_800_000_000;

fn keyword_search_dates(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Row {
        date: Date,
        summary: Option<String>,
        topics: Option<String>,
    }
    #[derive(Deserialize)]
    struct Input {
        rows: Vec<Row>,
        keywords: Vec<String>,
        max_results: usize,
    }
    let input: Input = read(input)?;
    with_memory(async |memory| {
        for row in input.rows {
            let topics = row.topics.unwrap_or_default();
            let entry = NewEntry {
                day: row.date,
                source: "conversation".into(),
                summary: row.summary.unwrap_or_default(),
                topics: topics.split(',').map(str::trim).map(str::to_owned).collect(),
            };
            memory.write_entry(entry, vec![], NOW).await?;
        }
        let days = memory.diary_days_with(&input.keywords, input.max_results).await?;
        let days: Vec<String> = days.iter().map(Date::to_string).collect();
        Ok(json!(days))
    })
}

fn filter_by_time(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        contexts: Vec<String>,
        from_time: Option<String>,
        to_time: Option<String>,
    }
    let input: Input = read(input)?;
    let bound = |bound: Option<String>| bound.unwrap_or_default();
    let days = Days::read(&bound(input.from_time), &bound(input.to_time));
    Ok(input.contexts.into_iter().filter(|context| days.keep(context)).collect())
}

fn is_tool_message(input: Value) -> Result<Value, String> {
    let message = &input["msg"];
    let Ok(role) = serde_json::from_value::<Role>(message["role"].clone()) else { return Ok(json!(false)) };
    let no_call = ToolCall { id: ToolCallId(String::new()), name: String::new(), arguments: Value::Null };
    let calls = message["tool_calls"].as_array().map_or(0, Vec::len);
    let message = Message {
        role,
        tool_calls: vec![no_call; calls],
        tool_name: message["tool_name"].as_str().map(str::to_owned),
        ..Message::user("")
    };
    Ok(json!(tool_talk::is_tool_message(&message)))
}

fn scrub_tool_call(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        tc: Value,
    }
    let Input { mut tc } = read(input)?;
    let function = if tc["function"].is_object() { &mut tc["function"] } else { &mut tc };
    if let Some(arguments) = function.get_mut("arguments") {
        let call =
            ToolCall { id: ToolCallId(String::new()), name: String::new(), arguments: arguments.take() };
        *arguments = tool_talk::scrubbed(call).arguments;
    }
    Ok(tc)
}

fn score(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        access_count: i64,
        age_days: f64,
        half_life_days: f64,
    }
    let input: Input = read(input)?;
    Ok(json!(decayed_score(input.access_count, input.age_days, input.half_life_days)))
}

fn search_nodes(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct NewNode {
        parent: String,
        name: String,
        description: Option<String>,
        data: Option<String>,
    }
    #[derive(Deserialize)]
    struct Input {
        nodes: Vec<NewNode>,
        query: String,
        limit: usize,
    }
    let input: Input = read(input)?;
    with_memory(async |memory| {
        for node in &input.nodes {
            let parent = match node.parent.as_str() {
                "directives" => Branch::Directives,
                "world" => Branch::World,
                _ => Branch::User,
            };
            let description = node.description.as_deref().unwrap_or_default();
            let id = memory.create_node(parent.node(), &node.name, description, NOW).await?;
            learn_lines(memory, id, node.data.as_deref().unwrap_or_default()).await?;
        }
        let nodes = memory.search_nodes(&input.query, input.limit, NOW).await?;
        Ok(nodes.into_iter().map(|node| Value::String(node.name)).collect())
    })
}

fn warm_profile_sections(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        user: Option<String>,
        directives: Option<String>,
    }
    let input: Input = read(input)?;
    with_memory(async |memory| {
        for (branch, data) in [(Branch::User, input.user), (Branch::Directives, input.directives)] {
            learn_lines(memory, branch.node(), &data.unwrap_or_default()).await?;
        }
        let profile = memory.warm_profile(NOW).await?;
        let rendered = profile.render();
        let position_of = |branch: Branch| {
            let section = profile.sections().into_iter().find(|(of, _)| *of == branch);
            section.and_then(|(_, text)| rendered.find(&text))
        };
        let (user, directives) = (position_of(Branch::User), position_of(Branch::Directives));
        Ok(json!({
            "empty": rendered.is_empty(),
            "user_section": user.is_some(),
            "directives_section": directives.is_some(),
            "user_before_directives": user.zip(directives).map(|(user, directives)| user < directives),
        }))
    })
}

fn branch_text_length(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        pieces: Vec<(String, usize)>,
        max_chars: usize,
    }
    let input: Input = read(input)?;
    let pieces: Vec<String> = input.pieces.iter().map(|(_, chars)| "x".repeat(*chars)).collect();
    Ok(json!(join_truncated(pieces.iter().map(String::as_str), input.max_chars).chars().count()))
}

async fn learn_lines(memory: &Memory, node: NodeId, data: &str) -> Result<(), ::memory::MemoryError> {
    for line in data.lines().filter(|line| !line.trim().is_empty()) {
        let fact = NewFact { text: line.to_owned(), evidence: Evidence::default() };
        memory.learn(node, fact, NOW).await?;
    }
    Ok(())
}

/// Runs `work` on a memory in a temporary folder.
fn with_memory(
    work: impl AsyncFnOnce(&Memory) -> Result<Value, ::memory::MemoryError>,
) -> Result<Value, String> {
    let text_of = |error: &dyn std::error::Error| error.to_string();
    let folder = tempfile::tempdir().map_err(|error| text_of(&error))?;
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|error| text_of(&error))?;
    let memory = Memory::open(&folder.path().join("probe.db")).map_err(|error| text_of(&error))?.memory;
    let outcome = runtime.block_on(work(&memory));
    memory.store().close();
    outcome.map_err(|error| text_of(&error))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_word_or_another(&["sauna", "lake"], 5, json!(["2025-11-22", "2025-11-20"]))]
    #[case::newest_first_and_cut(&["lake"], 1, json!(["2025-11-22"]))]
    #[case::topics_count(&["cooking"], 5, json!(["2025-11-21"]))]
    #[case::nothing_shared(&["opera"], 5, json!([]))]
    #[case::without_keywords_the_newest(&[], 2, json!(["2025-11-22", "2025-11-21"]))]
    fn diary_days_are_found_by_keywords(
        #[case] keywords: &[&str],
        #[case] max_results: usize,
        #[case] expected: Value,
    ) {
        let rows = json!([
            { "date": "2025-11-20", "summary": "Went to the sauna.", "topics": "wellness" },
            { "date": "2025-11-22", "summary": "A walk by the lake.", "topics": "walks, lake" },
            { "date": "2025-11-21", "summary": "Tried a new soup.", "topics": "cooking" },
        ]);

        let input = json!({ "rows": rows, "keywords": keywords, "max_results": max_results });

        assert_eq!(keyword_search_dates(input), Ok(expected));
    }

    #[rstest]
    #[case::both_bounds(json!("2025-11-21T10:00:00Z"), json!("2025-11-21"), json!(["[2025-11-21] b", "undated"]))]
    #[case::no_bound(json!(null), json!(null), json!(["[2025-11-20] a", "[2025-11-21] b", "undated"]))]
    #[case::unreadable(json!("soon"), json!("2025-11-20"), json!(["[2025-11-20] a", "undated"]))]
    fn contexts_are_filtered_by_whole_days(#[case] from: Value, #[case] to: Value, #[case] expected: Value) {
        let contexts = json!(["[2025-11-20] a", "[2025-11-21] b", "undated"]);

        let kept = filter_by_time(json!({ "contexts": contexts, "from_time": from, "to_time": to }));

        assert_eq!(kept, Ok(expected));
    }

    #[rstest]
    #[case::a_result(json!({ "role": "tool", "content": "12 C" }), true)]
    #[case::a_call(json!({ "role": "assistant", "tool_calls": [{ "id": "1" }] }), true)]
    #[case::in_text(json!({ "role": "user", "tool_name": "getWeather" }), true)]
    #[case::no_calls(json!({ "role": "assistant", "tool_calls": [] }), false)]
    #[case::talk(json!({ "role": "user", "content": "hi" }), false)]
    #[case::no_object(json!("tool"), false)]
    fn tool_messages_are_distinguished_from_dialogue(#[case] message: Value, #[case] expected: bool) {
        assert_eq!(is_tool_message(json!({ "msg": message })), Ok(json!(expected)));
    }

    #[test]
    fn scrubbed_tool_call_keeps_its_structure() {
        let call = |arguments: Value| json!({ "tc": { "id": "c1", "type": "function", "function": { "name": "send", "arguments": arguments } } });
        let arguments = |call: Value| scrub_tool_call(call).unwrap()["function"]["arguments"].clone();

        let deep = arguments(call(json!({ "to": [{ "mail": "a@b.org" }], "n": 1 })));
        let text = arguments(call(json!("{\"to\": \"a@b.org\"}")));

        assert_eq!(deep, json!({ "to": [{ "mail": "[REDACTED_EMAIL]" }], "n": 1 }));
        assert_eq!(text, json!("{\"to\": \"[REDACTED_EMAIL]\"}"));
    }

    #[rstest]
    #[case::by_name("tea", json!(["Tea"]))]
    #[case::by_description("drinks", json!(["Tea", "Coffee"]))]
    #[case::by_data("kyoto", json!(["Tea"]))]
    #[case::signs_stand_for_themselves("100%", json!(["Coffee"]))]
    #[case::not_the_branches("user", json!([]))]
    fn nodes_are_found_by_name_description_or_data(#[case] query: &str, #[case] expected: Value) {
        let nodes = json!([
            { "parent": "user", "name": "Tea", "description": "Hot drinks", "data": "From Kyoto.\nNever 1000." },
            { "parent": "world", "name": "Coffee", "description": "Other drinks", "data": "100% arabica" },
        ]);

        assert_eq!(search_nodes(json!({ "nodes": nodes, "query": query, "limit": 5 })), Ok(expected));
    }

    #[rstest]
    #[case::both("Has a dog.", "Be brief.", json!([false, true, true, true]))]
    #[case::the_user_only("Has a dog.", "", json!([false, true, false, null]))]
    #[case::wishes_only("", "Be brief.", json!([false, false, true, null]))]
    #[case::nothing(" ", "", json!([true, false, false, null]))]
    fn profile_contains_only_sections_with_facts(
        #[case] user: &str,
        #[case] directives: &str,
        #[case] expected: Value,
    ) {
        let sections = warm_profile_sections(json!({ "user": user, "directives": directives })).unwrap();

        let fields = ["empty", "user_section", "directives_section", "user_before_directives"];
        let fields: Value = fields.iter().map(|field| sections[field].clone()).collect();
        assert_eq!(fields, expected);
    }

    #[rstest]
    #[case::all_fits(json!([["user", 3], ["Pets", 4]]), 10, 8)]
    #[case::cut_within_the_cap(json!([["user", 30], ["Pets", 40]]), 50, 50)]
    #[case::empty_pieces_cost_nothing(json!([["user", 0], ["Pets", 4]]), 10, 4)]
    fn branch_text_stays_within_the_limit(
        #[case] pieces: Value,
        #[case] max_chars: usize,
        #[case] expected: usize,
    ) {
        assert_eq!(
            branch_text_length(json!({ "pieces": pieces, "max_chars": max_chars })),
            Ok(json!(expected))
        );
    }

    #[test]
    fn score_halves_after_its_half_life() {
        let score = score(json!({ "access_count": 6, "age_days": 14, "half_life_days": 14 }));

        assert_eq!(score, Ok(json!(3.0)));
    }
}
