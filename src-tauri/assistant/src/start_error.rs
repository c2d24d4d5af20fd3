//! Why an assistant did not start.

/// Why an assistant did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The settings cannot be read at all.
    #[error(transparent)]
    Settings(#[from] settings::SettingsError),
    /// The secure transport could not be set up.
    #[error("the network client could not be made")]
    Network(#[from] net::NetError),
    /// This user has no home folder.
    #[error(transparent)]
    NoHome(#[from] settings::NoHome),
}
