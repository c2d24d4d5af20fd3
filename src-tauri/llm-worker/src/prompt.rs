//! Converts a dialogue into the tokens of a prompt.

use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use llm::embedded::protocol::WorkerFailure;
use llm::{Message, ToolSpec};

use crate::template::{Dialogue, Template};

/// Builds prompts for one model.
pub(crate) struct PromptBuilder<'m> {
    model: &'m LlamaModel,
    template: Template,
    /// Texts of the control tokens of the model, such as the end of a turn.
    control_tokens: Vec<String>,
    bos: String,
}

impl<'m> PromptBuilder<'m> {
    /// Reads the chat template and the control tokens of the model.
    pub(crate) fn new(model: &'m LlamaModel) -> Self {
        let vocabulary = model.vocab();
        let text = |token| {
            vocabulary.text(token).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let source = model.chat_template(None).ok();
        let source = source.as_ref().and_then(|template| template.to_str().ok());
        let bos = text(vocabulary.bos());
        let control_tokens = (0..vocabulary.n_tokens()).map(LlamaToken);
        let control_tokens = control_tokens
            .filter(|token| vocabulary.is_control(*token))
            .map(text)
            .filter(|control_token| control_token.len() > 2);
        Self {
            model,
            template: Template::new(source, bos.clone(), text(vocabulary.eos())),
            control_tokens: control_tokens.collect(),
            bos,
        }
    }

    /// The tokens of a dialogue. With `add_generation_prompt` they end with the start of the model's turn.
    ///
    /// # Errors
    ///
    /// [`WorkerFailure::Unsupported`] if the chat template rejects the dialogue.
    pub(crate) fn tokens(
        &self,
        messages: &[Message],
        tools: &[ToolSpec],
        thinking: bool,
        add_generation_prompt: bool,
    ) -> Result<Vec<LlamaToken>, WorkerFailure> {
        let messages: Vec<Message> =
            messages.iter().map(|message| self.without_control_tokens(message)).collect();
        let dialogue = Dialogue { messages: &messages, tools, thinking, add_generation_prompt };
        let text = self.template.render(&dialogue).map_err(|error| WorkerFailure::Unsupported {
            reason: format!("the chat template of the model rejects the dialogue: {}", error.kind()),
        })?;
        // Many templates add the BOS token themselves. A second one would confuse the model.
        let add_special = self.bos.is_empty() || !text.starts_with(&self.bos);
        Ok(self.model.vocab().tokenize(text.as_bytes(), add_special, true))
    }

    /// The message without control tokens. Otherwise, the text of a web page could pretend to be a system message.
    fn without_control_tokens(&self, message: &Message) -> Message {
        let clean = |text: &str| remove_control_tokens(text, &self.control_tokens);
        Message {
            content: clean(&message.content),
            thinking: message.thinking.as_deref().map(clean),
            ..message.clone()
        }
    }
}

/// Repeats until no control token is left, because removing one can join the halves of another.
fn remove_control_tokens(text: &str, control_tokens: &[String]) -> String {
    let mut text = text.to_owned();
    while let Some(control_token) =
        control_tokens.iter().find(|control_token| text.contains(control_token.as_str()))
    {
        text = text.replace(control_token.as_str(), "");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_control_tokens_are_removed_completely() {
        let control_tokens = ["<|im_end|>".to_owned(), "<|im_start|>".to_owned()];

        assert_eq!(remove_control_tokens("a<|im_<|im_start|>end|>b <|im_end|>", &control_tokens), "ab ");
        assert_eq!(remove_control_tokens("x < y |> z", &control_tokens), "x < y |> z");
    }
}
