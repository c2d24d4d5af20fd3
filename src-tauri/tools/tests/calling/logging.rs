//! What the log says about a call.

use std::io::Write;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;
use testkit::{ScriptedApproval, ScriptedTool, ToolRun};
use tools::{ApprovalAnswer, Effect, Taint, ToolResult};

use crate::support::{call, context, setup};

/// Collects the lines of a log.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn log_names_tool_and_outcome_but_no_words_of_the_user() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let fails = ToolRun::Returns(ToolResult::failed("secret result"));
    let parameters = json!({"type": "object", "properties": {"to": {"type": "string"}}});
    let tool = Arc::new(ScriptedTool::new("sendMail", Effect::Destructive, parameters).runs([fails]));
    let setup = setup(&[&tool]);
    let mut user = ScriptedApproval::new([ApprovalAnswer::Once]);

    for call in [
        call("sendMail", json!({"to": "secret name"})),
        call("sendMail", json!({"to": ["secret name", 2], "secret key": 1})),
        call("secret words of the user", json!({})),
    ] {
        setup.runner.run(&call, Taint::Clean, &context(), &mut user).await;
    }

    let log = String::from_utf8(lines.0.lock().clone()).unwrap();
    for expected in [
        r#"tool call{tool="sendMail" outcome="failed"}"#,
        r#"tool call{tool="sendMail" outcome="invalid arguments"}"#,
        r#"tool call{tool="(no name of a tool)" outcome="unknown tool"}"#,
    ] {
        assert!(log.contains(expected), "{expected} is missing in:\n{log}");
    }
    assert!(!log.contains("secret"), "{log}");
}
