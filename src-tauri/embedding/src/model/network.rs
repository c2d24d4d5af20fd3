//! The network: the tokens of a text in, what it makes of each of them out.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use llm::EmbedError;
use models::onnx::{Arena, OnnxError, session};
use ort::session::{Session, SessionInputValue};
use ort::value::Tensor;

/// The output that has one state for each token. Source: exports of sentence models.
const STATES: &str = "last_hidden_state";

/// A network that reads one text at a time.
pub(super) struct Network {
    session: Mutex<Session>,
    /// Networks of the BERT kind want to know to which of two texts a token belongs; there is only one.
    takes_types: bool,
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
            let source = Arc::from(Box::from(format!("it has no output {STATES}")));
            return Err(EmbedError::File { path: network.to_owned(), source });
        }
        let takes_types = session.inputs().iter().any(|input| input.name() == "token_type_ids");
        Ok(Self { session: Mutex::new(session), takes_types })
    }

    /// The mean of the states of all tokens. No token is padding, so each counts.
    pub(super) fn mean_state(&self, tokens: Vec<i64>) -> Result<Vec<f32>, EmbedError> {
        let count = tokens.len();
        let mut inputs = vec![("attention_mask", row(vec![1; count])?), ("input_ids", row(tokens)?)];
        if self.takes_types {
            inputs.push(("token_type_ids", row(vec![0; count])?));
        }
        // A panic in another run leaves the session as it was: runs keep nothing in it.
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
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

/// The mean of `count` rows that stand one after the other.
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
    fn the_mean_is_taken_number_by_number() {
        assert_eq!(mean_of(&[1.0, 2.0, 3.0, 6.0], 2), [2.0, 4.0]);
        assert!(mean_of(&[], 0).is_empty());
    }
}
