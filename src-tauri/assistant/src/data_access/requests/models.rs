//! Requests about model files.

use serde::{Deserialize, Serialize};

use crate::views::{ModelView, PullView};

/// A request about model files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum ModelsRequest {
    /// Every model of the catalogue.
    List,
    /// Download models one after the other. Cancelling pauses the one under way.
    Fetch {
        /// Their names; empty for those that this machine needs and that are not installed.
        ids: Vec<String>,
    },
    /// Compare the files of a model with their checksums.
    Verify {
        /// Its name.
        id: String,
    },
    /// Let an Ollama server fetch a model. Cancelling ends a pull that this request started.
    Pull {
        /// Its name on the server.
        model: String,
        /// The address of the server, or `ollama`; `None`: the one of the settings, else the usual one.
        server: Option<String>,
    },
    /// Delete the files of a model.
    Delete {
        /// Its name.
        id: String,
    },
}

/// An answer about model files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum ModelsAnswer {
    /// Every model of the catalogue.
    Models {
        /// The models folder.
        folder: String,
        /// One entry for each model of the catalogue.
        models: Vec<ModelView>,
    },
    /// A model as it is now: the progress of its download, or the outcome.
    Model {
        /// The id of the model.
        model: ModelView,
    },
    /// A model that a server fetches: its progress, or that the server has it.
    Pull {
        /// The pull as it is now.
        pull: PullView,
    },
}
