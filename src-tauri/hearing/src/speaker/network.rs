//! The network from the bands of the mel scale to the embedding: CAM++, 7 million weights.
//!
//! Source: Wang et al., "CAM++: A Fast and Efficient Network for Speaker Verification Using Context-Aware Masking", 2023;
//! the names and sizes are those of the checkpoint.

use std::io;

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use super::checkpoint::Checkpoint;
use super::features::BANDS;
use super::layers::{Norm, Picture, PictureConvolution, TimeConvolution};

/// Numbers of an embedding.
pub(super) const EMBEDDING: usize = 192;
/// Channels of the pictures in front.
const PICTURES: usize = 32;
/// Channels after the first convolution over time.
const FIRST: usize = 128;
/// Channels that each layer of a block adds.
const GROWTH: usize = 32;
/// Channels inside a layer.
const INNER: usize = 128;
/// Moments whose mean is one context of a layer.
const CONTEXT: usize = 100;
/// The blocks: their layers, and the distance between the moments that a layer looks at.
const BLOCKS: [(usize, usize); 3] = [(12, 1), (24, 2), (16, 2)];

/// The network with its weights.
pub(super) struct Network {
    front: Front,
    first: TimeConvolution,
    blocks: Vec<Block>,
    last_norm: Norm,
    embedding: TimeConvolution,
}

impl Network {
    /// Takes the weights out of a checkpoint.
    pub fn read(checkpoint: &mut Checkpoint) -> io::Result<Self> {
        let front = Front::read(checkpoint)?;
        let inputs = PICTURES * BANDS / 8;
        let norm = Norm::read(checkpoint, "xvector.tdnn.nonlinear.batchnorm", FIRST)?;
        let first = TimeConvolution::read(checkpoint, "xvector.tdnn.linear", (inputs, FIRST, 5))?;
        let (mut channels, mut blocks) = (FIRST, Vec::new());
        for (number, (layers, dilation)) in (1..).zip(BLOCKS) {
            blocks.push(Block::read(checkpoint, number, channels, layers, dilation)?);
            channels = (channels + layers * GROWTH) / 2;
        }
        let last_norm = Norm::read(checkpoint, "xvector.out_nonlinear.batchnorm", channels)?;
        let norm_of_embedding = Norm::read(checkpoint, "xvector.dense.nonlinear.batchnorm", EMBEDDING)?;
        let embedding =
            TimeConvolution::read(checkpoint, "xvector.dense.linear", (2 * channels, EMBEDDING, 1))?;
        Ok(Self {
            front,
            first: first.with_stride(2).followed_by(&norm),
            blocks,
            last_norm,
            embedding: embedding.followed_by(&norm_of_embedding),
        })
    }

    /// The embedding of at least four rows of bands; its length is not 1.
    pub fn embed(&self, bands: &Array2<f32>) -> Vec<f32> {
        let mut channels = self.first.apply(&self.front.apply(bands).view());
        channels.mapv_inplace(|value| value.max(0.0));
        for block in &self.blocks {
            channels = block.apply(&channels.view());
        }
        let channels = self.last_norm.rectified(&channels.view());
        let mean = channels.mean_axis(Axis(1)).unwrap_or_else(|| Array1::zeros(channels.nrows()));
        let spread = channels.std_axis(Axis(1), 1.0);
        let statistics = concatenate![Axis(0), mean, spread].insert_axis(Axis(1));
        self.embedding.apply(&statistics.view()).into_raw_vec_and_offset().0
    }
}

/// The convolutions over the picture of bands and moments.
struct Front {
    first: PictureConvolution,
    residuals: Vec<Residual>,
    last: PictureConvolution,
}

impl Front {
    fn read(checkpoint: &mut Checkpoint) -> io::Result<Self> {
        let mut residuals = Vec::new();
        for (name, stride) in [("layer1.0", 2), ("layer1.1", 1), ("layer2.0", 2), ("layer2.1", 1)] {
            residuals.push(Residual::read(checkpoint, &format!("head.{name}"), stride)?);
        }
        let (one, all) = ((1, PICTURES, 3), (PICTURES, PICTURES, 3));
        Ok(Self {
            first: PictureConvolution::read(checkpoint, ("head.conv1", "head.bn1"), one, 1)?,
            residuals,
            last: PictureConvolution::read(checkpoint, ("head.conv2", "head.bn2"), all, 2)?,
        })
    }

    /// A row for each channel and band that is left, a column for each moment.
    fn apply(&self, bands: &Array2<f32>) -> Array2<f32> {
        let moments = bands.nrows();
        let picture = bands.t().iter().copied().collect::<Array1<f32>>().insert_axis(Axis(0));
        let mut picture = self.first.apply(&Picture { channels: picture, height: BANDS }).rectified();
        for residual in &self.residuals {
            picture = residual.apply(&picture);
        }
        let Picture { channels, height } = self.last.apply(&picture).rectified();
        let values = channels.into_raw_vec_and_offset().0;
        Array2::from_shape_vec((PICTURES * height, moments), values)
            .expect("a picture has a row for each band and a column for each moment")
    }
}

/// Two convolutions, beside which the input goes past.
struct Residual {
    first: PictureConvolution,
    second: PictureConvolution,
    /// Shortens the input where the convolutions do.
    shortcut: Option<PictureConvolution>,
}

