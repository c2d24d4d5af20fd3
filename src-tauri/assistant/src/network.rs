//! The network: whether it may be used, and who was contacted.

pub(crate) mod offline; // clients that keep to "Work offline"
pub(crate) mod contact_log; // contacted hosts
