//! The answers: Ollama's vectors come in the order of the texts, the others' with a number each.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::servers::refusal::garbage;
use crate::{EmbedError, LlmError};

/// Reads an answer of `/api/embed`.
pub(super) fn read_ollama(body: &[u8]) -> Result<Vec<Vec<f32>>, EmbedError> {
    #[derive(Deserialize)]
    struct Answer {
        embeddings: Vec<Vec<f64>>,
    }
    Ok(read::<Answer>(body)?.embeddings.into_iter().map(narrowed).collect())
}

/// Reads an answer of `/v1/embeddings`.
pub(super) fn read_openai(body: &[u8]) -> Result<Vec<Vec<f32>>, EmbedError> {
    #[derive(Deserialize)]
    struct Answer {
        data: Vec<Numbered>,
    }
    #[derive(Deserialize)]
    struct Numbered {
        index: Option<usize>,
        embedding: Vec<f64>,
    }
    let mut numbered: Vec<_> = read::<Answer>(body)?
        .data
        .into_iter()
        .enumerate()
        .map(|(place, vector)| (vector.index.unwrap_or(place), narrowed(vector.embedding)))
        .collect();
    numbered.sort_by_key(|(index, _)| *index);
    let is_complete = numbered.iter().enumerate().all(|(place, (index, _))| place == *index);
    if !is_complete {
        return Err(LlmError::Garbage { what: "vectors that are not numbered one by one".into() }.into());
    }
    Ok(numbered.into_iter().map(|(_, vector)| vector).collect())
}

/// What is too large to be narrowed becomes infinite, which no vector may hold.
fn narrowed(vector: Vec<f64>) -> Vec<f32> {
    vector.into_iter().map(|number| number as f32).collect()
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, EmbedError> {
    serde_json::from_slice(body).map_err(|error| {
        // JSON has no word for it, but servers written in Python use one all the same.
        let has_no_numbers = ["NaN", "Infinity"].iter().any(|word| contains(body, word.as_bytes()));
        match has_no_numbers && error.is_syntax() {
            true => EmbedError::BadVector { what: "holds something that is no number" },
            false => garbage(&error).into(),
        }
    })
}

fn contains(body: &[u8], word: &[u8]) -> bool {
    body.windows(word.len()).any(|window| window == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_in_the_order_of_their_numbers() {
        let body = br#"{"data": [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1.5]}]}"#;

        assert_eq!(read_openai(body).unwrap(), [[1.5], [2.0]]);
    }

    #[test]
    fn without_numbers_they_come_as_they_are() {
        let body = br#"{"data": [{"embedding": [1.5]}, {"embedding": [2]}]}"#;

        assert_eq!(read_openai(body).unwrap(), [[1.5], [2.0]]);
    }

    #[test]
    fn a_number_that_comes_twice_is_garbage() {
        let body = br#"{"data": [{"index": 1, "embedding": [2]}, {"index": 1, "embedding": [1.5]}]}"#;

        assert!(matches!(read_openai(body), Err(EmbedError::Server(LlmError::Garbage { .. }))));
    }

    #[test]
    fn what_is_no_number_is_told_from_garbage() {
        let not_a_number = read_ollama(br#"{"embeddings": [[NaN, 1]]}"#).unwrap_err();
        let page = read_ollama(b"<html>").unwrap_err();

        assert!(matches!(not_a_number, EmbedError::BadVector { .. }), "{not_a_number}");
        assert!(matches!(page, EmbedError::Server(LlmError::Garbage { .. })), "{page}");
    }
}