impl Residual {
    fn read(checkpoint: &mut Checkpoint, name: &str, stride: usize) -> io::Result<Self> {
        let mut read = |(convolution, norm): (&str, &str), side, stride| {
            let names = (format!("{name}.{convolution}"), format!("{name}.{norm}"));
            PictureConvolution::read(checkpoint, (&names.0, &names.1), (PICTURES, PICTURES, side), stride)
        };
        Ok(Self {
            first: read(("conv1", "bn1"), 3, stride)?,
            second: read(("conv2", "bn2"), 3, 1)?,
            shortcut: (stride != 1).then(|| read(("shortcut.0", "shortcut.1"), 1, stride)).transpose()?,
        })
    }

    fn apply(&self, input: &Picture) -> Picture {
        let output = self.second.apply(&self.first.apply(input).rectified());
        match &self.shortcut {
            Some(shortcut) => output.plus(&shortcut.apply(input)),
            None => output.plus(input),
        }
        .rectified()
    }
}

/// Layers that each read what all layers before them wrote.
struct Block {
    layers: Vec<Layer>,
    norm: Norm,
    transit: TimeConvolution,
}

impl Block {
    fn read(
        checkpoint: &mut Checkpoint,
        number: usize,
        inputs: usize,
        layers: usize,
        dilation: usize,
    ) -> io::Result<Self> {
        let layer = |at: usize| {
            let name = format!("xvector.block{number}.tdnnd{}", at + 1);
            Layer::read(checkpoint, &name, inputs + at * GROWTH, dilation)
        };
        let read: io::Result<Vec<Layer>> = (0..layers).map(layer).collect();
        let outputs = inputs + layers * GROWTH;
        let transit = format!("xvector.transit{number}");
        Ok(Self {
            layers: read?,
            norm: Norm::read(checkpoint, &format!("{transit}.nonlinear.batchnorm"), outputs)?,
            transit: TimeConvolution::read(
                checkpoint,
                &format!("{transit}.linear"),
                (outputs, outputs / 2, 1),
            )?,
        })
    }

    fn apply(&self, input: &ArrayView2<'_, f32>) -> Array2<f32> {
        let (inputs, moments) = input.dim();
        let mut channels = Array2::zeros((inputs + self.layers.len() * GROWTH, moments));
        channels.slice_mut(s![..inputs, ..]).assign(input);
        for (at, layer) in self.layers.iter().enumerate() {
            let known = inputs + at * GROWTH;
            let output = layer.apply(&channels.slice(s![..known, ..]));
            channels.slice_mut(s![known..known + GROWTH, ..]).assign(&output);
        }
        self.transit.apply(&self.norm.rectified(&channels.view()).view())
    }
}

/// A convolution over time, weighed by its context.
struct Layer {
    norm: Norm,
    inner: TimeConvolution,
    local: TimeConvolution,
    narrow: TimeConvolution,
    weigh: TimeConvolution,
}

impl Layer {
    fn read(checkpoint: &mut Checkpoint, name: &str, inputs: usize, dilation: usize) -> io::Result<Self> {
        let norm_of_inner = Norm::read(checkpoint, &format!("{name}.nonlinear2.batchnorm"), INNER)?;
        let mut read = |part: &str, size| TimeConvolution::read(checkpoint, &format!("{name}.{part}"), size);
        Ok(Self {
            inner: read("linear1", (inputs, INNER, 1))?.followed_by(&norm_of_inner),
            local: read("cam_layer.linear_local", (INNER, GROWTH, 3))?.with_dilation(dilation),
            narrow: read("cam_layer.linear1", (INNER, INNER / 2, 1))?,
            weigh: read("cam_layer.linear2", (INNER / 2, GROWTH, 1))?,
            norm: Norm::read(checkpoint, &format!("{name}.nonlinear1.batchnorm"), inputs)?,
        })
    }

    fn apply(&self, input: &ArrayView2<'_, f32>) -> Array2<f32> {
        let mut inner = self.inner.apply(&self.norm.rectified(input).view());
        inner.mapv_inplace(|value| value.max(0.0));
        let mut output = self.local.apply(&inner.view());
        let weights = self.weights(&inner);
        for (mut part, weights) in output.axis_chunks_iter_mut(Axis(1), CONTEXT).zip(weights.columns()) {
            part *= &weights.insert_axis(Axis(1));
        }
        output
    }

    /// The weight of each output channel, a column for each context.
    fn weights(&self, inner: &Array2<f32>) -> Array2<f32> {
        let mean = |part: ArrayView2<'_, f32>| part.sum_axis(Axis(1)) / part.ncols() as f32;
        let contexts: Vec<Array1<f32>> = inner.axis_chunks_iter(Axis(1), CONTEXT).map(mean).collect();
        let mut all = Array2::zeros((INNER, contexts.len()));
        for (mut column, context) in all.columns_mut().into_iter().zip(contexts) {
            column.assign(&(context + mean(inner.view())));
        }
        let mut narrow = self.narrow.apply(&all.view());
        narrow.mapv_inplace(|value| value.max(0.0));
        self.weigh.apply(&narrow.view()).mapv(|value| 1.0 / (1.0 + (-value).exp()))
    }
}
