//! Executes requests about the memory, the settings and the secrets, in the process that owns the data.
//!
//! The same code serves callers of the local socket and a command that owns the data itself, so a verb exists once.

use memory::Memory;
use tokio_util::sync::CancellationToken;
use vocabulary::{Stage, Trouble};

use crate::data_access::requests::{MemoryRequest, Request};

mod parts; // what it works with
mod failure; // why a request failed
mod responder; // the answers on their way
mod memory_source; // where the memory is
mod opening; // opening it for a request
mod model_source; // where the models are
mod model_choice; // the models that a request needs
mod views; // records as doors show them
mod search;
mod show;
mod edit;
mod forget;
mod calls; // the log of tool calls
mod files; // exports, imports, backups, encryption
mod examine;
mod passes; // batch passes of the language model
mod settings_requests;
mod models_requests;
mod voices_requests;

pub(crate) use failure::Failure;
pub(crate) use memory_source::MemorySource;
pub(crate) use model_source::ModelSource;
pub(crate) use models_requests::execute_models_request;
pub(crate) use parts::{DataService, DataServiceParts, time_zone};
pub(crate) use responder::Responder;

use memory_source::OpenMemory;

impl DataService {
    /// Executes a request and sends its answers, the last one [`Response::Done`] or [`Response::Failed`]. Cancelling
    /// `stop` ends a batch pass after what it stored, and anything else at once.
    pub async fn execute(&self, request: Request, responder: Responder, stop: CancellationToken) {
        let work = self.run(request, &responder, &stop);
        responder.end(work.await).await;
    }

    async fn run(
        &self,
        request: Request,
        responder: &Responder,
        stop: &CancellationToken,
    ) -> Result<(), Failure> {
        let stopped = || Failure::Trouble(Trouble::new(Stage::Instance, "The command was stopped.", ""));
        match request {
            Request::Memory(MemoryRequest::RunPass { kind, is_preview }) => {
                self.run_pass(kind, is_preview, responder, stop).await
            }
            Request::Memory(request) => {
                stop.run_until_cancelled(self.run_memory(request, responder)).await.ok_or_else(stopped)?
            }
            Request::Settings(request) => {
                stop.run_until_cancelled(self.run_settings(request, responder)).await.ok_or_else(stopped)?
            }
            Request::Models(request) => {
                execute_models_request(&self.parts.library, request, responder, stop).await
            }
            Request::Voices(request) => {
                stop.run_until_cancelled(self.run_voices(request, responder)).await.ok_or_else(stopped)?
            }
            Request::Ask(_) | Request::Stop | Request::Talk | Request::Show => {
                let message = "Jarvis is not running.";
                Err(Failure::Trouble(Trouble::new(Stage::Instance, message, "Start it with `jarvis`.")))
            }
        }
    }

    async fn run_memory(&self, request: MemoryRequest, responder: &Responder) -> Result<(), Failure> {
        // These need the file closed, or examine one that may be damaged.
        match request {
            MemoryRequest::ListBackups => return self.list_backups(responder).await,
            MemoryRequest::Restore { path } => return self.restore(path, responder).await,
            MemoryRequest::Encrypt => return self.encrypt(responder).await,
            MemoryRequest::Decrypt => return self.decrypt(responder).await,
            MemoryRequest::Examine { repairs } => return self.examine(repairs, responder).await,
            MemoryRequest::Check => return self.check(responder).await,
            _ => {}
        }
        let opened = self.open(responder).await?;
        let outcome = self.run_on(&opened, request, responder).await;
        opened.close().await;
        outcome
    }

    async fn run_on(
        &self,
        opened: &OpenMemory,
        request: MemoryRequest,
        responder: &Responder,
    ) -> Result<(), Failure> {
        let memory: &Memory = opened;
        match request {
            MemoryRequest::Search { words, kinds, days, limit } => {
                self.search(memory, words.0, kinds, days, limit, responder).await
            }
            MemoryRequest::Overview => self.overview(memory, responder).await,
            MemoryRequest::Show { id } => self.show(memory, id, responder).await,
            MemoryRequest::CorrectFact { fact, text } => {
                self.correct_fact(memory, fact, &text, responder).await
            }
            MemoryRequest::RewriteEntry { entry, summary, topics } => {
                self.rewrite_entry(memory, entry, summary, topics).await
            }
            MemoryRequest::EditNode { node, name, description, parent } => {
                self.edit_node(memory, node, name, description, parent).await
            }
            MemoryRequest::AddFact { node, text } => self.add_fact(memory, node, &text, responder).await,
            MemoryRequest::RetractFact { fact } => self.retract_fact(memory, fact).await,
            MemoryRequest::PreviewForget { scope } => self.preview_forget(memory, scope, responder).await,
            MemoryRequest::Forget { scope, is_for_good } => {
                self.forget(opened, scope, is_for_good, responder).await
            }
            MemoryRequest::Undo => self.undo(opened, responder).await,
            MemoryRequest::Export { path, as_archive } => self.export(memory, path, as_archive).await,
            MemoryRequest::Import { path } => self.import(opened, path, responder).await,
            MemoryRequest::ListCalls { filter, days, limit } => {
                self.list_calls(memory, filter, days, limit, responder).await
            }
            MemoryRequest::LogCall { call } => Ok(memory.log_call(call).await?),
            MemoryRequest::BackUp => self.back_up(memory, responder).await,
            MemoryRequest::Maintain { is_check_only } => {
                self.maintain(memory, is_check_only, responder).await
            }
            // Executed without an open memory.
            MemoryRequest::ListBackups
            | MemoryRequest::Restore { .. }
            | MemoryRequest::Encrypt
            | MemoryRequest::Decrypt
            | MemoryRequest::Examine { .. }
            | MemoryRequest::Check
            | MemoryRequest::RunPass { .. } => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
