//! Chat templates of models.

use llm::{Message, Role, ToolSpec};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Serde, Value as Jinja};
use minijinja::{Environment, Error, ErrorKind};
use serde::Serialize;
use serde_json::{Value, json};

/// ChatML, which most models understand, for models without a template.
const CHATML: &str = "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + \
                      '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/// A compiled chat template.
pub(crate) struct Template {
    environment: Environment<'static>,
    supports_tools: bool,
    bos: String,
    eos: String,
}

/// The dialogue to render.
pub(crate) struct Dialogue<'a> {
    pub(crate) messages: &'a [Message],
    pub(crate) tools: &'a [ToolSpec],
    pub(crate) thinking: bool,
    /// `true` to end with the start of the model's turn.
    pub(crate) add_generation_prompt: bool,
}

impl Template {
    /// Compiles `source`, or ChatML if it is missing or invalid.
    pub(crate) fn new(source: Option<&str>, bos: String, eos: String) -> Self {
        let own = source.and_then(|source| match environment(source.to_owned()) {
            Ok(environment) => Some((environment, source.contains("tools"))),
            Err(error) => {
                tracing::warn!(%error, "the chat template of the model is invalid; using ChatML");
                None
            }
        });
        let (environment, supports_tools) = own.unwrap_or_else(|| {
            (environment(CHATML.to_owned()).expect("the ChatML template is a valid constant"), false)
        });
        Self { environment, supports_tools, bos, eos }
    }

    /// Renders the text of the prompt.
    ///
    /// Some templates reject system messages; then the system message is prepended to the first user message.
    ///
    /// # Errors
    ///
    /// The error of the template, if it rejects the dialogue in both forms.
    pub(crate) fn render(&self, dialogue: &Dialogue<'_>) -> Result<String, Error> {
        let messages = if self.supports_tools || !mentions_tools(dialogue) {
            dialogue.messages.to_vec()
        } else {
            describe_tools_in_text(dialogue.messages, dialogue.tools)
        };
        self.render_messages(&messages, dialogue).or_else(|error| match without_system_message(&messages) {
            Some(messages) => self.render_messages(&messages, dialogue),
            None => Err(error),
        })
    }

    fn render_messages(&self, messages: &[Message], dialogue: &Dialogue<'_>) -> Result<String, Error> {
        let mut values = json!({
            "messages": messages.iter().map(message_json).collect::<Vec<_>>(),
            "add_generation_prompt": dialogue.add_generation_prompt,
            "enable_thinking": dialogue.thinking,
            "bos_token": self.bos,
            "eos_token": self.eos,
        });
        // Templates check whether `tools` is defined, so an empty list would count as tools.
        if self.supports_tools && !dialogue.tools.is_empty() {
            values["tools"] = dialogue.tools.iter().map(tool_json).collect();
        }
        self.environment.get_template(NAME)?.render(Serde(values))
    }
}

/// Name of the only template in the environment.
const NAME: &str = "chat";

/// An environment that behaves like Jinja in Python, for which templates are written, with its methods and its JSON.
fn environment(source: String) -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment.add_filter("tojson", to_json);
    environment.add_function("raise_exception", |message: String| -> Result<String, Error> {
        Err(Error::new(ErrorKind::InvalidOperation, message))
    });
    environment
        .add_function("strftime_now", |format: String| jiff::Zoned::now().strftime(&format).to_string());
    environment.add_template_owned(NAME, source)?;
    Ok(environment)
}

