//! A response through a scripted channel.

use std::sync::Arc;

use routing::{ChannelId, Channels, Outcome};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;
use vocabulary::{ConversationId, Origin, Query, ReplyId, ReplyPart};

use super::channel::{ScriptedChannel, WireChannel};
use super::wire::WireResponse;
use crate::suite::{or_default, read};

#[derive(Deserialize)]
struct Input {
    outgoing: Option<WireResponse>,
    channel: WireChannel,
    #[serde(default, deserialize_with = "or_default")]
    context: Context,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Context {
    transition_target: Option<String>,
    #[serde(deserialize_with = "or_default")]
    last_message_auto_mode: bool,
}

pub(super) fn run(input: Value) -> Result<Value, String> {
    let Input { outgoing, channel, context } = read(input)?;
    let response = outgoing.map(WireResponse::response).unwrap_or_default();
    let should_process = !response.is_empty();
    // Such runs end without a word.
    let is_silent = context.transition_target.is_some() || context.last_message_auto_mode;

    let channels = Channels::default();
    let is_registered = channel.registered;
    let channel = Arc::new(ScriptedChannel::new(channel));
    let _registration = is_registered.then(|| channels.register(ChannelId::Person, channel.clone()));
    // Waiting takes no time: the clock goes on by itself.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime without input and output can be made");
    let (outcome, waited) = runtime.block_on(async {
        let began = Instant::now();
        let outcome = match channels.open(&query()) {
            Ok(delivery) if is_silent => delivery.close(&response).await,
            Ok(mut delivery) => {
                delivery.deliver(&response).await;
                delivery.close(&response).await
            }
            Err(_) => Outcome::default(),
        };
        (outcome, began.elapsed())
    });
    let asked = channel.asked();
    Ok(json!({
        "should_process": should_process,
        "attempts": asked.attempts,
        "sends": asked.sends,
        "notices": asked.notices,
        "delivered": outcome.is_delivered(),
        "errors": outcome.failures.iter().filter(|failure| failure.part != ReplyPart::Notice).count(),
        "waited_s": (waited.as_secs_f64() * 10.0).round() / 10.0,
        // Routing knows no dialogue: none of its types leads to one.
        "history_delta": 0,
    }))
}

fn query() -> Query {
    Query {
        reply: ReplyId(1),
        text: String::new(),
        language: None,
        origin: Origin::Typed,
        conversation: ConversationId::main(),
        replaces_previous: false,
    }
}
