//! From CTranslate2's names to those of the original model, which whisper.cpp uses.

use anyhow::Context;

use super::ctranslate2::{Variable, Variables};

/// A tensor under its original name.
pub struct Named<'a> {
    pub name: String,
    pub shape: Vec<usize>,
    pub variable: Variable<'a>,
}

/// All tensors of the model, in the order in which they are written.
///
/// # Errors
///
/// One is missing, as in a model whose weights are quantised already.
pub fn rename<'a>(variables: &Variables<'a>) -> anyhow::Result<Vec<Named<'a>>> {
    let mut tensors = Tensors { variables, named: Vec::new() };
    for number in [1, 2] {
        tensors.take(format!("encoder.conv{number}.weight"), &format!("encoder/conv{number}/weight"))?;
        tensors.take(format!("encoder.conv{number}.bias"), &format!("encoder/conv{number}/bias"))?;
    }
    for side in ["encoder", "decoder"] {
        let positions = format!("{side}/position_encodings/encodings");
        tensors.take(format!("{side}.positional_embedding"), &positions)?;
    }
    tensors.take("decoder.token_embedding.weight".into(), "decoder/embeddings/weight")?;
    tensors.norm("encoder.ln_post", "encoder/layer_norm")?;
    tensors.norm("decoder.ln", "decoder/layer_norm")?;
    for side in ["encoder", "decoder"] {
        for layer in 0..layers(variables, side) {
            tensors.block(side, layer)?;
        }
    }
    Ok(tensors.named)
}

/// The number of layers that a side has: one more than the highest number there is.
fn layers(variables: &Variables<'_>, side: &str) -> usize {
    let number = |name: &str| -> Option<usize> {
        name.strip_prefix(side)?.strip_prefix("/layer_")?.split('/').next()?.parse().ok()
    };
    variables.keys().filter_map(|name| number(name)).max().map_or(0, |highest| highest + 1)
}

struct Tensors<'a, 'b> {
    variables: &'b Variables<'a>,
    named: Vec<Named<'a>>,
}

impl<'a> Tensors<'a, '_> {
    fn variable(&self, source: &str) -> anyhow::Result<&Variable<'a>> {
        let missing =
            || format!("the model has no {source} in floating point; quantised weights cannot be used");
        self.variables.get(source).with_context(missing)
    }

    fn push(&mut self, name: String, variable: Variable<'a>) {
        self.named.push(Named { name, shape: variable.shape.clone(), variable });
    }

    fn take(&mut self, name: String, source: &str) -> anyhow::Result<()> {
        let variable = self.variable(source)?.clone();
        self.push(name, variable);
        Ok(())
    }

    fn norm(&mut self, name: &str, source: &str) -> anyhow::Result<()> {
        self.take(format!("{name}.weight"), &format!("{source}/gamma"))?;
        self.take(format!("{name}.bias"), &format!("{source}/beta"))
    }

    fn linear(&mut self, name: &str, source: &str) -> anyhow::Result<()> {
        self.take(format!("{name}.weight"), &format!("{source}/weight"))?;
        self.take(format!("{name}.bias"), &format!("{source}/bias"))
    }

    /// One of the projections that CTranslate2 keeps in one piece.
    fn slice(
        &mut self,
        name: &str,
        source: &str,
        part: usize,
        parts: usize,
        bias: Bias,
    ) -> anyhow::Result<()> {
        let weight = self.variable(&format!("{source}/weight"))?.slice(part, parts)?;
        self.push(format!("{name}.weight"), weight);
        if bias == Bias::Kept {
            let bias = self.variable(&format!("{source}/bias"))?.slice(part, parts)?;
            self.push(format!("{name}.bias"), bias);
        }
        Ok(())
    }

    fn block(&mut self, side: &str, layer: usize) -> anyhow::Result<()> {
        let (to, from) = (format!("{side}.blocks.{layer}"), format!("{side}/layer_{layer}"));
        let together = format!("{from}/self_attention/linear_0");
        self.norm(&format!("{to}.attn_ln"), &format!("{from}/self_attention/layer_norm"))?;
        self.slice(&format!("{to}.attn.query"), &together, 0, 3, Bias::Kept)?;
        // The keys of Whisper have no bias; CTranslate2 fills in zeros.
        self.slice(&format!("{to}.attn.key"), &together, 1, 3, Bias::Dropped)?;
        self.slice(&format!("{to}.attn.value"), &together, 2, 3, Bias::Kept)?;
        self.linear(&format!("{to}.attn.out"), &format!("{from}/self_attention/linear_1"))?;
        if side == "decoder" {
            let cross = format!("{from}/attention");
            let together = format!("{cross}/linear_1");
            self.norm(&format!("{to}.cross_attn_ln"), &format!("{cross}/layer_norm"))?;
            self.linear(&format!("{to}.cross_attn.query"), &format!("{cross}/linear_0"))?;
            self.slice(&format!("{to}.cross_attn.key"), &together, 0, 2, Bias::Dropped)?;
            self.slice(&format!("{to}.cross_attn.value"), &together, 1, 2, Bias::Kept)?;
            self.linear(&format!("{to}.cross_attn.out"), &format!("{cross}/linear_2"))?;
        }
        self.norm(&format!("{to}.mlp_ln"), &format!("{from}/ffn/layer_norm"))?;
        self.linear(&format!("{to}.mlp.0"), &format!("{from}/ffn/linear_0"))?;
        self.linear(&format!("{to}.mlp.2"), &format!("{from}/ffn/linear_1"))
    }
}

#[derive(PartialEq, Eq)]
enum Bias {
    Kept,
    Dropped,
}
