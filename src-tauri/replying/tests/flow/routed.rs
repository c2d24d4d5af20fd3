//! The tools that a model reads when the settings let it choose.

use rstest::rstest;
use settings::{Preparation, SelectionStrategy, Settings};
use testkit::{ScriptedTool, Turn};

use crate::fixture::Given;

/// More tools than a person would list, none of which has a word of the question.
const TOOLS: usize = 60;

fn chosen_by_a_model(settings: &mut Settings) {
    settings.tools.selection_strategy = SelectionStrategy::Llm;
    settings.tools.denied = vec!["station0".to_owned()];
}

#[rstest]
#[case::as_usual(chosen_by_a_model)]
#[case::staged(|settings: &mut Settings| {
    chosen_by_a_model(settings);
    settings.replying.preparation = Preparation::Staged;
})]
#[case::combined(|settings: &mut Settings| {
    chosen_by_a_model(settings);
    settings.replying.preparation = Preparation::Combined;
})]
#[tokio::test]
async fn model_that_chooses_reads_a_line_for_each_tool_that_may_run(#[case] change: fn(&mut Settings)) {
    let turns = ["station7", "Reply to the user.", "{}", "Rain."].map(Turn::says);
    let given = Given::asked("do I need a coat in Leeds?", turns).set(change);
    let tools = (0..TOOLS).map(|number| ScriptedTool::reading(&format!("station{number}")));

    let seen = tools.fold(given, Given::tool).reply().await;

    let first = &seen.asked[0].messages;
    let lines: Vec<&str> = first.iter().flat_map(|message| message.content.lines()).collect();
    let has_line = |number: &usize| {
        lines.contains(&format!("station{number}: Does what station{number} does.").as_str())
    };
    assert_eq!((0..TOOLS).filter(has_line).collect::<Vec<_>>(), (1..TOOLS).collect::<Vec<_>>());
}
