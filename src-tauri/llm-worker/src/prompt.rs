//! From a dialogue to the tokens a model reads.

use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use llm::embedded::protocol::WorkerFailure;
use llm::{Message, ToolSpec};

use crate::template::{Dialogue, Template};

/// Makes prompts for one model.
pub(crate) struct Prompts<'m> {
    model: &'m LlamaModel,
    template: Template,
    /// Texts that would be read as the model's own marks, such as the one that ends a turn.
    marks: Vec<String>,
    bos: String,
}

impl<'m> Prompts<'m> {
    /// Reads template and marks from the model.
    pub(crate) fn of(model: &'m LlamaModel) -> Self {
        let vocabulary = model.vocab();
        let text = |token| {
            vocabulary.text(token).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let source = model.chat_template(None).ok();
        let source = source.as_ref().and_then(|template| template.to_str().ok());
        let bos = text(vocabulary.bos());
        let marks = (0..vocabulary.n_tokens()).map(LlamaToken);
        let marks =
            marks.filter(|token| vocabulary.is_control(*token)).map(text).filter(|mark| mark.len() > 2);
        Self {
            model,
            template: Template::new(source, bos.clone(), text(vocabulary.eos())),
            marks: marks.collect(),
            bos,
        }
    }

    /// The tokens of a dialogue; with `asks_for_answer` they end where the model is to speak.
    ///
    /// # Errors
    ///
    /// [`WorkerFailure::Unsupported`] when the model's template refuses the dialogue.
    pub(crate) fn tokens(
        &self,
        messages: &[Message],
        tools: &[ToolSpec],
        thinking: bool,
        asks_for_answer: bool,
    ) -> Result<Vec<LlamaToken>, WorkerFailure> {
        let messages: Vec<Message> = messages.iter().map(|message| self.without_marks(message)).collect();
        let dialogue = Dialogue { messages: &messages, tools, thinking, asks_for_answer };
        let text = self.template.render(&dialogue).map_err(|error| WorkerFailure::Unsupported {
            reason: format!("the model's chat template refuses the dialogue: {}", error.kind()),
        })?;
        // Many templates write the first mark themselves; twice confuses a model.
        let add_special = self.bos.is_empty() || !text.starts_with(&self.bos);
        Ok(self.model.vocab().tokenize(text.as_bytes(), add_special, true))
    }

    /// The message without anything that the model would take for the end of a turn: a web page could else speak in
    /// the name of the system.
    fn without_marks(&self, message: &Message) -> Message {
        let clean = |text: &str| remove_marks(text, &self.marks);
        Message {
            content: clean(&message.content),
            thinking: message.thinking.as_deref().map(clean),
            ..message.clone()
        }
    }
}

/// Removing one mark can join the halves of another, so this goes on until none is left.
fn remove_marks(text: &str, marks: &[String]) -> String {
    let mut text = text.to_owned();
    while let Some(mark) = marks.iter().find(|mark| text.contains(mark.as_str())) {
        text = text.replace(mark.as_str(), "");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mark_survives_not_even_one_put_together_from_halves() {
        let marks = ["<|im_end|>".to_owned(), "<|im_start|>".to_owned()];

        assert_eq!(remove_marks("a<|im_<|im_start|>end|>b <|im_end|>", &marks), "ab ");
        assert_eq!(remove_marks("x < y |> z", &marks), "x < y |> z");
    }
}
