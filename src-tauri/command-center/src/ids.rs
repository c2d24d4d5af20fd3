//! Ids of conversations and calls.

use std::fmt::{self, Write};

use serde::Serialize;

/// Names a conversation between a node and a Command Center. The node chooses it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct NodeConversationId(pub String);

impl NodeConversationId {
    /// An id that no other conversation has: a version 4 UUID.
    pub fn fresh() -> Self {
        let mut bytes = random::<16>();
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let hex = hex(&bytes);
        Self([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
    }
}

impl fmt::Display for NodeConversationId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// `call_` and twelve hex digits, for a call to which the model gave no id.
pub(crate) fn fresh_call_id() -> String {
    format!("call_{}", hex(&random::<6>()))
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_their_shape_and_differ() {
        let (first, second) = (NodeConversationId::fresh().0, NodeConversationId::fresh().0);
        let shape: String = first.chars().map(|c| if c.is_ascii_hexdigit() { 'x' } else { c }).collect();

        assert_eq!(shape, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
        assert_eq!(&first[14..15], "4");
        assert_ne!(first, second);
        assert_eq!(fresh_call_id().len(), "call_".len() + 12);
    }
}
