//! The port to the trash.

use std::path::Path;

/// Moves files to a trash from which the user can take them back.
pub trait TrashBin: Send + Sync {
    /// Moves a file to the trash: whole, or not at all. Blocks.
    ///
    /// # Errors
    ///
    /// There is no trash for this file, or it cannot be used.
    fn put(&self, file: &Path) -> Result<(), NoTrash>;
}

/// A file could not be moved to a trash.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct NoTrash {
    /// The reason that the system gives.
    pub reason: String,
}

/// The trash of the system.
#[derive(Debug, Default)]
pub struct SystemTrash;

impl TrashBin for SystemTrash {
    fn put(&self, file: &Path) -> Result<(), NoTrash> {
        let context = context();
        context.delete(file).map_err(|error| NoTrash { reason: error.to_string() })
    }
}

#[cfg(not(target_os = "macos"))]
fn context() -> trash::TrashContext {
    trash::TrashContext::default()
}

/// Not by way of the Finder, which asks the user for the right to be controlled.
#[cfg(target_os = "macos")]
fn context() -> trash::TrashContext {
    use trash::macos::{DeleteMethod, TrashContextExtMacos};

    let mut context = trash::TrashContext::default();
    context.set_delete_method(DeleteMethod::NsFileManager);
    context
}
