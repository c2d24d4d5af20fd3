//! `jarvis models`: lists, downloads, checks and deletes model files, and lets Ollama servers fetch models.

use std::io::Write;

use ::settings::Folders;
use anyhow::bail;
use assistant::{
    ModelStatus, ModelView, ModelsAnswer, ModelsRequest, PullStatus, PullView, Response, ask_about_models,
};
use clap::Subcommand;

/// List, fetch, pull, check and delete models.
#[derive(Subcommand)]
pub(crate) enum ModelsVerb {
    /// List every model with its size, licence and state.
    List,
    /// Download models; without names, those that Jarvis needs on this machine.
    Fetch {
        /// Names from the list.
        ids: Vec<String>,
    },
    /// Let an Ollama server fetch a model.
    Pull {
        /// Its name there, such as `qwen3:4b`.
        name: String,
        /// `ollama`, or the address of an Ollama server; without it, the one of the settings, else the usual one.
        #[arg(long)]
        provider: Option<String>,
    },
    /// Check a model's files against their checksums.
    Verify {
        /// Its name from the list.
        id: String,
    },
    /// Delete a model's files.
    Delete {
        /// Its name from the list.
        id: String,
    },
}

/// Works on the models folder of this user, through a running Jarvis if there is one.
pub(crate) async fn run(verb: ModelsVerb) -> anyhow::Result<()> {
    let folders = Folders::from_environment()?;
    let is_delete = matches!(verb, ModelsVerb::Delete { .. });
    let request = match verb {
        ModelsVerb::List => ModelsRequest::List,
        ModelsVerb::Fetch { ids } => ModelsRequest::Fetch { ids },
        ModelsVerb::Pull { name, provider } => ModelsRequest::Pull { model: name, server: provider },
        ModelsVerb::Verify { id } => ModelsRequest::Verify { id },
        ModelsVerb::Delete { id } => ModelsRequest::Delete { id },
    };
    let mut responses = ask_about_models(&folders, request).await?;
    let mut progress = Progress::default();
    let outcome = loop {
        let response = tokio::select! {
            response = responses.next() => response?,
            _ = tokio::signal::ctrl_c() => {
                responses.cancel().await;
                continue;
            }
        };
        match response {
            Response::Models(answer) => match *answer {
                ModelsAnswer::Models { folder, models } => list(&folder, &models)?,
                ModelsAnswer::Model { model } if is_delete => {
                    writeln!(std::io::stdout(), "{} was deleted", model.id)?;
                }
                ModelsAnswer::Model { model } => progress.show(&model)?,
                ModelsAnswer::Pull { pull } => progress.show_pull(&pull)?,
            },
            Response::Failed(trouble) => break Err(trouble),
            response if response.is_last() => break Ok(()),
            _ => {}
        }
    };
    progress.end_line()?;
    responses.close().await;
    if let Err(trouble) = outcome {
        bail!("{trouble}");
    }
    Ok(())
}

fn list(folder: &str, models: &[ModelView]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for model in models {
        let mb = model.bytes / 1_000_000;
        writeln!(out, "{:<28} {mb:>5} MB  {:<14} {}", model.id, model.licence, in_words(&model.status))?;
        writeln!(out, "    {}. {}", model.name, model.summary)?;
    }
    writeln!(out, "\nThe files are in {folder}")
}

/// The progress of downloads, one line for each model.
#[derive(Default)]
struct Progress {
    /// The model whose line is not ended yet.
    open_line: Option<String>,
}

impl Progress {
    fn show(&mut self, model: &ModelView) -> std::io::Result<()> {
        if self.open_line.as_ref().is_some_and(|id| *id != model.id) {
            self.end_line()?;
        }
        let id = &model.id;
        match &model.status {
            ModelStatus::Downloading { bytes, total, .. } => {
                self.rewrite(id, &share(bytes * 100 / (*total).max(1), *total))?;
            }
            ModelStatus::Checking => self.rewrite(id, CHECKING)?,
            status => {
                self.end_line()?;
                writeln!(std::io::stdout(), "{id}: {}", in_words(status))?;
            }
        }
        Ok(())
    }

    fn show_pull(&mut self, pull: &PullView) -> std::io::Result<()> {
        let PullView { model, address, status } = pull;
        match status {
            PullStatus::LookingUp => self.rewrite(model, "looking it up     "),
            PullStatus::Downloading { percent, total, .. } => {
                self.rewrite(model, &share(u64::from(*percent), *total))
            }
            PullStatus::Checking => self.rewrite(model, CHECKING),
            PullStatus::Done => {
                self.end_line()?;
                writeln!(std::io::stdout(), "{model}: pulled, on the Ollama server at {address}")
            }
            // The failure of the request says why.
            PullStatus::Cancelled | PullStatus::Failed { .. } => self.end_line(),
        }
    }

    /// Writes over the open line.
    fn rewrite(&mut self, id: &str, words: &str) -> std::io::Result<()> {
        write!(std::io::stderr(), "\r{id}: {words}")?;
        self.open_line = Some(id.to_owned());
        Ok(())
    }

    fn end_line(&mut self) -> std::io::Result<()> {
        if self.open_line.take().is_some() {
            writeln!(std::io::stderr())?;
        }
        Ok(())
    }
}

/// As long as a share, which it is written over.
const CHECKING: &str = "checking          ";

fn share(percent: u64, total: u64) -> String {
    format!("{percent:>3} % of {} MB ", total / 1_000_000)
}

fn in_words(status: &ModelStatus) -> String {
    match status {
        ModelStatus::Absent => "not installed".to_owned(),
        ModelStatus::TooLarge { why } => format!("not installed: {why}"),
        ModelStatus::Downloading { .. } => "being downloaded".to_owned(),
        ModelStatus::Checking => "being checked".to_owned(),
        ModelStatus::Paused { bytes, .. } => {
            format!("{} MB downloaded: fetch it again for the rest", bytes / 1_000_000)
        }
        ModelStatus::Ready => "installed".to_owned(),
        ModelStatus::InUse => "in use".to_owned(),
        ModelStatus::Failed { .. } => "damaged: fetch it again".to_owned(),
    }
}
