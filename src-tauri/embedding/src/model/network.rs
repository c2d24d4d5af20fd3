//! The network: computes the mean token state of a text.

use std::path::Path;
use std::sync::Arc;

use llm::EmbedError;
use models::onnx::{Arena, OnnxError, session};
use ort::session::{Session, SessionInputValue};
use ort::value::Tensor;
use parking_lot::Mutex;

/// Name of the output with one state per token. Source: exports of sentence models.
const STATES: &str = "last_hidden_state";

/// The network of a sentence model in an ONNX Runtime session.
pub(super) struct Network {
    session: Mutex<Session>,
    /// `true` if the network has the BERT input that assigns tokens to two texts. We always pass one text.
    has_token_types: bool,
}

impl Network {
    pub(super) fn load(library: &Path, network: &Path, threads: usize) -> Result<Self, EmbedError> {
        let session = session(library, network, threads, Arena::GivenBack).map_err(|error| {
            let path = match &error {
                OnnxError::Library { library, .. } => library.clone(),
                OnnxError::Model { model, .. } => model.clone(),
            };
            EmbedError::File { path, source: Arc::new(error) }
        })?;
        if !session.outputs().iter().any(|output| output.name() == STATES) {
            let source = Arc::from(Box::from(format!("the network has no output {STATES}")));
            return Err(EmbedError::File { path: network.to_owned(), source });
        }
        let has_token_types = session.inputs().iter().any(|input| input.name() == "token_type_ids");
        Ok(Self { session: Mutex::new(session), has_token_types })
    }

    /// The mean of all token states. There are no padding tokens, so all tokens count.
    pub(super) fn mean_state(&self, tokens: Vec<i64>) -> Result<Vec<f32>, EmbedError> {
        let count = tokens.len();
        let mut inputs = vec![("attention_mask", row(vec![1; count])?), ("input_ids", row(tokens)?)];
        if self.has_token_types {
            inputs.push(("token_type_ids", row(vec![0; count])?));
        }
        // A poisoned lock is harmless: a run does not change the session.
        let mut session = self.session.lock();
        let outputs = session.run(inputs).map_err(failed)?;
        let (_, states) = outputs[STATES].try_extract_tensor::<f32>().map_err(failed)?;
        Ok(mean_of(states, count))
    }
}

fn row(values: Vec<i64>) -> Result<SessionInputValue<'static>, EmbedError> {
    Ok(Tensor::from_array(([1, values.len()], values)).map_err(failed)?.into())
}

fn failed(error: ort::Error) -> EmbedError {
    EmbedError::Engine(error.into())
}

/// The mean of `count` consecutive rows.
fn mean_of(rows: &[f32], count: usize) -> Vec<f32> {
    let width = rows.len() / count.max(1);
    let mut mean = vec![0.0; width];
    for row in rows.chunks_exact(width.max(1)) {
        mean.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
    }
    mean.iter_mut().for_each(|sum| *sum /= count as f32);
    mean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_is_computed_per_column() {
        assert_eq!(mean_of(&[1.0, 2.0, 3.0, 6.0], 2), [2.0, 4.0]);
        assert!(mean_of(&[], 0).is_empty());
    }
}
