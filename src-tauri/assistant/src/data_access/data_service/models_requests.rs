//! Requests about model files.

use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;
use vocabulary::{Stage, Trouble};

use super::failure::Failure;
use super::responder::Responder;
use crate::data_access::requests::{ModelsAnswer, ModelsRequest, Response};
use crate::models_in_use::model_library::{ModelLibrary, ModelLibraryError};
use crate::views::{ModelStatus, ModelView, PullStatus, PullView};

/// Executes a request about model files and sends its answers. Cancelling `stop` pauses a download.
pub(crate) async fn execute_models_request(
    library: &ModelLibrary,
    request: ModelsRequest,
    responder: &Responder,
    stop: &CancellationToken,
) -> Result<(), Failure> {
    match request {
        ModelsRequest::List => {
            let folder = library.folder().display().to_string();
            let answer = ModelsAnswer::Models { folder, models: library.models()? };
            responder.send(Response::Models(Box::new(answer))).await
        }
        ModelsRequest::Fetch { ids } => {
            let ids = if ids.is_empty() { library.missing() } else { ids };
            // A name that is wrong is refused before hours are spent on the others.
            for id in &ids {
                library.model(id)?;
            }
            for id in ids {
                fetch(library, &id, responder, stop).await?;
            }
            Ok(())
        }
        ModelsRequest::Pull { model, server } => {
            pull(library, &model, server.as_deref(), responder, stop).await
        }
        ModelsRequest::Verify { id } => send(responder, library.verify(&id).await?).await,
        ModelsRequest::Delete { id } => send(responder, library.delete(&id).await?).await,
    }
}

/// Downloads a model and reports its progress. A download that was under way before goes on when this caller stops.
async fn fetch(
    library: &ModelLibrary,
    id: &str,
    responder: &Responder,
    stop: &CancellationToken,
) -> Result<(), Failure> {
    let mut progress = library.subscribe();
    let is_ours = !library.is_downloading(id);
    library.download(id)?;
    let finished = async {
        loop {
            let is_over = !library.is_downloading(id);
            let model = library.model(id)?;
            let status = model.status.clone();
            send(responder, model).await?;
            if is_over {
                return match status {
                    ModelStatus::Ready | ModelStatus::InUse => Ok(()),
                    ModelStatus::Failed { what, remedy } => {
                        Err(Failure::Trouble(Trouble::new(Stage::Download, what, remedy)))
                    }
                    _ => Err(Failure::Trouble(Trouble::new(
                        Stage::Download,
                        format!("The download of {id} was paused."),
                        "Start it again to continue; what is here stays.",
                    ))),
                };
            }
            // Reports of other models, and reports that were missed, only make it look again.
            if let Err(RecvError::Closed) = progress.recv().await {
                return Err(Failure::CallerGone);
            }
        }
    };
    let outcome = stop.run_until_cancelled(finished).await;
    if is_ours && !matches!(outcome, Some(Ok(()))) {
        library.pause(id)?;
    }
    outcome.unwrap_or_else(|| {
        let remedy = "Start it again to continue; what is here stays.";
        Err(Failure::Trouble(Trouble::new(
            Stage::Download,
            format!("The download of {id} was stopped."),
            remedy,
        )))
    })
}

/// Lets a server fetch a model and reports its progress. A pull that was under way before goes on when this caller stops.
async fn pull(
    library: &ModelLibrary,
    model: &str,
    server: Option<&str>,
    responder: &Responder,
    stop: &CancellationToken,
) -> Result<(), Failure> {
    let mut pull = library.pull(model, server).await?;
    let is_ours = pull.is_started_here;
    let PullView { model, address, .. } = pull.view();
    let trouble =
        |what: String, remedy: String| Failure::Trouble(Trouble::new(Stage::Download, what, remedy));
    let cancelled = || {
        trouble(
            format!("The pull of {model} was stopped."),
            "Pull it again to continue; what the server has stays there.".to_owned(),
        )
    };
    let finished = async {
        let mut view = pull.view();
        loop {
            let status = view.status.clone();
            responder.send(Response::Models(Box::new(ModelsAnswer::Pull { pull: view }))).await?;
            match status {
                PullStatus::Done => return Ok(()),
                PullStatus::Cancelled => return Err(cancelled()),
                PullStatus::Failed { what, remedy } => return Err(trouble(what, remedy)),
                PullStatus::LookingUp | PullStatus::Downloading { .. } | PullStatus::Checking => {}
            }
            view = pull.next().await.ok_or_else(cancelled)?;
        }
    };
    let outcome = stop.run_until_cancelled(finished).await;
    // One that failed stays in the list with its reason.
    if is_ours && !pull.view().status.is_over() {
        library.cancel_pull(&model, &address);
    }
    outcome.unwrap_or_else(|| Err(cancelled()))
}

async fn send(responder: &Responder, model: ModelView) -> Result<(), Failure> {
    responder.send(Response::Models(Box::new(ModelsAnswer::Model { model }))).await
}

impl From<ModelLibraryError> for Failure {
    fn from(error: ModelLibraryError) -> Self {
        Self::Trouble(error.trouble())
    }
}