/// Writes JSON like Python: a space after commas and colons, no HTML escapes. Models were trained with this format.
fn to_json(value: Jinja, options: Kwargs) -> Result<String, Error> {
    let bad = |error: serde_json::Error| Error::new(ErrorKind::BadSerialization, error.to_string());
    let indent: Option<usize> = options.get("indent")?;
    let value = serde_json::to_value(&value).map_err(bad)?;
    let mut text = Vec::new();
    match indent {
        Some(width) => {
            let blanks = " ".repeat(width);
            let formatter = serde_json::ser::PrettyFormatter::with_indent(blanks.as_bytes());
            value
                .serialize(&mut serde_json::Serializer::with_formatter(&mut text, formatter))
                .map_err(bad)?;
        }
        None => {
            value
                .serialize(&mut serde_json::Serializer::with_formatter(&mut text, PythonJson))
                .map_err(bad)?;
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

struct PythonJson;

impl serde_json::ser::Formatter for PythonJson {
    fn begin_array_value<W: ?Sized + std::io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, out: &mut W) -> std::io::Result<()> {
        out.write_all(b": ")
    }
}

fn message_json(message: &Message) -> Value {
    let mut json = json!({ "role": message.role.as_str(), "content": message.content });
    if let Some(thinking) = &message.thinking {
        json["reasoning_content"] = thinking.clone().into();
    }
    if !message.tool_calls.is_empty() {
        let call = |call: &llm::ToolCall| {
            let function = json!({ "name": call.name, "arguments": call.arguments });
            json!({ "type": "function", "id": call.id.0, "function": function })
        };
        json["tool_calls"] = message.tool_calls.iter().map(call).collect();
    }
    if let Some(id) = &message.tool_call_id {
        json["tool_call_id"] = id.0.clone().into();
    }
    if let Some(name) = &message.tool_name {
        json["name"] = name.clone().into();
    }
    json
}

fn tool_json(tool: &ToolSpec) -> Value {
    let function =
        json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
    json!({ "type": "function", "function": function })
}

fn mentions_tools(dialogue: &Dialogue<'_>) -> bool {
    let is_about_tools = |message: &Message| message.role == Role::Tool || !message.tool_calls.is_empty();
    !dialogue.tools.is_empty() || dialogue.messages.iter().any(is_about_tools)
}

/// The dialogue for a template without tools: the system message describes the tools, calls become JSON text of the
/// model, and results become user messages.
fn describe_tools_in_text(messages: &[Message], tools: &[ToolSpec]) -> Vec<Message> {
    let mut plain: Vec<Message> = messages.iter().map(message_without_tools).collect();
    if tools.is_empty() {
        return plain;
    }
    let mut rules = "You can use tools. To use one, answer with nothing but one line of JSON: \
                     {\"name\": \"NAME\", \"arguments\": {...}}. The tools are:"
        .to_owned();
    for tool in tools {
        let arguments = tool.parameters.get("properties").cloned().unwrap_or_else(|| json!({}));
        rules.push_str(&format!("\n{}: {} Arguments: {arguments}", tool.name, tool.description));
    }
    match plain.first_mut().filter(|message| message.role == Role::System) {
        Some(system) => system.content = format!("{}\n\n{rules}", system.content),
        None => plain.insert(0, Message::system(rules)),
    }
    plain
}

fn message_without_tools(message: &Message) -> Message {
    if message.role == Role::Tool {
        let name = message.tool_name.as_deref().unwrap_or("the tool");
        return Message::user(format!("Result of {name}: {}", message.content));
    }
    let calls =
        message.tool_calls.iter().map(|call| json!({ "name": call.name, "arguments": call.arguments }));
    let lines: Vec<String> = [message.content.clone()]
        .into_iter()
        .filter(|text| !text.is_empty())
        .chain(calls.map(|c| c.to_string()))
        .collect();
    Message { content: lines.join("\n"), tool_calls: Vec::new(), ..message.clone() }
}

/// The dialogue with the system message prepended to the first user message.
fn without_system_message(messages: &[Message]) -> Option<Vec<Message>> {
    let (system, rest) = messages.split_first().filter(|(first, _)| first.role == Role::System)?;
    let mut rest = rest.to_vec();
    match rest.iter_mut().find(|message| message.role == Role::User) {
        Some(user) => user.content = format!("{}\n\n{}", system.content, user.content),
        None => rest.insert(0, Message::user(system.content.clone())),
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use llm::{ToolCall, ToolCallId};

    use super::*;

    fn weather() -> ToolSpec {
        ToolSpec {
            name: "get_weather".into(),
            description: "Tells the weather.".into(),
            parameters: json!({ "type": "object", "properties": { "city": { "type": "string" } } }),
        }
    }

    fn template(source: &str) -> Template {
        Template::new(Some(source), "<s>".into(), "</s>".into())
    }

    fn ask<'a>(messages: &'a [Message], tools: &'a [ToolSpec]) -> Dialogue<'a> {
        Dialogue { messages, tools, thinking: false, add_generation_prompt: true }
    }

    #[test]
    fn model_without_a_template_gets_chatml() {
        let text = Template::new(None, String::new(), String::new())
            .render(&ask(&[Message::system("Be brief."), Message::user("Hi")], &[]))
            .unwrap();

        assert_eq!(
            text,
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
        );
    }

    #[test]
    fn tools_are_written_as_python_json() {
        let source = "{% for tool in tools %}{{ tool | tojson }}{% endfor %}";

        let text = template(source).render(&ask(&[], &[weather()])).unwrap();

        assert_eq!(
            text,
            "{\"type\": \"function\", \"function\": {\"name\": \"get_weather\", \"description\": \"Tells the weather.\", \
             \"parameters\": {\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}}}}}"
        );
    }

    #[test]
    fn template_without_tools_gets_them_as_text() {
        let source = "{% for message in messages %}[{{ message.role }}] {{ message.content }}\n{% endfor %}";
        let call = ToolCall {
            id: ToolCallId("call_0".into()),
            name: "get_weather".into(),
            arguments: json!({ "city": "Leeds" }),
        };
        let messages = [
            Message::user("Rain?"),
            Message::assistant_calls("", vec![call.clone()]),
            Message::tool_result(&call, "yes"),
        ];

        let text = template(source).render(&ask(&messages, &[weather()])).unwrap();

        assert!(text.starts_with("[system] You can use tools."), "{text}");
        assert!(
            text.contains("get_weather: Tells the weather. Arguments: {\"city\":{\"type\":\"string\"}}"),
            "{text}"
        );
        assert!(
            text.contains("[assistant] {\"name\":\"get_weather\",\"arguments\":{\"city\":\"Leeds\"}}"),
            "{text}"
        );
        assert!(text.ends_with("[user] Result of get_weather: yes\n"), "{text}");
    }

    #[test]
    fn rejected_system_message_is_prepended_to_the_user_message() {
        let source = "{% for message in messages %}{% if message['role'] == 'system' %}\
                      {{ raise_exception('System role not supported') }}{% endif %}{{ message['content'] | trim }};{% endfor %}";

        let text =
            template(source).render(&ask(&[Message::system("Be brief."), Message::user("Hi")], &[])).unwrap();

        assert_eq!(text, "Be brief.\n\nHi;");
    }

    #[test]
    fn python_methods_and_slices_work_in_templates() {
        let source = "{%- set ns = namespace(n=0) -%}\n  {%- for message in messages -%}\n    \
                      {%- if message.content.startswith('a') -%}{%- set ns.n = ns.n + 1 -%}{%- endif -%}\n  {%- endfor -%}\n\
                      {{ ns.n }} {{ messages[0]['content'].strip() }} {{ messages[::-1][0].content.split('-')[-1] }} {{ bos_token }}";

        let text =
            template(source).render(&ask(&[Message::user("a b "), Message::user("c-d")], &[])).unwrap();

        assert_eq!(text, "1 a b d <s>");
    }

    #[test]
    fn invalid_template_is_replaced_by_chatml() {
        let text = template("{% broken").render(&ask(&[Message::user("Hi")], &[])).unwrap();

        assert!(text.starts_with("<|im_start|>user"), "{text}");
    }
}
