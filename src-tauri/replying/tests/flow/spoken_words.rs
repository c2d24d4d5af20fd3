//! Words that tools want spoken.

use serde_json::json;
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};
use vocabulary::Private;

use crate::fixture::Given;

#[tokio::test]
async fn words_of_each_call_are_kept() {
    let saying = |words: &str| {
        let voice_text = Some(Private(words.to_owned()));
        ToolRun::Returns(ToolResult { voice_requested: true, voice_text, ..ToolResult::done("queued") })
    };
    let tool = ScriptedTool::new("speakAnswer", Effect::ReadOnly, json!({ "type": "object" }))
        .runs([saying("One."), saying("Two.")]);
    let call = |text: &str| Turn::calls("speakAnswer", json!({ "text": text }));
    let turns = [call("One."), call("Two."), Turn::says("Done.")];

    let seen = Given::asked("count to two, out loud", turns).tool(tool).typed().reply().await;

    assert_eq!(seen.spoken.as_deref(), Some("One.\nTwo."), "{}", seen.line());
}
