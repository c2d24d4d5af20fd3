use rstest::rstest;
use serde_json::json;

use super::*;

const TOOLS: [&str; 3] = ["get_weather", "send_email", "readFile"];

fn known(tools: &[&str]) -> Vec<String> {
    tools.iter().map(|tool| (*tool).to_owned()).collect()
}

fn read(message: Value) -> Reply {
    read_reply(&message, &known(&TOOLS))
}

fn said(content: &str) -> Reply {
    read(json!({ "role": "assistant", "content": content }))
}

fn call(name: &str, arguments: Value) -> ReplyCall {
    ReplyCall { name: name.into(), arguments: arguments.as_object().unwrap().clone() }
}

fn one_call(thoughts: Option<&str>) -> Reply {
    let calls = vec![call("get_weather", json!({ "city": "Leeds" }))];
    Reply { content: ReplyContent::ToolCalls(calls), thoughts: thoughts.map(str::to_owned) }
}

#[rstest]
#[case::plain(r#"{"name":"get_weather","arguments":{"city":"Leeds"}}"#, None)]
#[case::with_thoughts(
    r#"{"name":"get_weather","arguments":{"city":"Leeds"},"thoughts":"rain"}"#,
    Some("rain")
)]
#[case::thoughts_of_another_type(
    r#"{"name":"get_weather","arguments":{"city":"Leeds"},"thoughts":["rain"]}"#,
    None
)]
#[case::wrapper(
    r#"{"tool_call":{"name":"get_weather","arguments":{"city":"Leeds"},"thoughts":"rain"}}"#,
    Some("rain")
)]
#[case::thoughts_outside(
    r#"{"thoughts":"rain","tool_call":{"name":"get_weather","arguments":{"city":"Leeds"}}}"#,
    Some("rain")
)]
#[case::list(r#"{"tool_calls":[{"name":"get_weather","arguments":{"city":"Leeds"}}]}"#, None)]
#[case::list_of_wrappers(r#"{"tool_calls":[{"id":"1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Leeds\"}"}}]}"#, None)]
#[case::object_for_a_list(r#"{"tool_calls":{"name":"get_weather","arguments":{"city":"Leeds"}}}"#, None)]
#[case::list_for_an_object(r#"{"tool_call":[{"name":"get_weather","arguments":{"city":"Leeds"}}]}"#, None)]
#[case::old_names(r#"{"tool_name":"get_weather","tool_args":{"city":"Leeds"}}"#, None)]
#[case::old_names_in_a_list(
    r#"{"tool_calls":[{"tool_name":"get_weather","tool_args":{"city":"Leeds"}}]}"#,
    None
)]
#[case::function(
    r#"{"type":"function","function":{"name":"get_weather","arguments":{"city":"Leeds"}}}"#,
    None
)]
#[case::arguments_as_text(r#"{"name":"get_weather","arguments":" {\"city\": \"Leeds\"}\n"}"#, None)]
#[case::fence("```json\n{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Leeds\"}}\n```", None)]
#[case::fence_without_a_label(
    "```\n{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Leeds\"}}\n```",
    None
)]
#[case::fence_on_one_line("```{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Leeds\"}}```", None)]
#[case::open_fence("```json\n{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Leeds\"}}", None)]
#[case::prose("I will look {now}: {\"name\":\"get_weather\",\"arguments\":{\"city\":\"Leeds\"}} done", None)]
#[case::prose_and_fence(
    "Let me look.\n```json\n{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Leeds\"}}\n```\nDone.",
    None
)]
#[case::tags("<tool_call>{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Leeds\"}}</tool_call>", None)]
#[case::two_objects(
    "{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Leeds\"}}\n{\"name\":\"send_email\",\"arguments\":{}}",
    None
)]
#[case::thinking(
    "<think>maybe {\"name\":1}</think>\n{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Leeds\"}}",
    None
)]
#[case::folded_name(r#"{"name":"Get-Weather","arguments":{"city":"Leeds"}}"#, None)]
#[case::name_with_blanks(r#"{"name":" get weather ","arguments":{"city":"Leeds"}}"#, None)]
#[case::duplicate_key(r#"{"name":"nothing","name":"get_weather","arguments":{"city":"Leeds"}}"#, None)]
#[case::answer_beside_it(r#"{"response":"Wait.","name":"get_weather","arguments":{"city":"Leeds"}}"#, None)]
#[case::byte_order_mark("\u{feff}{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Leeds\"}}", None)]
fn call_is_read_in_every_form(#[case] content: &str, #[case] thoughts: Option<&str>) {
    assert_eq!(said(content), one_call(thoughts));
}

