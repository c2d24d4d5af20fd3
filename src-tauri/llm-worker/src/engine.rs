//! Processes the requests, one at a time, in order.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llm::embedded::protocol::{WorkerEvent, WorkerFailure, WorkerRequest};

use crate::events::send;
use crate::loaded_model::{LoadRequest, LoadedModel, NextStep};
use crate::requests::{self, Cancellations, Requests};
use crate::threads::threads;

/// Processes requests until the standard input is closed.
pub(crate) fn run() -> Result<()> {
    check_processor()?;
    let backend = LlamaBackend::init().context("the engine cannot be started")?;
    let (requests, cancellations) = requests::read();
    let mut next = wait_for_load(&requests)?;
    while let Some(load) = next {
        next = match with_model(&backend, &load, &requests, &cancellations)? {
            NextStep::Load(load) => Some(load),
            NextStep::Exit => None,
        };
    }
    Ok(())
}

/// Rejects requests until a load request arrives; `None` when the requests end.
fn wait_for_load(requests: &Requests) -> Result<Option<LoadRequest>> {
    while let Some(request) = requests.next() {
        match request {
            WorkerRequest::Load { id, path, context_tokens, threads } => {
                return Ok(Some(LoadRequest { id, path, context_tokens, threads }));
            }
            WorkerRequest::Chat { id, .. } | WorkerRequest::Warm { id, .. } => {
                send(&WorkerEvent::Failed { id, failure: WorkerFailure::NotLoaded })?;
            }
            WorkerRequest::Cancel { .. } => {}
        }
    }
    Ok(None)
}

fn with_model(
    backend: &LlamaBackend,
    load: &LoadRequest,
    requests: &Requests,
    cancellations: &Cancellations,
) -> Result<NextStep> {
    let model = match read_model(backend, &load.path) {
        Ok(model) => model,
        Err(failure) => {
            send(&WorkerEvent::Failed { id: load.id, failure })?;
            return Ok(wait_for_load(requests)?.map_or(NextStep::Exit, NextStep::Load));
        }
    };
    let mut loaded = match LoadedModel::new(backend, &model, load.context_tokens, threads(load.threads)) {
        Ok(loaded) => loaded,
        Err(failure) => {
            send(&WorkerEvent::Failed { id: load.id, failure })?;
            return Ok(wait_for_load(requests)?.map_or(NextStep::Exit, NextStep::Load));
        }
    };
    let (context_tokens, threads) = (loaded.context_tokens(), loaded.threads());
    send(&WorkerEvent::Loaded { id: load.id, context_tokens, threads })?;
    loaded.serve(requests, cancellations)
}

fn read_model(backend: &LlamaBackend, path: &Path) -> Result<LlamaModel, WorkerFailure> {
    let unreadable = |reason: String| WorkerFailure::ModelUnreadable { reason };
    // For a missing file, the engine only reports "null result".
    std::fs::File::open(path).map_err(|error| unreadable(error.to_string()))?;
    LlamaModel::load_from_file(backend, path, &LlamaModelParams::default())
        .map_err(|_| unreadable("the file is damaged, or not in a supported GGUF format".into()))
}

/// Checks for AVX2 and FMA. The engine is compiled for them and would crash without a message on older processors.
fn check_processor() -> Result<()> {
    #[cfg(target_arch = "x86_64")]
    let is_supported =
        std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    let is_supported = true;
    ensure!(
        is_supported,
        "this processor is too old for the embedded engine (no AVX2); use a language model server instead"
    );
    Ok(())
}
