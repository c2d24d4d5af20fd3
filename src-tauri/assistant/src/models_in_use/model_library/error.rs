//! Why a request about model files failed.

use models::ModelStoreError;
use vocabulary::{Stage, Trouble};

/// Why a request about model files failed.
#[derive(Debug, thiserror::Error)]
pub enum ModelLibraryError {
    /// There is no such model, or its files cannot be read or changed.
    #[error(transparent)]
    Store(#[from] ModelStoreError),
    /// The model has to be downloaded first.
    #[error("{model} is not here. Download it first.")]
    NotInstalled {
        /// Its name for people.
        model: String,
    },
    /// The model is used by itself wherever it is needed.
    #[error("{model} is used wherever it is needed; there is nothing to choose.")]
    NothingToChoose {
        /// Its name for people.
        model: String,
    },
    /// The settings could not be changed.
    #[error(transparent)]
    Settings(#[from] settings::SettingsError),
    /// The model does not work.
    #[error("{} {}", .0.message, .0.remedy)]
    Trouble(Trouble),
}

impl From<Trouble> for ModelLibraryError {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl ModelLibraryError {
    /// Returns `true` if the catalogue has no model of that name.
    pub fn is_unknown_model(&self) -> bool {
        matches!(self, Self::Store(ModelStoreError::UnknownModel { .. }))
    }

    /// The same for the user's screen.
    pub fn trouble(self) -> Trouble {
        match self {
            Self::Store(ModelStoreError::UnknownModel { id }) => {
                let message = format!("There is no model named {id} in the catalogue.");
                Trouble::new(Stage::Download, message, "`jarvis models list` shows the names.")
            }
            Self::Store(error) => {
                Trouble::from_error(Stage::Download, &error, "Check the models folder and try again.")
            }
            Self::Settings(error) => error.trouble(),
            Self::Trouble(trouble) => trouble,
            error @ (Self::NotInstalled { .. } | Self::NothingToChoose { .. }) => {
                Trouble::new(Stage::Download, error.to_string(), "")
            }
        }
    }
}
