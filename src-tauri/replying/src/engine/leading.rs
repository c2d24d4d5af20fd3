//! The tool with which a reply of a small model begins, without a choice.

use crate::model_policy::ToolOffer;
use crate::plain_requests::request_kind::RequestKind;
use crate::reply_context::ReplyContext;
use crate::tool_calls::leading_tool::{Lead, lead};
use crate::turn_loop::FirstCall;

/// The first call if there is one, else that of the tool that leads the others, or this tool if the model has to fill its
/// arguments in. It is one that is offered. A small model would sooner answer without.
pub(super) fn led(
    context: &ReplyContext,
    first: Option<FirstCall>,
    leading: Option<String>,
    offered: &[String],
) -> (Option<FirstCall>, Option<String>) {
    let may_lead = first.is_none() && context.policy.tools.offer == ToolOffer::Fitting;
    let Some(tool) = leading.filter(|tool| may_lead && offered.contains(tool)) else { return (first, None) };
    let spec = context.toolbox.spec(&tool);
    let lead = spec.and_then(|spec| lead(&context.entry.redacted, context.language_data(), &spec));
    match lead {
        Some(Lead::Call(arguments)) if arguments.is_empty() || !wants_text(context) => {
            (Some(FirstCall { tool, arguments, is_repeated: false }), None)
        }
        Some(Lead::Fill) if !wants_text(context) => (None, Some(tool)),
        _ => (None, None),
    }
}

/// `true` for "write a poem about my parcel".
fn wants_text(context: &ReplyContext) -> bool {
    context.request == RequestKind::Text
}
