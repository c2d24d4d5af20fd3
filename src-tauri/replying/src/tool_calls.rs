//! Calls of tools: which are offered, how models write them, and what comes back.

pub(crate) mod tool_protocol; // how models call tools
pub(crate) mod toolbox; // the tools of a reply
pub(crate) mod tool_purpose; // which topics and actions a tool is for
pub(crate) mod caller_tools; // those of a calling program
pub(crate) mod choice; // a tool or none, in an enforced form
pub(crate) mod leading_tool; // the call of a tool that needs no choice
pub(crate) mod figures; // numbers and codes that name things
pub(crate) mod approval; // asking the user before a call
pub(crate) mod tool_run_result; // what a call returned
pub(crate) mod tool_markers; // what a model repeats of its tools
pub mod text_call; // tool calls written as text
pub(crate) mod written_reply; // words and calls as one object
pub(crate) mod nested_call; // calls inside the arguments of another
pub(crate) mod text_call_filter;
pub(crate) mod tool_name_filter; // answers that are only the name of a tool
pub(crate) mod grounding; // arguments that a model invented
pub mod tool_talk; // tool messages of earlier replies
