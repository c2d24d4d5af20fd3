//! The fixed sentences about what cannot be looked up and what cannot be done.

use languages::messages::Messages;
use languages::{LiveTopic, WorldAction, name_in};

use crate::config::NoLookup;

/// There is no source for the topic, with the setting that would change it.
pub(crate) fn no_source(messages: &'static Messages, topic: LiveTopic, setting: Option<NoLookup>) -> String {
    let sentence = messages.reply_no_source(name_in(&LiveTopic::ALL, topic));
    match setting {
        None => sentence,
        Some(NoLookup::Offline) => format!("{sentence} {}", messages.reply_source_offline()),
        Some(NoLookup::SearchOff) => format!("{sentence} {}", messages.reply_source_search_off()),
    }
}

/// No tool does this in the world.
pub(crate) fn cannot_do(messages: &Messages, action: WorldAction) -> String {
    messages.reply_cannot_do(name_in(&WorldAction::ALL, action))
}
