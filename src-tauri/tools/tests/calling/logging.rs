//! Tests of the log of calls.

use std::io::Write;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;
use testkit::{ScriptedApproval, ScriptedTool, ToolRun};
use tools::{ApprovalAnswer, Effect, Taint, ToolResult};

use crate::support::{call, context, setup};

/// Collects the lines of a log.
#[derive(Clone, Default)]
pub struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// Collects what this thread logs while the guard lives.
    pub fn collect(level: tracing::Level) -> (Self, tracing::subscriber::DefaultGuard) {
        let lines = Self::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        (lines, tracing::subscriber::set_default(subscriber))
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().clone()).unwrap()
    }
}

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
    let (lines, _guard) = Lines::collect(tracing::Level::TRACE);
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

    let log = lines.text();
    for expected in [
        r#"tool call{tool="sendMail" outcome="failed"}"#,
        r#"tool call{tool="sendMail" outcome="invalid arguments"}"#,
        r#"tool call{tool="(no name of a tool)" outcome="unknown tool"}"#,
    ] {
        assert!(log.contains(expected), "{expected} is missing in:\n{log}");
    }
    assert!(!log.contains("secret"), "{log}");
}
