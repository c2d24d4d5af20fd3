//! The library of model files, and the service that executes requests about the data.

use std::sync::Arc;

use models::Machine;
use settings::SettingsFile;
use tokio::sync::Notify;
use vocabulary::{Stage, Trouble};

use super::context::Startup;
use super::language_models::LanguageModels;
use super::storage::Storage;
use crate::builder::AssistantBuilder;
use crate::command::Command;
use crate::data_access::data_service::{DataService, DataServiceParts, MemorySource, ModelSource};
use crate::data_access::ipc;
use crate::models_in_use::model_library::{ModelLibrary, ModelLibraryParts};
use crate::settings_observer::SettingsObserver;

impl Startup {
    /// Opens the library of model files. `changed` is notified when one came or went.
    pub fn open_library(&mut self, builder: &AssistantBuilder, changed: &Arc<Notify>) -> ModelLibrary {
        let library = ModelLibrary::new(ModelLibraryParts {
            store: self.store.clone(),
            http: self.http.clone(),
            machine: Machine::this(),
            settings: self.changes.clone(),
            secrets: Arc::clone(&builder.secrets),
            changed: Arc::clone(changed),
            pulled: Arc::clone(&self.pulled),
            tasks: self.tasks.clone(),
            stop: self.stop.child_token(),
        });
        let downloads = library.clone();
        self.observers.push(SettingsObserver::new(
            &self.settings,
            |settings| settings.models.folder.clone(),
            move |_| downloads.pause_all(),
        ));
        library
    }

    /// Opens the local socket for other processes of this user.
    pub async fn accept_connections(&self, data_folder: &std::path::Path, server: ipc::Server) {
        match ipc::listen(data_folder) {
            Ok(listener) => {
                self.tasks.spawn(ipc::serve(listener, server, self.stop.child_token()));
            }
            Err(error) => {
                let remedy = "Commands such as `jarvis ask` cannot reach this Jarvis; all else works.";
                let trouble = Trouble::from_error(Stage::Instance, &error, remedy);
                let _ = self.commands.send(Command::Trouble(trouble)).await;
            }
        }
    }
}

/// The service that executes requests about the data of a running assistant.
pub(super) fn data_service(
    builder: &AssistantBuilder,
    file: &Arc<SettingsFile>,
    library: ModelLibrary,
    (storage, models): (&Storage, &LanguageModels),
    secret_changed: &Arc<Notify>,
) -> DataService {
    DataService::new(DataServiceParts {
        folders: builder.folders.clone(),
        secrets: Arc::clone(&builder.secrets),
        settings: Arc::clone(file),
        clock: Arc::clone(&builder.clock),
        memory: MemorySource::Running { memory: storage.memory.clone(), dialogue: storage.dialogue.clone() },
        models: ModelSource::Running {
            model: Arc::clone(&models.model),
            helper: Arc::clone(&models.helper),
            embedder: Arc::clone(&models.embedder),
        },
        library,
        voices: Arc::clone(&storage.voices),
        microphone: Arc::clone(&builder.microphone),
        secret_changed: Arc::clone(secret_changed),
    })
}