#[rstest]
#[case::ollama(json!({"content": "", "tool_calls": [{"function": {"name": "get_weather", "arguments": {"city": "Leeds"}}}]}))]
#[case::arguments_as_text(json!({"tool_calls": [{"id": "x", "function": {"name": "get_weather", "arguments": "{\"city\":\"Leeds\"}"}}]}))]
#[case::no_function(json!({"content": null, "tool_calls": [{"name": "get_weather", "arguments": {"city": "Leeds"}}]}))]
#[case::before_the_content(json!({"content": "{\"name\":\"send_email\",\"arguments\":{}}", "tool_calls": [{"function": {"name": "get_weather", "arguments": {"city": "Leeds"}}}]}))]
#[case::content_is_an_object(json!({"content": {"name": "get_weather", "arguments": {"city": "Leeds"}}}))]
#[case::empty_list(json!({"content": "{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Leeds\"}}", "tool_calls": []}))]
#[case::thinking_apart(json!({"thinking": "hm", "content": "{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Leeds\"}}"}))]
fn call_is_read_from_the_message(#[case] message: Value) {
    assert_eq!(read(message), one_call(None));
}

#[rstest]
#[case::empty(r#"{"name":"readFile","arguments":{}}"#, json!({}))]
#[case::null(r#"{"name":"readFile","arguments":null}"#, json!({}))]
#[case::missing_in_a_wrapper(r#"{"tool_call":{"name":"readFile"}}"#, json!({}))]
#[case::braces_in_texts(r#"{"name":"readFile","arguments":{"path":"a}{\"b"}}"#, json!({"path": "a}{\"b"}))]
#[case::nested(r#"{"name":"readFile","arguments":{"o":{"l":[{"a":{}}]}}}"#, json!({"o": {"l": [{"a": {}}]}}))]
#[case::numbers_stay_texts(r#"{"name":"readFile","arguments":{"n":"5"}}"#, json!({"n": "5"}))]
#[case::unicode(r#"{"name":"readFile","arguments":{"p":"\u00fc 😀"}}"#, json!({"p": "ü 😀"}))]
#[case::spelling("{\"name\":\"READFILE\",\"arguments\":{}}", json!({}))]
fn arguments_stay_as_they_are(#[case] content: &str, #[case] expected: Value) {
    let calls = vec![call("readFile", expected)];

    assert_eq!(said(content), Reply { content: ReplyContent::ToolCalls(calls), thoughts: None });
}

#[test]
fn several_calls_keep_their_order() {
    let calls =
        json!([{"name": "send_email", "arguments": {"to": "a"}}, {"name": "get_weather", "arguments": {}}]);

    let reply = said(&json!({ "tool_calls": calls }).to_string());

    let expected = vec![call("send_email", json!({"to": "a"})), call("get_weather", json!({}))];
    assert_eq!(reply.content, ReplyContent::ToolCalls(expected));
}

