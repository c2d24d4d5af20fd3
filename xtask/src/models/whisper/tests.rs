//! A Whisper model as small as one can be: one layer a side, 64 wide, two words.

use super::*;

/// Writes a `model.bin`.
struct Writer(Vec<u8>);

impl Writer {
    fn text(&mut self, text: &str) {
        self.0.extend((text.len() as u16 + 1).to_le_bytes());
        self.0.extend(text.as_bytes());
        self.0.push(0);
    }

    fn number(&mut self, number: usize) {
        self.0.extend((number as u32).to_le_bytes());
    }

    fn variable(&mut self, name: &str, shape: &[usize]) {
        self.text(name);
        self.0.push(shape.len() as u8);
        shape.iter().for_each(|dimension| self.number(*dimension));
        self.0.push(0);
        let count = shape.iter().product::<usize>();
        self.number(count * 4);
        (0..count).for_each(|i| self.0.extend((i as f32 / 64.0).to_le_bytes()));
    }
}

const WIDTH: usize = 64;

fn model(specification: &str) -> Vec<u8> {
    let mut variables = vec![
        ("encoder/conv1/weight".to_owned(), vec![WIDTH, 80, 3]),
        ("encoder/conv1/bias".to_owned(), vec![WIDTH]),
        ("encoder/conv2/weight".to_owned(), vec![WIDTH, WIDTH, 3]),
        ("encoder/conv2/bias".to_owned(), vec![WIDTH]),
        ("encoder/position_encodings/encodings".to_owned(), vec![15, WIDTH]),
        ("decoder/position_encodings/encodings".to_owned(), vec![7, WIDTH]),
        ("decoder/embeddings/weight".to_owned(), vec![3, WIDTH]),
    ];
    let mut linear = |name: &str, rows: usize| {
        variables.push((format!("{name}/weight"), vec![rows, WIDTH]));
        variables.push((format!("{name}/bias"), vec![rows]));
    };
    for side in ["encoder", "decoder"] {
        linear(&format!("{side}/layer_0/self_attention/linear_0"), 3 * WIDTH);
        linear(&format!("{side}/layer_0/self_attention/linear_1"), WIDTH);
        linear(&format!("{side}/layer_0/ffn/linear_0"), WIDTH);
        linear(&format!("{side}/layer_0/ffn/linear_1"), WIDTH);
    }
    linear("decoder/layer_0/attention/linear_0", WIDTH);
    linear("decoder/layer_0/attention/linear_1", 2 * WIDTH);
    linear("decoder/layer_0/attention/linear_2", WIDTH);
    for norm in [
        "encoder/layer_norm",
        "decoder/layer_norm",
        "encoder/layer_0/self_attention/layer_norm",
        "decoder/layer_0/self_attention/layer_norm",
        "decoder/layer_0/attention/layer_norm",
        "encoder/layer_0/ffn/layer_norm",
        "decoder/layer_0/ffn/layer_norm",
    ] {
        variables.push((format!("{norm}/gamma"), vec![WIDTH]));
        variables.push((format!("{norm}/beta"), vec![WIDTH]));
    }

    let mut writer = Writer(Vec::new());
    writer.number(6);
    writer.text(specification);
    writer.number(3);
    writer.number(variables.len());
    for (name, shape) in &variables {
        writer.variable(name, shape);
    }
    writer.0
}

fn converted() -> Vec<u8> {
    let mut out = Vec::new();
    convert(&model("WhisperSpec"), "a\nĠb\n<|endoftext|>", &mut out).unwrap();
    out
}

fn numbers(bytes: &[u8], count: usize) -> Vec<i32> {
    bytes.as_chunks().0.iter().take(count).map(|b| i32::from_le_bytes(*b)).collect()
}

#[test]
fn the_file_begins_with_what_the_model_is() {
    let file = converted();

    assert_eq!(&file[..4], b"lmgg");
    assert_eq!(numbers(&file[4..], 11), [3, 15, 64, 1, 1, 7, 64, 1, 1, 80, 2007]);
    let words = 48 + 8 + 80 * 201 * 4;
    assert_eq!(numbers(&file[48..], 2), [80, 201]);
    assert_eq!(file[words..words + 15], *b"\x02\0\0\0\x01\0\0\0a\x02\0\0\0 b");
}

#[test]
fn every_tensor_is_written_once_in_its_form() {
    let file = converted();
    let mut rest = &file[48 + 8 + 80 * 201 * 4 + 15..];
    let mut tensors = Vec::new();

    while !rest.is_empty() {
        let head = numbers(rest, 3);
        let (dimensions, name_length) = (head[0] as usize, head[1] as usize);
        let shape = numbers(&rest[12..], dimensions);
        let name = String::from_utf8(rest[12 + 4 * dimensions..][..name_length].to_vec()).unwrap();
        let count = shape.iter().product::<i32>() as usize;
        let length = match head[2] {
            0 => count * 4,
            1 => count * 2,
            8 => count / 32 * 34,
            other => panic!("{name} has the type {other}"),
        };
        rest = &rest[12 + 4 * dimensions + name_length + length..];
        tensors.push((name, head[2], shape));
    }

    assert_eq!(tensors.len(), 7 + 4 + 15 + 24);
    let has = |name: &str, kind: i32, shape: &[i32]| tensors.contains(&(name.into(), kind, shape.to_vec()));
    assert!(has("encoder.conv1.weight", 1, &[3, 80, 64]));
    assert!(has("encoder.conv1.bias", 0, &[1, 64]));
    assert!(has("encoder.positional_embedding", 0, &[64, 15]));
    assert!(has("decoder.blocks.0.cross_attn.value.weight", 8, &[64, 64]));
    assert!(!tensors.iter().any(|(name, ..)| name.ends_with("attn.key.bias")));
}

#[test]
fn the_slices_of_a_joint_projection_are_its_thirds() {
    let file = model("WhisperSpec");
    let variables = ctranslate2::read(&file).unwrap();
    let together = &variables["encoder/layer_0/self_attention/linear_0/bias"];

    let values = together.slice(1, 3).unwrap().values();

    assert_eq!((values.len(), values[0], values[63]), (64, 1.0, 127.0 / 64.0));
    assert!(together.slice(0, 5).is_err());
}

#[test]
fn what_is_no_whisper_model_or_ends_too_early_is_refused() {
    let mut out = Vec::new();
    let other = convert(&model("TransformerSpec"), "", &mut out).unwrap_err();
    let whole = model("WhisperSpec");
    let cut = convert(&whole[..whole.len() - 1], "", &mut out).unwrap_err();

    assert_eq!(other.root_cause().to_string(), "it is no Whisper model but a TransformerSpec");
    assert_eq!(cut.root_cause().to_string(), "the file ends too early");
}
