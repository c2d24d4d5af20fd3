//! Whisper weights of CTranslate2 to the file that whisper.cpp loads, quantised to 8 bits.
//!
//! The file, little endian, in order: `u32` magic "ggml"; eleven `i32` hyper-parameters; `i32` number of mel bands,
//! `i32` number of frequencies, the filters as `f32`; `i32` number of tokens, each a `u32` length and its bytes; then
//! the tensors up to the end, each `i32` dimensions, length of the name, type, then the dimensions innermost first, the
//! name, the data. The same weights give the same bytes on every machine.

mod ctranslate2; // reads
mod names; // what whisper.cpp calls each tensor
mod vocabulary;
mod mel;
mod tensor; // quantises

use std::io::Write;

use anyhow::Context;

use names::Named;

const MAGIC: u32 = 0x6767_6d6c;

/// "Mostly q8_0" in version 2 of the quantised formats. Source: ggml's `GGML_FTYPE_MOSTLY_Q8_0` and `GGML_QNT_VERSION`.
const FILE_TYPE: i32 = 2 * 1000 + 7;

/// Every Whisper model has attention heads of this width.
const HEAD_WIDTH: usize = 64;

/// Converts `model` (a CTranslate2 `model.bin` with unquantised weights) and its vocabulary, one token a line.
///
/// # Errors
///
/// The model is no Whisper model, is quantised already, or ends too early.
pub fn convert(model: &[u8], vocabulary: &str, out: &mut impl Write) -> anyhow::Result<()> {
    let variables = ctranslate2::read(model).context("reading the weights")?;
    let tensors = names::rename(&variables)?;
    let words = vocabulary::tokens(vocabulary)?;

    for value in hyper_parameters(&tensors)? {
        out.write_all(&value.to_le_bytes())?;
    }
    let bands = find(&tensors, "encoder.conv1.weight")?.shape[1];
    out.write_all(&(bands as i32).to_le_bytes())?;
    out.write_all(&(mel::FREQUENCIES as i32).to_le_bytes())?;
    for value in mel::filters(bands) {
        out.write_all(&value.to_le_bytes())?;
    }
    out.write_all(&(words.len() as i32).to_le_bytes())?;
    for word in words {
        out.write_all(&(word.len() as u32).to_le_bytes())?;
        out.write_all(&word)?;
    }
    tensors.iter().try_for_each(|tensor| tensor.write(out))
}

fn hyper_parameters(tensors: &[Named]) -> anyhow::Result<[i32; 12]> {
    let embedding = &find(tensors, "decoder.token_embedding.weight")?.shape;
    let (tokens, width) = (embedding[0], embedding[1]);
    let layers = |side: &str| {
        let is_layer = |name: &str| name.starts_with(side) && name.ends_with(".mlp_ln.bias");
        tensors.iter().filter(|tensor| is_layer(&tensor.name)).count()
    };
    let positions = |name| Ok::<_, anyhow::Error>(find(tensors, name)?.shape[0]);
    let heads = width / HEAD_WIDTH;
    let sizes = [
        tokens,
        positions("encoder.positional_embedding")?,
        width,
        heads,
        layers("encoder."),
        positions("decoder.positional_embedding")?,
        width,
        heads,
        layers("decoder."),
        find(tensors, "encoder.conv1.weight")?.shape[1],
    ];
    let mut all = [MAGIC as i32; 12];
    for (slot, size) in all[1..].iter_mut().zip(sizes) {
        *slot = i32::try_from(size)?;
    }
    all[11] = FILE_TYPE;
    Ok(all)
}

fn find<'a, 'b>(tensors: &'b [Named<'a>], name: &str) -> anyhow::Result<&'b Named<'a>> {
    tensors.iter().find(|tensor| tensor.name == name).with_context(|| format!("the model has no {name}"))
}

#[cfg(test)]
mod tests;
