//! A server that asks the user something during a call (elicitation).

use languages::messages::Messages;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value};
use vocabulary::{Language, Private};

use super::plain_line::plain_line;
use crate::arguments::{ArgumentSchema, UnknownKeys};
use crate::inquiry::{Inquiries, Inquiry};

/// Fields of a form that are asked for, one after the other. Nobody answers more by voice.
const MAX_FIELDS: usize = 4;

/// The way to the user, and the server that asks.
#[derive(Debug, Clone)]
pub(super) struct Asker {
    /// The name of the server.
    pub server: String,
    /// The language of the user.
    pub language: Option<Language>,
    /// The way to the user.
    pub inquiries: Inquiries,
}

/// A form: what is asked, and what is filled in without asking.
struct Form {
    fields: Vec<Field>,
    /// Fields that may be left out, with the values that the server proposes for them. The user sees them before agreeing.
    defaults: Map<String, Value>,
}

/// A field of a form, as a question.
struct Field {
    name: String,
    text: String,
    /// The answers to choose from, with their values; empty means free text.
    choices: Vec<(String, Value)>,
}

impl Asker {
    /// Puts the question of a server to the user, then each field of its form. Declines what cannot be asked, and forms that
    /// are too long.
    pub async fn answer(&self, asked: ElicitRequestParams) -> ElicitResult {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = asked else {
            return ElicitResult::new(ElicitationAction::Decline);
        };
        let messages = Messages::for_language(self.language.as_ref());
        let order = requested_schema.property_order.clone();
        let schema = serde_json::to_value(&requested_schema).unwrap_or_default();
        let form = Form::new(&schema, order, messages);
        let Some(form) = form.filter(|_| self.inquiries.lead_somewhere()) else {
            return ElicitResult::new(ElicitationAction::Decline);
        };
        let question = format!("{}{}", plain_line(&message), form.shown_defaults());
        let consent = messages.server_question(&question, &self.server);
        match self.consents(consent, messages).await {
            Some(true) => {}
            Some(false) => return ElicitResult::new(ElicitationAction::Decline),
            None => return ElicitResult::new(ElicitationAction::Cancel),
        }
        match self.filled(form, &schema).await {
            Some(content) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
            None => ElicitResult::new(ElicitationAction::Cancel),
        }
    }

    /// Asks the user for yes or no; `None` if there is no answer.
    pub async fn consents(&self, question: String, messages: &'static Messages) -> Option<bool> {
        let (yes, no) = (messages.permission_yes(), messages.permission_no());
        let answer = self.ask(question, vec![yes.to_owned(), no.to_owned()]).await?;
        Some(answer == yes)
    }

    /// The answers to all fields; `None` if one is missing, or does not fit.
    async fn filled(&self, form: Form, schema: &Value) -> Option<Value> {
        let mut content = form.defaults;
        for Field { name, text, choices } in form.fields {
            let options = choices.iter().map(|(option, _)| option.clone()).collect();
            let said = self.ask(format!("{}: {text}", self.server), options).await?;
            let value = choices.into_iter().find(|(option, _)| *option == said).map(|(_, value)| value);
            content.insert(name, value.unwrap_or(Value::String(said)));
        }
        // Turns "5" into 5 where a number is asked for.
        let fitting = ArgumentSchema::new(schema).fit(&Value::Object(content), UnknownKeys::Refuse);
        fitting.ok().map(Value::Object)
    }

    async fn ask(&self, text: String, options: Vec<String>) -> Option<String> {
        self.inquiries.ask(Inquiry { text: Private(text), options }).await.map(|answer| answer.0)
    }
}

impl Form {
    /// The form of a schema; `None` if it has too many questions, or one that cannot be asked.
    fn new(schema: &Value, order: Option<Vec<String>>, messages: &'static Messages) -> Option<Self> {
        let properties = schema.get("properties")?.as_object()?;
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let (mut fields, mut defaults) = (Vec::new(), Map::new());
        for name in order.unwrap_or_else(|| properties.keys().cloned().collect()) {
            let property = properties.get(&name)?;
            match property.get("default") {
                Some(value) if !required.contains(&Value::from(name.as_str())) => {
                    defaults.insert(name, value.clone());
                }
                _ => fields.push(field(property, name, messages)?),
            }
        }
        (fields.len() <= MAX_FIELDS).then_some(Self { fields, defaults })
    }

    /// The values that are filled in without asking, behind the question.
    fn shown_defaults(&self) -> String {
        let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let shown_value =
            |(name, proposed): (&String, &Value)| plain_line(&format!("{name}: {}", value(proposed)));
        let all: Vec<String> = self.defaults.iter().map(shown_value).collect();
        if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
    }
}

fn field(property: &Value, name: String, messages: &'static Messages) -> Option<Field> {
    let told = |key: &str| property.get(key).and_then(Value::as_str).map(plain_line);
    let title = told("title").unwrap_or_else(|| plain_line(&name));
    let text = match told("description") {
        Some(description) => format!("{title} ({description})"),
        None => title,
    };
    let choices = match property.get("type")?.as_str()? {
        "boolean" => vec![
            (messages.permission_yes().to_owned(), Value::Bool(true)),
            (messages.permission_no().to_owned(), Value::Bool(false)),
        ],
        "string" => choices(property),
        "integer" | "number" => Vec::new(),
        // Several at once cannot be chosen in a question.
        _ => return None,
    };
    Some(Field { name, text, choices })
}

/// The values of a text that are allowed, with their titles.
fn choices(property: &Value) -> Vec<(String, Value)> {
    let list = |key: &str| property.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let titled = list("oneOf").into_iter().filter_map(|choice| {
        let value = choice.get("const")?.as_str()?.to_owned();
        Some((
            choice.get("title").and_then(Value::as_str).map_or_else(|| plain_line(&value), plain_line),
            value.into(),
        ))
    });
    let titles = list("enumNames");
    let plain = list("enum").into_iter().enumerate().filter_map(|(n, value)| {
        let title = titles.get(n).and_then(Value::as_str).or(value.as_str()).map(plain_line)?;
        Some((title, value))
    });
    titled.chain(plain).collect()
}
