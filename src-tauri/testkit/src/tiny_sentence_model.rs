//! A sentence model of a few words, in the file formats of the real ones.
//!
//! Made here, so that no weights of others are needed: the network looks up one vector per token, the tokeniser splits
//! texts as that of XLM-RoBERTa does.

use serde_json::{Value, json};

/// Number of dimensions: the common direction, the one that the prefixes share, and one per meaning.
const DIMENSIONS: usize = 16;

/// The number that every token has in common: as in the E5 models, all vectors point to one side.
const COMMON: f32 = 2.0;

/// The tokens before the words: the special ones of XLM-RoBERTa and the prefixes of E5.
const FIRST_TOKENS: [&str; 6] = ["<s>", "<pad>", "</s>", "<unk>", "▁query:", "▁passage:"];

/// The first dimension of a meaning.
const FIRST_MEANING: usize = 2;

/// A tiny sentence model. Texts are alike if their words have the same meanings.
pub struct TinySentenceModel {
    /// Each word, in lower case, with the number of its meaning.
    words: Vec<(&'static str, usize)>,
}

impl TinySentenceModel {
    /// A model of words with their meanings, numbered from 0; there is room for 14.
    pub fn new(words: impl IntoIterator<Item = (&'static str, usize)>) -> Self {
        Self { words: words.into_iter().collect() }
    }

    /// The network as an ONNX file.
    pub fn network(&self) -> Vec<u8> {
        let tokens = FIRST_TOKENS.len() + self.words.len();
        let mut table = vec![0.0f32; tokens * DIMENSIONS];
        for row in table.chunks_mut(DIMENSIONS) {
            row[0] = COMMON;
        }
        for (token, sign) in [(4, 1.0), (5, -1.0)] {
            table[token * DIMENSIONS + 1] = sign;
        }
        for (place, (_, meaning)) in self.words.iter().enumerate() {
            table[(FIRST_TOKENS.len() + place) * DIMENSIONS + FIRST_MEANING + meaning] = COMMON;
        }
        let bytes: Vec<u8> = table.iter().flat_map(|value| value.to_le_bytes()).collect();
        let dimensions = [tokens as u64, DIMENSIONS as u64];
        let table = [
            number(1, dimensions[0]),
            number(1, dimensions[1]),
            number(2, FLOAT),
            bytes_of(8, b"table"),
            bytes_of(9, &bytes),
        ];
        let node = [
            bytes_of(1, b"table"),
            bytes_of(1, b"input_ids"),
            bytes_of(2, b"last_hidden_state"),
            bytes_of(4, b"Gather"),
        ];
        let graph = [
            bytes_of(1, &node.concat()),
            bytes_of(2, b"tiny"),
            bytes_of(5, &table.concat()),
            bytes_of(11, &value("input_ids", INT64, &[Size::Fixed(1), Size::Any])),
            bytes_of(11, &value("attention_mask", INT64, &[Size::Fixed(1), Size::Any])),
            bytes_of(
                12,
                &value(
                    "last_hidden_state",
                    FLOAT,
                    &[Size::Fixed(1), Size::Any, Size::Fixed(DIMENSIONS as u64)],
                ),
            ),
        ];
        let operators = number(2, 13);
        [number(1, 8), bytes_of(7, &graph.concat()), bytes_of(8, &operators)].concat()
    }

    /// The tokeniser as a `tokenizer.json`: Unigram over words that begin with "▁", between `<s>` and `</s>`.
    pub fn tokeniser(&self) -> Vec<u8> {
        let special = |id: usize| {
            json!({
                "id": id, "content": FIRST_TOKENS[id], "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": true,
            })
        };
        let first = FIRST_TOKENS.iter().map(|token| json!([token, 0.0]));
        let words = self.words.iter().map(|(word, _)| json!([format!("▁{word}"), -1.0]));
        let vocabulary: Vec<Value> = first.chain(words).collect();
        let part = |id: &str| json!({ "SpecialToken": { "id": id, "type_id": 0 } });
        let template =
            |id: usize| json!({ "id": FIRST_TOKENS[id], "ids": [id], "tokens": [FIRST_TOKENS[id]] });
        let text = json!({ "Sequence": { "id": "A", "type_id": 0 } });
        let metaspace =
            json!({ "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true });
        json!({
            "version": "1.0",
            "truncation": null,
            "padding": null,
            "added_tokens": [special(0), special(1), special(2), special(3)],
            "normalizer": { "type": "Lowercase" },
            "pre_tokenizer": metaspace,
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [part("<s>"), text, part("</s>")],
                "pair": [part("<s>"), text, part("</s>")],
                "special_tokens": { "<s>": template(0), "</s>": template(2) },
            },
            "decoder": metaspace,
            "model": { "type": "Unigram", "unk_id": 3, "vocab": vocabulary, "byte_fallback": false },
        })
        .to_string()
        .into_bytes()
    }
}

/// Types of values in ONNX.
const FLOAT: u64 = 1;
const INT64: u64 = 7;

/// The size of a dimension of an input or output.
enum Size {
    Fixed(u64),
    Any,
}

/// An input or output of the graph. Source of this and the field numbers above: `onnx.proto`.
fn value(name: &str, kind: u64, sizes: &[Size]) -> Vec<u8> {
    let sizes = sizes.iter().flat_map(|size| {
        let size = match size {
            Size::Fixed(size) => number(1, *size),
            Size::Any => bytes_of(2, b"tokens"),
        };
        bytes_of(1, &size)
    });
    let shape: Vec<u8> = sizes.collect();
    let tensor = [number(1, kind), bytes_of(2, &shape)].concat();
    [bytes_of(1, name.as_bytes()), bytes_of(2, &bytes_of(1, &tensor))].concat()
}

/// A field of a protocol buffer that holds a number.
fn number(field: u64, number: u64) -> Vec<u8> {
    [varint(field << 3), varint(number)].concat()
}

/// A field of a protocol buffer that holds bytes, a text or a message.
fn bytes_of(field: u64, bytes: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(bytes.len() as u64), bytes.to_vec()].concat()
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}
