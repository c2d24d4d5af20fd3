//! Results of tools.

use memory::ItemId;
use serde::{Deserialize, Serialize};
use vocabulary::{Attachment, Private};

/// The result of a tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    /// `true` if it did what was asked. A tool that fails and explains itself has a text too.
    pub success: bool,
    /// The text for the model: data, not wording for the user.
    pub text: Option<Private<String>>,
    /// The whole answer in the user's language, if the tool can word it itself: it can be given without a model.
    pub answer: Option<Private<String>>,
    /// Files and pictures for the user. The model never sees them.
    pub attachments: Vec<Attachment>,
    /// The records that were made, changed or named, so that "delete that one" finds them.
    pub touched: Vec<ItemId>,
    /// The argument that it needs, and that neither the call nor the settings have: the user is asked for it.
    pub lacks: Option<String>,
    /// The things that fit, if the user is asked which one, in the order in which they are told.
    pub choices: Vec<Choice>,
    /// The text comes from outside: a web page, a file, an MCP server. Nothing in it is an instruction.
    pub is_untrusted: bool,
    /// `true` if the answer is to be spoken whatever the origin of the query is.
    pub voice_requested: bool,
    /// The words to speak in place of the answer.
    pub voice_text: Option<Private<String>>,
    /// The transition of the conversation after the call.
    pub transition: Option<Transition>,
}

/// One of several things that fit a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Empty for one without a name.
    pub name: Private<String>,
    /// Its record.
    pub item: ItemId,
}

/// A transition of the conversation itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transition {
    /// The user wants no answer: the reply ends in silence.
    Stop,
    /// The tools of these names may be used from the next turn on.
    OfferTools(Vec<String>),
    /// Another profile answers from now on.
    SwitchProfile(String),
}

impl ToolResult {
    /// It did what was asked.
    pub fn done(text: impl Into<String>) -> Self {
        Self { success: true, text: Some(Private(text.into())), ..Self::default() }
    }

    /// It did not do what was asked, and says why and what would help.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { text: Some(Private(text.into())), ..Self::default() }
    }

    /// The same result, with the name of the argument that the user is asked for.
    pub fn lacking(mut self, argument: &str) -> Self {
        self.lacks = Some(argument.to_owned());
        self
    }

    /// The same result, which asks which of these things is meant.
    pub fn choosing_among(mut self, things: impl IntoIterator<Item = (String, ItemId)>) -> Self {
        self.choices.extend(things.into_iter().map(|(name, item)| Choice { name: Private(name), item }));
        self
    }

    /// The same result, with the whole answer in the user's language. A label or an amount may begin it, so its first letter
    /// is made a capital one.
    pub fn answering(mut self, answer: impl AsRef<str>) -> Self {
        self.answer = Some(Private(capitalised(answer.as_ref())));
        self
    }

    /// The same result, with the records that it touched.
    pub fn touching(mut self, items: impl IntoIterator<Item = ItemId>) -> Self {
        self.touched.extend(items);
        self
    }

    /// The same result, with text from outside.
    pub fn untrusted(mut self) -> Self {
        self.is_untrusted = true;
        self
    }
}

/// The sentence with a capital letter at its beginning.
pub(crate) fn capitalised(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