#[rstest]
#[case::unknown(r#"{"name":"fly","arguments":{}}"#, ReplyContent::UnknownTool { name: "fly".into() })]
#[case::one_of_two(r#"{"tool_calls":[{"name":"get_weather","arguments":{}},{"name":"fly","arguments":{}}]}"#, ReplyContent::UnknownTool { name: "fly".into() })]
#[case::unknown_with_bad_arguments(r#"{"name":"fly","arguments":[]}"#, ReplyContent::UnknownTool { name: "fly".into() })]
#[case::words_are_joined(r#"{"name":"getWeather","arguments":{}}"#, ReplyContent::UnknownTool { name: "getWeather".into() })]
#[case::no_name(r#"{"tool_call":{"arguments":{}}}"#, ReplyContent::UnknownTool { name: String::new() })]
#[case::no_call_in_the_list(r#"{"tool_calls":["get_weather"]}"#, ReplyContent::UnknownTool { name: String::new() })]
#[case::list(r#"{"name":"get_weather","arguments":["Leeds"]}"#, ReplyContent::BadArguments { name: "get_weather".into() })]
#[case::text(r#"{"name":"get_weather","arguments":"Leeds"}"#, ReplyContent::BadArguments { name: "get_weather".into() })]
#[case::empty_text(r#"{"name":"get_weather","arguments":""}"#, ReplyContent::BadArguments { name: "get_weather".into() })]
#[case::number(r#"{"name":"get_weather","arguments":5}"#, ReplyContent::BadArguments { name: "get_weather".into() })]
#[case::list_as_text(r#"{"name":"get_weather","arguments":"[1]"}"#, ReplyContent::BadArguments { name: "get_weather".into() })]
#[case::text_cut_off(r#"{"name":"get_weather","arguments":"{\"city\": \"Le"}"#, ReplyContent::BadArguments { name: "get_weather".into() })]
#[case::cut_off_in_a_text(r#"{"name":"get_weather","arguments":{"city":"Le"#, ReplyContent::Truncated)]
#[case::cut_off_before_the_end(
    r#"{"tool_call":{"name":"get_weather","arguments":{"city":"Leeds"}}"#,
    ReplyContent::Truncated
)]
#[case::cut_off_in_a_fence("```json\n{\"name\":\"get_weather\",\"arguments\":{", ReplyContent::Truncated)]
#[case::cut_off_behind_prose("I look: {\"name\":\"get_weather\",", ReplyContent::Truncated)]
#[case::answer_cut_off(r#"{"response":"It rai"#, ReplyContent::Truncated)]
#[case::only_a_brace("{", ReplyContent::Truncated)]
#[case::nothing("", ReplyContent::Empty)]
#[case::blanks(" \n\t", ReplyContent::Empty)]
#[case::empty_text_as_json("\"\"", ReplyContent::Empty)]
#[case::empty_response(r#"{"response":" "}"#, ReplyContent::Empty)]
#[case::only_thinking("<think>Let me see", ReplyContent::Empty)]
#[case::thought_and_nothing("<think>Let me see</think>", ReplyContent::Empty)]
fn wrong_call_is_never_a_call(#[case] content: &str, #[case] expected: ReplyContent) {
    assert_eq!(said(content).content, expected);
}

