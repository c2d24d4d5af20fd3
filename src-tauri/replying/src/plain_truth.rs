//! The fixed sentences about what cannot be looked up and what cannot be done.

use languages::messages::Messages;
use languages::{LiveTopic, WorldAction, name_in};

/// There is no source for the topic.
pub(crate) fn no_source(messages: &Messages, topic: LiveTopic) -> String {
    messages.reply_no_source(name_in(&LiveTopic::ALL, topic))
}

/// No tool does this in the world.
pub(crate) fn cannot_do(messages: &Messages, action: WorldAction) -> String {
    messages.reply_cannot_do(name_in(&WorldAction::ALL, action))
}
