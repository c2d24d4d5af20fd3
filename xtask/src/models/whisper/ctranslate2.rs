//! Reads the variables of a CTranslate2 `model.bin`.

use std::collections::HashMap;

use anyhow::{Context, bail};
use half::f16;

/// One variable: its shape, outermost first, and its values still as bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable<'a> {
    pub shape: Vec<usize>,
    kind: Kind,
    bytes: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float32,
    Float16,
}

/// All variables that hold floating-point numbers, by name.
pub type Variables<'a> = HashMap<String, Variable<'a>>;

/// Reads a whole file.
///
/// # Errors
///
/// It is no Whisper model, too old, or ends too early.
pub fn read(file: &[u8]) -> anyhow::Result<Variables<'_>> {
    let mut reader = Reader { rest: file };
    let version = reader.u32()?;
    let specification = reader.text()?;
    if specification != "WhisperSpec" {
        bail!("it is no Whisper model but a {specification}");
    }
    if version < 4 {
        bail!("version {version} of the format is too old");
    }
    let _revision = reader.u32()?;
    let count = reader.u32()?;
    let mut variables = HashMap::new();
    for _ in 0..count {
        let name = reader.text()?;
        let dimensions = reader.u8()?;
        let shape = (0..dimensions).map(|_| reader.u32().map(|d| d as usize)).collect::<Result<_, _>>()?;
        let kind = reader.u8()?;
        let length = reader.u32()? as usize;
        let bytes = reader.bytes(length)?;
        // Whole numbers are settings of CTranslate2, except for 8-bit weights, whose absence is noticed later.
        if let Some(kind) = Kind::from_code(kind) {
            variables.insert(name, Variable { shape, kind, bytes });
        }
    }
    Ok(variables)
}

impl Kind {
    fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Float32),
            4 => Some(Self::Float16),
            _ => None,
        }
    }

    fn size(self) -> usize {
        match self {
            Self::Float32 => 4,
            Self::Float16 => 2,
        }
    }
}

impl<'a> Variable<'a> {
    /// The values as 32-bit numbers.
    pub fn values(&self) -> Vec<f32> {
        match self.kind {
            Kind::Float32 => self.bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
            Kind::Float16 => {
                self.bytes.as_chunks().0.iter().map(|b| f16::from_le_bytes(*b).to_f32()).collect()
            }
        }
    }

    /// The `part`-th of `parts` equal slices along the outermost dimension.
    ///
    /// # Errors
    ///
    /// It cannot be cut like that.
    pub fn slice(&self, part: usize, parts: usize) -> anyhow::Result<Variable<'a>> {
        let rows = *self.shape.first().context("a single number has no rows")?;
        if rows % parts != 0 {
            bail!("{rows} rows cannot be cut into {parts} parts");
        }
        let row_bytes = self.shape[1..].iter().product::<usize>() * self.kind.size();
        let length = rows / parts * row_bytes;
        let bytes =
            self.bytes.get(part * length..(part + 1) * length).context("a variable ends too early")?;
        let shape = [&[rows / parts], &self.shape[1..]].concat();
        Ok(Variable { shape, kind: self.kind, bytes })
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> anyhow::Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).context("the file ends too early")?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> anyhow::Result<[u8; N]> {
        Ok(self.bytes(N)?.try_into()?)
    }

    fn u8(&mut self) -> anyhow::Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    fn u32(&mut self) -> anyhow::Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// A length in two bytes, then the text, which may end in zeros.
    fn text(&mut self) -> anyhow::Result<String> {
        let length = u16::from_le_bytes(self.array()?) as usize;
        let bytes = self.bytes(length)?;
        Ok(std::str::from_utf8(bytes)?.trim_end_matches('\0').to_owned())
    }
}
