//! A calling program: what it may use of Jarvis, and the tools that it runs itself.

use std::time::Duration;

use futures::SinkExt;
use futures::channel::{mpsc, oneshot};
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use crate::Private;

/// The time that a caller may take for a call of one of its tools. Longer than the ten minutes that a conversation of a
/// program lives, and than the minute between two rounds that end such conversations: the reply of one that nobody came
/// back for ends with it, and does not ask the model once more for nobody.
pub const CALLER_PATIENCE: Duration = Duration::from_secs(720);

/// Calls that wait for the program. A reply makes one at a time.
const CALLS: usize = 4;

/// The one who asked, as far as a reply has to know. The default is the user of this machine, who may use everything.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The name of the program, which has a key of its own; `None` is the user.
    pub program: Option<String>,
    /// The tools of Jarvis may be called.
    pub may_use_tools: bool,
    /// Memory may be searched and changed.
    pub may_use_memory: bool,
    /// The time zone of the caller; `None` means the one of this machine.
    pub zone: Option<TimeZone>,
    /// The dialogue before the query, if the caller keeps it; oldest first.
    pub earlier: Vec<EarlierMessage>,
    /// Its messages hold text from outside: calls are judged as after an untrusted result.
    pub brings_foreign_text: bool,
    /// Told to the model after the rules of Jarvis.
    pub instructions: Option<Private<String>>,
    /// The tools that the caller runs itself.
    pub tools: CallerTools,
}

impl Default for Caller {
    fn default() -> Self {
        Self {
            program: None,
            may_use_tools: true,
            may_use_memory: true,
            zone: None,
            earlier: Vec::new(),
            brings_foreign_text: false,
            instructions: None,
            tools: CallerTools::default(),
        }
    }
}

/// A message of a dialogue that the caller keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierMessage {
    /// Said by the user; else by Jarvis.
    pub is_of_user: bool,
    /// The words.
    pub text: Private<String>,
}

/// A tool that the caller runs itself.
#[derive(Debug, Clone, PartialEq)]
pub struct CallerTool {
    /// Name of letters, digits, `_` and `-`.
    pub name: String,
    /// Purpose, for the model.
    pub description: String,
    /// JSON schema of the arguments, which are an object.
    pub parameters: Value,
}

/// A call that the caller has to run. Dropping it is an answer too: the call failed.
#[derive(Debug)]
pub struct CallerCall {
    /// The tool.
    pub name: String,
    /// Its arguments, which fit its schema.
    pub arguments: Private<Map<String, Value>>,
    /// Takes the result.
    pub result: oneshot::Sender<CallerResult>,
}

/// The result of a call that the caller has run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerResult {
    /// `true` if it did what was asked.
    pub success: bool,
    /// The text for the model.
    pub text: Private<String>,
    /// The whole answer for the user, if the caller has worded it: it can be given without a model.
    pub answer: Option<Private<String>>,
}

/// The tools of a caller, and the way on which their calls reach it. Clones share the way.
#[derive(Debug, Clone, Default)]
pub struct CallerTools {
    tools: Vec<CallerTool>,
    calls: Option<mpsc::Sender<CallerCall>>,
}

impl CallerTools {
    /// These tools, and the end at which their calls arrive.
    pub fn new(tools: Vec<CallerTool>) -> (Self, mpsc::Receiver<CallerCall>) {
        let (sender, calls) = mpsc::channel(CALLS);
        (Self { tools, calls: Some(sender) }, calls)
    }

    /// The tools.
    pub fn list(&self) -> &[CallerTool] {
        &self.tools
    }

    /// Has the caller run a tool. `None` if it is gone, or gave no result.
    pub async fn call(&self, name: &str, arguments: Map<String, Value>) -> Option<CallerResult> {
        let (result, answered) = oneshot::channel();
        let call = CallerCall { name: name.to_owned(), arguments: Private(arguments), result };
        self.calls.clone()?.send(call).await.ok()?;
        answered.await.ok()
    }
}
