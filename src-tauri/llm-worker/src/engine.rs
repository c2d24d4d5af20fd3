//! What is done: orders are carried out one after the other, in the order they came.

use std::path::Path;
use std::sync::mpsc::Receiver;

use anyhow::{Context, Result, ensure};
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llm::embedded::protocol::{Failure, Order, Report, RequestId};

use crate::loaded::Loaded;
use crate::orders::{self, Stops};
use crate::reports::tell;
use crate::threads::threads;

/// What is to be loaded.
pub(crate) struct Load {
    pub(crate) id: RequestId,
    pub(crate) path: std::path::PathBuf,
    pub(crate) context_tokens: u32,
    pub(crate) threads: u32,
}

/// Why a loaded model is not needed any more.
pub(crate) enum Next {
    /// Another one is.
    Load(Load),
    /// The assistant has gone.
    End,
}

/// Carries out orders until the standard input closes.
pub(crate) fn run() -> Result<()> {
    check_processor()?;
    let backend = LlamaBackend::init().context("the engine cannot be started")?;
    let (orders, stops) = orders::read();
    let mut next = wait_for_load(&orders)?;
    while let Some(load) = next {
        next = match with_model(&backend, &load, &orders, &stops)? {
            Next::Load(load) => Some(load),
            Next::End => None,
        };
    }
    Ok(())
}

/// Without a model there is nothing to answer with; `None` when the orders end.
fn wait_for_load(orders: &Receiver<Order>) -> Result<Option<Load>> {
    for order in orders {
        match order {
            Order::Load { id, path, context_tokens, threads } => {
                return Ok(Some(Load { id, path, context_tokens, threads }));
            }
            Order::Chat { id, .. } | Order::Warm { id, .. } => {
                tell(&Report::Failed { id, failure: Failure::NotLoaded })?;
            }
            Order::Cancel { .. } => {}
        }
    }
    Ok(None)
}

fn with_model(backend: &LlamaBackend, load: &Load, orders: &Receiver<Order>, stops: &Stops) -> Result<Next> {
    let model = match read_model(backend, &load.path) {
        Ok(model) => model,
        Err(failure) => {
            tell(&Report::Failed { id: load.id, failure })?;
            return Ok(wait_for_load(orders)?.map_or(Next::End, Next::Load));
        }
    };
    let mut loaded = match Loaded::new(backend, &model, load.context_tokens, threads(load.threads)) {
        Ok(loaded) => loaded,
        Err(failure) => {
            tell(&Report::Failed { id: load.id, failure })?;
            return Ok(wait_for_load(orders)?.map_or(Next::End, Next::Load));
        }
    };
    let (context_tokens, threads) = (loaded.context_tokens(), loaded.threads());
    tell(&Report::Loaded { id: load.id, context_tokens, threads })?;
    loaded.serve(orders, stops)
}

fn read_model(backend: &LlamaBackend, path: &Path) -> Result<LlamaModel, Failure> {
    let unreadable = |reason: String| Failure::ModelUnreadable { reason };
    // The engine's own words for a missing file are "null result".
    std::fs::File::open(path).map_err(|error| unreadable(error.to_string()))?;
    LlamaModel::load_from_file(backend, path, &LlamaModelParams::default())
        .map_err(|_| unreadable("it is no GGUF file that the engine knows, or it is broken".into()))
}

/// The engine is compiled for processors of the last ten years; on an older one it would end without a word.
fn check_processor() -> Result<()> {
    #[cfg(target_arch = "x86_64")]
    let will_do = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    let will_do = true;
    ensure!(
        will_do,
        "this processor is too old for the embedded engine (it has no AVX2); use a server instead"
    );
    Ok(())
}
