//! Whether a server still describes its tools as the user knows them.
//!
//! A server may change what its tools say, also to slip in orders for the model. So the description of each tool is remembered
//! when it is first seen, and a tool whose description changed asks again, whatever was allowed before.

use sha2::{Digest, Sha256};

use crate::Declaration;

/// A hash of what the model is told of a tool.
pub type Fingerprint = String;

/// The port that remembers descriptions.
pub trait PinStore: Send + Sync {
    /// The fingerprint with which a tool was first seen, or last allowed.
    fn pinned(&self, tool: &str) -> Option<Fingerprint>;

    /// Remembers a fingerprint in place of the one before.
    fn pin(&self, tool: &str, fingerprint: Fingerprint);
}

/// The hash of the name, the description and the arguments of a tool.
pub fn fingerprint(declaration: &Declaration) -> Fingerprint {
    let mut hash = Sha256::new();
    for part in [&declaration.name, &declaration.description, &declaration.parameters.to_string()] {
        hash.update(part.as_bytes());
        // Keeps the parts apart: none of them contains this sign.
        hash.update([0]);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
