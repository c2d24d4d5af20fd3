//! Parses embedding responses. Ollama sends the vectors in the order of the texts, other servers with an index.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::servers::server_error::invalid_response;
use crate::{EmbedError, LlmError};

/// Parses a response of `/api/embed`.
pub(super) fn parse_ollama(body: &[u8]) -> Result<Vec<Vec<f32>>, EmbedError> {
    #[derive(Deserialize)]
    struct Body {
        embeddings: Vec<Vec<f64>>,
    }
    Ok(read::<Body>(body)?.embeddings.into_iter().map(to_f32).collect())
}

/// Parses a response of `/v1/embeddings`.
pub(super) fn parse_openai(body: &[u8]) -> Result<Vec<Vec<f32>>, EmbedError> {
    #[derive(Deserialize)]
    struct Body {
        data: Vec<IndexedVector>,
    }
    #[derive(Deserialize)]
    struct IndexedVector {
        index: Option<usize>,
        embedding: Vec<f64>,
    }
    let mut vectors: Vec<_> = read::<Body>(body)?
        .data
        .into_iter()
        .enumerate()
        .map(|(position, vector)| (vector.index.unwrap_or(position), to_f32(vector.embedding)))
        .collect();
    vectors.sort_by_key(|(index, _)| *index);
    let is_complete = vectors.iter().enumerate().all(|(position, (index, _))| position == *index);
    if !is_complete {
        return Err(LlmError::InvalidResponse {
            what: "the indices of the vectors are not consecutive".into(),
        }
        .into());
    }
    Ok(vectors.into_iter().map(|(_, vector)| vector).collect())
}

/// Values that are too large become infinite; such vectors are rejected later.
fn to_f32(vector: Vec<f64>) -> Vec<f32> {
    vector.into_iter().map(|number| number as f32).collect()
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, EmbedError> {
    serde_json::from_slice(body).map_err(|error| {
        // JSON has no `NaN` and `Infinity`, but servers written in Python send them.
        let has_nan_or_infinity = ["NaN", "Infinity"].iter().any(|word| contains(body, word.as_bytes()));
        match has_nan_or_infinity && error.is_syntax() {
            true => EmbedError::InvalidVector { what: "contains a value that is not a finite number" },
            false => invalid_response(&error).into(),
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
    fn vectors_are_sorted_by_their_index() {
        let body = br#"{"data": [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1.5]}]}"#;

        assert_eq!(parse_openai(body).unwrap(), [[1.5], [2.0]]);
    }

    #[test]
    fn vectors_without_index_keep_their_order() {
        let body = br#"{"data": [{"embedding": [1.5]}, {"embedding": [2]}]}"#;

        assert_eq!(parse_openai(body).unwrap(), [[1.5], [2.0]]);
    }

    #[test]
    fn duplicate_index_is_an_invalid_response() {
        let body = br#"{"data": [{"index": 1, "embedding": [2]}, {"index": 1, "embedding": [1.5]}]}"#;

        assert!(matches!(parse_openai(body), Err(EmbedError::Server(LlmError::InvalidResponse { .. }))));
    }

    #[test]
    fn nan_is_an_invalid_vector_and_html_an_invalid_response() {
        let not_a_number = parse_ollama(br#"{"embeddings": [[NaN, 1]]}"#).unwrap_err();
        let page = parse_ollama(b"<html>").unwrap_err();

        assert!(matches!(not_a_number, EmbedError::InvalidVector { .. }), "{not_a_number}");
        assert!(matches!(page, EmbedError::Server(LlmError::InvalidResponse { .. })), "{page}");
    }
}
