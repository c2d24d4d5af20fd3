//! Steps of a plan that need not wait for each other.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rstest::rstest;
use serde_json::{Map, Value, json};
use settings::{Preparation, ProtocolChoice, Settings};
use testkit::Turn;
use tokio::sync::Barrier;
use tools::{Declaration, Effect, Tool, ToolContext, ToolResult, ToolSource};

use crate::fixture::Given;

/// A tool whose calls end only if those of the others have begun.
struct MeetingTool {
    declaration: Declaration,
    others: Arc<Barrier>,
    result: ToolResult,
}

impl MeetingTool {
    fn new(name: &str, effect: Effect, others: &Arc<Barrier>, result: ToolResult) -> Self {
        let declaration = Declaration {
            name: name.to_owned(),
            description: format!("Does what {name} does."),
            parameters: json!({ "type": "object", "properties": { "town": { "type": "string" } } }),
            keywords: Vec::new(),
            examples: Vec::new(),
            effect,
            timeout: Duration::from_secs(5),
            source: ToolSource::BuiltIn,
        };
        Self { declaration, others: Arc::clone(others), result }
    }
}

#[async_trait]
impl Tool for MeetingTool {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, _: Map<String, Value>, _: &ToolContext) -> ToolResult {
        self.others.wait().await;
        self.result.clone()
    }
}

/// A planned reply of a small model that carries out steps by itself.
fn planned(steps: &'static str, answer: &'static str) -> Given {
    Given::asked("how is the weather and what is new?", [Turn::says(steps), Turn::says(answer)])
        .of("small-1b")
        .choosing(ProtocolChoice::Text)
        .set(|settings: &mut Settings| settings.replying.preparation = Preparation::Staged)
}

#[rstest]
#[case::both_succeed(
    ToolResult::done("rain"),
    r#"asked planner, answer; ran getweather succeeded, getnews succeeded; spoke "Rain, and no news."; kept 2"#
)]
#[case::first_fails(
    ToolResult::failed("no network"),
    r#"asked planner, answer; ran getweather failed, getnews succeeded; spoke "Rain, and no news."; kept 2"#
)]
#[tokio::test]
async fn steps_that_say_everything_themselves_run_at_the_same_time(
    #[case] weather: ToolResult,
    #[case] expected: &str,
) {
    let both = Arc::new(Barrier::new(2));
    let given = planned("getWeather town='Leeds'\ngetNews\nReply to the user.", "Rain, and no news.")
        .tool(MeetingTool::new("getWeather", Effect::Network, &both, weather))
        .tool(MeetingTool::new("getNews", Effect::Network, &both, ToolResult::done("nothing new")));

    assert_eq!(given.reply().await.line(), expected);
}
