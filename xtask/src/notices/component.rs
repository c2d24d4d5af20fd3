//! A component of Jarvis that somebody else made.

/// The identity of a component.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ComponentId {
    pub kind: Kind,
    pub name: String,
    /// Empty if there are no versions.
    pub version: String,
}

/// The kind of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A crate of one of the programs.
    Crate,
    /// A package of the windows.
    Package,
    /// A library in another language than Rust.
    Library,
    /// A file of the catalogue, downloaded on request.
    Model,
    /// Lists and pictures.
    Data,
    /// A program or library of the system that Jarvis uses and does not contain.
    System,
}

impl Kind {
    pub const ALL: [Self; 6] =
        [Self::Crate, Self::Package, Self::Library, Self::Model, Self::Data, Self::System];

    /// As in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crate => "crate",
            Self::Package => "package",
            Self::Library => "library",
            Self::Model => "model",
            Self::Data => "data",
            Self::System => "system",
        }
    }
}

/// One thing that Jarvis consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Component {
    pub id: ComponentId,
    /// SPDX expression, or the address of its text.
    pub licence: String,
    /// Texts that have to be passed on. Empty for what is not part of the program.
    pub texts: Vec<String>,
}
