//! Tensors as ggml writes them: the large ones in blocks of 8-bit numbers.

use std::io::Write;

use half::f16;

use super::names::Named;

/// Numbers that share one scale.
const BLOCK: usize = 32;

/// The way the numbers of a tensor are written. The values are ggml's own codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Float32 = 0,
    Float16 = 1,
    Blocks8 = 8,
}

impl Named<'_> {
    /// Writes the tensor with its name, type and dimensions.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let mut shape = self.shape.clone();
        if self.is_convolution_bias() {
            // whisper.cpp adds it to every column.
            shape.push(1);
        }
        let form = self.form();
        for number in [shape.len(), self.name.len(), form as usize] {
            out.write_all(&i32::try_from(number)?.to_le_bytes())?;
        }
        for dimension in shape.iter().rev() {
            out.write_all(&i32::try_from(*dimension)?.to_le_bytes())?;
        }
        out.write_all(self.name.as_bytes())?;
        let values = self.variable.values();
        match form {
            Form::Float32 => values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))?,
            Form::Float16 => {
                values.iter().try_for_each(|value| out.write_all(&f16::from_f32(*value).to_le_bytes()))?;
            }
            Form::Blocks8 => values.chunks(BLOCK).try_for_each(|block| out.write_all(&in_8_bits(block)))?,
        }
        Ok(())
    }

    /// Only matrices are quantised; vectors and positions stay as exact as they are, and so do the convolutions, whose
    /// rows are shorter than a block.
    fn form(&self) -> Form {
        let width = self.shape.last().copied().unwrap_or_default();
        if self.shape.len() < 2 || self.name.ends_with("positional_embedding") {
            Form::Float32
        } else if self.shape.len() == 2 && width % BLOCK == 0 {
            Form::Blocks8
        } else {
            Form::Float16
        }
    }

    fn is_convolution_bias(&self) -> bool {
        matches!(self.name.as_str(), "encoder.conv1.bias" | "encoder.conv2.bias")
    }
}

/// A block in ggml's `q8_0`: the scale in two bytes, then a byte for each number. Halves are rounded away from zero.
fn in_8_bits(block: &[f32]) -> Vec<u8> {
    let largest = block.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let scale = largest / 127.0;
    let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
    let mut bytes = f16::from_f32(scale).to_le_bytes().to_vec();
    bytes.extend(block.iter().map(|value| {
        let scaled = value * inverse;
        (scaled.abs() + 0.5).floor().copysign(scaled) as i8 as u8
    }));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_keeps_its_largest_number_and_rounds_halves_away_from_zero() {
        let mut block = [0.0; BLOCK];
        (block[0], block[1], block[2], block[3]) = (127.0, -127.0, 1.5, -2.5);

        let bytes = in_8_bits(&block);

        let numbers: Vec<_> = bytes[2..].iter().map(|byte| *byte as i8).collect();
        assert_eq!(f16::from_le_bytes([bytes[0], bytes[1]]), f16::ONE);
        assert_eq!((bytes.len(), &numbers[..5]), (34, &[127, -127, 2, -3, 0][..]));
    }

    #[test]
    fn a_block_of_nothing_is_nothing() {
        assert_eq!(in_8_bits(&[0.0; BLOCK]), [0; 34]);
    }
}