#[rstest]
#[case::prose("It rains.", "It rains.")]
#[case::brace_in_prose("Write { to open a block.", "Write { to open a block.")]
#[case::object_in_prose("The record is {\"a\": 1}.", "The record is {\"a\": 1}.")]
#[case::object_cut_off_in_prose("The record is {\"a\": 1", "The record is {\"a\": 1")]
#[case::python("{'name': 'get_weather', 'arguments': {}}", "{'name': 'get_weather', 'arguments': {}}")]
#[case::comment("{\"a\": 1 /* one */}", "{\"a\": 1 /* one */}")]
#[case::response(r#"{"response":"It rains."}"#, "It rains.")]
#[case::order(r#"{"text":"5","message":"4","answer":"3","content":"2","response":"1"}"#, "1")]
#[case::only_texts(r#"{"response":{"a":1},"answer":"It rains."}"#, "It rains.")]
#[case::blank_is_passed_over(r#"{"response":"","answer":"It rains."}"#, "It rains.")]
#[case::thoughts(r#"{"thoughts":"It may rain."}"#, "It may rain.")]
#[case::text_as_json("\"It rains.\"", "It rains.")]
#[case::number("42", "42")]
#[case::other_object(r#"{"temp": 4}"#, "```json\n{\"temp\": 4}\n```")]
#[case::object_of_an_object(r#"{"response":{"a":1}}"#, "```json\n{\"response\":{\"a\":1}}\n```")]
#[case::list("[1, 2]", "```json\n[1, 2]\n```")]
#[case::bare_list_of_calls(
    r#"[{"name":"get_weather","arguments":{}}]"#,
    "```json\n[{\"name\":\"get_weather\",\"arguments\":{}}]\n```"
)]
#[case::empty_object("{}", "```json\n{}\n```")]
#[case::in_a_fence("```json\n{\"response\": \"It rains.\"}\n```", "It rains.")]
#[case::name_without_arguments(r#"{"name":"get_weather","answer":"no"}"#, "no")]
#[case::name_is_a_number(r#"{"name":5,"arguments":{},"answer":"no"}"#, "no")]
#[case::empty_name(r#"{"name":"","arguments":{},"answer":"no"}"#, "no")]
#[case::empty_wrapper(r#"{"tool_calls":[],"tool_call":null,"content":"hi"}"#, "hi")]
#[case::wrapper_is_a_text(r#"{"tool_call":"get_weather","content":"hi"}"#, "hi")]
#[case::error(r#"{"isError":true,"message":"gone"}"#, "gone")]
#[case::after_thinking("<think>hm</think>It rains.", "It rains.")]
#[case::end_of_thinking("hm</think>\n\nIt rains.", "It rains.")]
#[case::code("```python\nprint({})\n```", "```python\nprint({})\n```")]
#[case::huge_number(r#"{"response": 1e999}"#, r#"{"response": 1e999}"#)]
fn anything_else_is_an_answer(#[case] content: &str, #[case] expected: &str) {
    assert_eq!(said(content).content, ReplyContent::Text(expected.into()));
}

#[rstest]
#[case::plain(
    r#"{"name":"Ada","arguments":{"a":1}}"#,
    "```json\n{\"name\":\"Ada\",\"arguments\":{\"a\":1}}\n```"
)]
#[case::with_an_answer(r#"{"tool_call":{"name":"x","arguments":{}},"answer":"yes"}"#, "yes")]
#[case::in_prose("So: {\"name\":\"x\",\"arguments\":{}}", "So: {\"name\":\"x\",\"arguments\":{}}")]
fn without_tools_the_keys_of_a_call_are_text(#[case] content: &str, #[case] expected: &str) {
    let reply = read_reply(&json!({ "content": content }), &[]);

    assert_eq!(reply.content, ReplyContent::Text(expected.into()));
}

#[test]
fn native_call_without_any_tool_is_unknown() {
    let message = json!({"content": "", "tool_calls": [{"function": {"name": "fly", "arguments": {}}}]});

    let reply = read_reply(&message, &[]);

    assert_eq!(reply.content, ReplyContent::UnknownTool { name: "fly".into() });
}

#[test]
fn name_that_two_tools_may_mean_is_unknown() {
    let tools = known(&["Get_Weather", "get_weather"]);
    let read = |name: &str| {
        read_reply(&json!({ "content": json!({"name": name, "arguments": {}}).to_string() }), &tools).content
    };

    assert_eq!(read("GET_WEATHER"), ReplyContent::UnknownTool { name: "GET_WEATHER".into() });
    assert_eq!(read("Get_Weather"), ReplyContent::ToolCalls(vec![call("Get_Weather", json!({}))]));
}

#[rstest]
#[case::null(json!(null), ReplyContent::Empty)]
#[case::no_content(json!({"role": "assistant"}), ReplyContent::Empty)]
#[case::bare_text(json!("It rains."), ReplyContent::Text("It rains.".into()))]
#[case::calls_of_another_type(json!({"content": "It rains.", "tool_calls": "none"}), ReplyContent::Text("It rains.".into()))]
#[case::list(json!([1]), ReplyContent::Empty)]
fn message_of_another_shape_is_read_as_far_as_possible(
    #[case] message: Value,
    #[case] expected: ReplyContent,
) {
    assert_eq!(read(message).content, expected);
}
