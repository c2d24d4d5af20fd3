//! The calls of the last reply, so that the next request can go on with them.

use memory::ItemId;
use serde_json::{Map, Value};

use crate::tool_calls::tool_run_result::ToolRunResult;
use crate::tool_calls::tool_talk::scrubbed_value;
use crate::turn_loop::FirstCall;

/// A call that did what was asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeptCall {
    /// The name of the tool.
    pub tool: String,
    /// Its arguments, redacted like all dialogue.
    pub arguments: Map<String, Value>,
    /// The records that it made, changed or named.
    pub touched: Vec<ItemId>,
    /// The tool worded the answer, and will word the next one.
    pub is_worded: bool,
}

impl KeptCall {
    /// A kept call; `None` if it did not do what was asked.
    pub fn new(tool: &str, ran: &ToolRunResult) -> Option<Self> {
        let arguments = match scrubbed_value(Value::Object(ran.arguments.clone())) {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        ran.result.success.then(|| Self {
            tool: tool.to_owned(),
            arguments,
            touched: ran.touched.clone(),
            is_worded: ran.result.answer.is_some(),
        })
    }
}

/// A call of the last reply that can be made again with the same arguments: it only read, or it failed in a way that may pass.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RepeatableCall {
    tool: String,
    arguments: Map<String, Value>,
    has_failed: bool,
}

impl RepeatableCall {
    /// A repeatable call; `None` if it `changes` something and succeeded, cannot succeed later, or had secrets in its arguments,
    /// which are not kept.
    pub fn new(tool: &str, ran: &ToolRunResult, changes: bool) -> Option<Self> {
        let is_done = ran.result.success && changes;
        let is_hopeless = !ran.result.success && !ran.may_succeed_later;
        let arguments = Value::Object(ran.arguments.clone());
        let has_secrets = scrubbed_value(arguments) != Value::Object(ran.arguments.clone());
        (!is_done && !is_hopeless && !has_secrets).then(|| Self {
            tool: tool.to_owned(),
            arguments: ran.arguments.clone(),
            has_failed: !ran.result.success,
        })
    }

    /// The call that "try again" means: the one that failed, or else the only one. `None` if several are meant.
    pub fn repeated(calls: &[Self]) -> Option<FirstCall> {
        let failed: Vec<&Self> = calls.iter().filter(|call| call.has_failed).collect();
        let meant = match (failed.as_slice(), calls) {
            ([only], _) => only,
            ([], [only]) => only,
            _ => return None,
        };
        let Self { tool, arguments, .. } = meant;
        Some(FirstCall { tool: tool.clone(), arguments: arguments.clone(), is_repeated: true })
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn ran(success: bool, may_succeed_later: bool, arguments: Value) -> ToolRunResult {
        let mut ran = ToolRunResult { may_succeed_later, ..ToolRunResult::default() };
        ran.result.success = success;
        ran.arguments = arguments.as_object().cloned().unwrap_or_default();
        ran
    }

    #[rstest]
    #[case::reading(ran(true, false, json!({"town": "Hull"})), false, true)]
    #[case::done(ran(true, false, json!({"to": "Ruth"})), true, false)]
    #[case::failed(ran(false, true, json!({"to": "Ruth"})), true, true)]
    #[case::refused(ran(false, false, json!({"to": "Ruth"})), true, false)]
    #[case::secret(ran(false, true, json!({"to": "mara@example.org"})), true, false)]
    fn call_is_made_again_if_that_repeats_nothing_that_was_done(
        #[case] ran: ToolRunResult,
        #[case] changes: bool,
        #[case] expected: bool,
    ) {
        assert_eq!(RepeatableCall::new("tool", &ran, changes).is_some(), expected);
    }

    #[rstest]
    #[case::only(&[false], Some(0))]
    #[case::failed_among_others(&[false, true, false], Some(1))]
    #[case::two_failed(&[true, true], None)]
    #[case::two(&[false, false], None)]
    #[case::none(&[], None)]
    fn one_call_is_meant(#[case] failed: &[bool], #[case] expected: Option<usize>) {
        let calls: Vec<RepeatableCall> = failed
            .iter()
            .enumerate()
            .map(|(at, has_failed)| RepeatableCall {
                tool: at.to_string(),
                arguments: Map::new(),
                has_failed: *has_failed,
            })
            .collect();

        let repeated = RepeatableCall::repeated(&calls);

        assert_eq!(repeated.map(|call| call.tool), expected.map(|at| at.to_string()));
    }
}
