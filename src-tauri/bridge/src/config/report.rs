//! The parts of a file that were not used.

/// The parts of a file that were not used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigReport {
    /// Values that are wrong, each as a sentence. Defaults stand in their place.
    pub problems: Vec<String>,
    /// Members that mean nothing here, by their place: `llm.apiKey`.
    pub ignored: Vec<String>,
}
