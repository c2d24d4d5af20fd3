//! An id on the wire is as people write it: `fact-7`.

use memory::ItemId;
use serde::{Deserialize, Deserializer, Serializer, de};

pub(super) fn serialize<S: Serializer>(id: &ItemId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

pub(super) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<ItemId, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
}

/// The same for several ids.
pub(super) mod list {
    use memory::ItemId;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(in super::super) fn serialize<S: Serializer>(
        ids: &[ItemId],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(ids.iter().map(ItemId::to_string))
    }

    pub(in super::super) fn deserialize<'d, D: Deserializer<'d>>(
        deserializer: D,
    ) -> Result<Vec<ItemId>, D::Error> {
        let ids = Vec::<String>::deserialize(deserializer)?;
        ids.iter().map(|id| id.parse().map_err(de::Error::custom)).collect()
    }
}
