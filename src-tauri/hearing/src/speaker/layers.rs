//! The layers of the network, with the normalisation of a layer folded into its weights if nothing lies between.

use std::io;

use ndarray::{Array1, Array2, ArrayView2, Axis, Zip, s};

use super::checkpoint::Checkpoint;

/// Added to a variance before its root is taken. Source: the default of PyTorch, which the model was trained with.
const EPSILON: f32 = 1e-5;

/// A normalisation of each channel, as it was learned.
pub(super) struct Norm {
    scale: Array1<f32>,
    shift: Array1<f32>,
}

impl Norm {
    /// Reads the normalisation of this name. The last one of the network has no weights of its own.
    pub fn read(checkpoint: &mut Checkpoint, name: &str, channels: usize) -> io::Result<Self> {
        let mut take = |part: &str| checkpoint.take(&format!("{name}.{part}"), &[channels]).map(Array1::from);
        let (mean, variance) = (take("running_mean")?, take("running_var")?);
        let mut scale = variance.mapv(|variance| 1.0 / (variance + EPSILON).sqrt());
        let mut shift = -mean * &scale;
        if checkpoint.has(&format!("{name}.weight")) {
            let mut take =
                |part: &str| checkpoint.take(&format!("{name}.{part}"), &[channels]).map(Array1::from);
            let (weight, bias) = (take("weight")?, take("bias")?);
            shift = shift * &weight + bias;
            scale *= &weight;
        }
        Ok(Self { scale, shift })
    }

    /// Normalises each channel, and makes negative numbers zero.
    pub fn rectified(&self, input: &ArrayView2<'_, f32>) -> Array2<f32> {
        let mut output = input.to_owned();
        for ((mut row, scale), shift) in output.rows_mut().into_iter().zip(&self.scale).zip(&self.shift) {
            row.mapv_inplace(|value| (value * scale + shift).max(0.0));
        }
        output
    }
}

/// A convolution over time. Its input is filled up with zeros, so that only the stride shortens it.
pub(super) struct TimeConvolution {
    /// A row for each output; a column for each input and place.
    weights: Array2<f32>,
    bias: Array1<f32>,
    places: usize,
    stride: usize,
    dilation: usize,
}

/// The channels that go into a convolution over time, those that come out, and the places that it looks at.
pub(super) type Size = (usize, usize, usize);

impl TimeConvolution {
    /// Reads the convolution of this name, with its bias if it has one.
    pub fn read(
        checkpoint: &mut Checkpoint,
        name: &str,
        (inputs, outputs, places): Size,
    ) -> io::Result<Self> {
        let weights = checkpoint.take(&format!("{name}.weight"), &[outputs, inputs, places])?;
        let bias = format!("{name}.bias");
        let bias = if checkpoint.has(&bias) {
            checkpoint.take(&bias, &[outputs])?.into()
        } else {
            Array1::zeros(outputs)
        };
        let weights = matrix(weights, (outputs, inputs * places))?;
        Ok(Self { weights, bias, places, stride: 1, dilation: 1 })
    }

    pub fn with_stride(self, stride: usize) -> Self {
        Self { stride, ..self }
    }

    pub fn with_dilation(self, dilation: usize) -> Self {
        Self { dilation, ..self }
    }

    /// Folds a normalisation of the output in.
    pub fn followed_by(mut self, norm: &Norm) -> Self {
        self.bias = self.bias * &norm.scale + &norm.shift;
        self.weights *= &norm.scale.view().insert_axis(Axis(1));
        self
    }

    pub fn apply(&self, input: &ArrayView2<'_, f32>) -> Array2<f32> {
        let mut output =
            if self.places == 1 { self.weights.dot(input) } else { self.weights.dot(&self.columns(input)) };
        output += &self.bias.view().insert_axis(Axis(1));
        output
    }

    /// The inputs of each place, side by side.
    fn columns(&self, input: &ArrayView2<'_, f32>) -> Array2<f32> {
        let (channels, length) = input.dim();
        let padding = (self.places - 1) / 2 * self.dilation;
        let mut columns = Array2::zeros((channels * self.places, length.div_ceil(self.stride)));
        for (row, mut column) in columns.rows_mut().into_iter().enumerate() {
            let (channel, place) = (input.row(row / self.places), row % self.places);
            for (at, value) in column.iter_mut().enumerate() {
                let from = (at * self.stride + place * self.dilation).checked_sub(padding);
                *value = from.and_then(|from| channel.get(from)).copied().unwrap_or_default();
            }
        }
        columns
    }
}

/// Channels of pictures with a row for each band and a column for each moment.
pub(super) struct Picture {
    /// A row for each channel, with the rows of its picture one after the other.
    pub channels: Array2<f32>,
    pub height: usize,
}

impl Picture {
    fn width(&self) -> usize {
        self.channels.ncols() / self.height
    }

    /// Makes negative numbers zero.
    pub fn rectified(mut self) -> Self {
        self.channels.mapv_inplace(|value| value.max(0.0));
        self
    }

    /// Adds another picture of the same size.
    pub fn plus(mut self, other: &Self) -> Self {
        self.channels += &other.channels;
        self
    }
}

/// A convolution over pictures and the normalisation of its output. Its stride is along the height.
pub(super) struct PictureConvolution {
    weights: Array2<f32>,
    bias: Array1<f32>,
    /// The side of the square that it looks at: 1 or 3.
    side: usize,
    stride: usize,
}

impl PictureConvolution {
    /// Reads the convolution and the normalisation of these names.
    pub fn read(
        checkpoint: &mut Checkpoint,
        (name, norm): (&str, &str),
        (inputs, outputs, side): Size,
        stride: usize,
    ) -> io::Result<Self> {
        let weights = checkpoint.take(&format!("{name}.weight"), &[outputs, inputs, side, side])?;
        let norm = Norm::read(checkpoint, norm, outputs)?;
        let weights = matrix(weights, (outputs, inputs * side * side))?;
        let weights = weights * norm.scale.view().insert_axis(Axis(1));
        Ok(Self { weights, bias: norm.shift, side, stride })
    }

    pub fn apply(&self, input: &Picture) -> Picture {
        let height = input.height.div_ceil(self.stride);
        let mut channels = self.weights.dot(&self.columns(input, height));
        channels += &self.bias.view().insert_axis(Axis(1));
        Picture { channels, height }
    }

    fn columns(&self, input: &Picture, height: usize) -> Array2<f32> {
        let (width, square) = (input.width(), self.side * self.side);
        let padding = (self.side - 1) / 2;
        let mut columns = Array2::zeros((input.channels.nrows() * square, height * width));
        for (row, mut column) in columns.rows_mut().into_iter().enumerate() {
            let channel = input.channels.row(row / square);
            let (down, right) = (row % square / self.side, row % self.side);
            for line in 0..height {
                let from =
                    (line * self.stride + down).checked_sub(padding).filter(|from| *from < input.height);
                let Some(from) = from else { continue };
                // The part of the line that stays inside the picture when it is moved.
                let (to, first) = (padding.saturating_sub(right), right.saturating_sub(padding));
                let count = width.saturating_sub(to + first);
                let mut target = column.slice_mut(s![line * width + to..line * width + to + count]);
                let source = channel.slice(s![from * width + first..from * width + first + count]);
                Zip::from(&mut target).and(&source).for_each(|target, source| *target = *source);
            }
        }
        columns
    }
}

fn matrix(values: Vec<f32>, shape: (usize, usize)) -> io::Result<Array2<f32>> {
    Array2::from_shape_vec(shape, values).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
