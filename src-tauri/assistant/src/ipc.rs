//! The per-user local socket: how a second process speaks to the one that owns the data.
//!
//! One JSON object a line. The caller sends one [`Call`], the owner answers with [`ReplyView`]s until one says it is
//! done. Hanging up stops the reply.

use std::io;
use std::path::{Path, PathBuf};

use interprocess::local_socket::tokio::{Listener, Stream, prelude::*};
use interprocess::local_socket::{GenericFilePath, ListenerOptions, Name};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vocabulary::{ConversationId, Stage, Trouble};

use crate::activation::Window;
use crate::assistant::Assistant;
use crate::replies::ReplyRequest;
use crate::views::ReplyView;

/// The longest call, in bytes: far more than anybody types.
const MAX_CALL_BYTES: u64 = 1 << 20;

/// What a caller asks of the running assistant.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum Call {
    /// Answer this.
    Ask {
        /// What is asked.
        text: String,
        /// Nothing of it is stored.
        #[serde(default)]
        is_temporary: bool,
    },
    /// Fall silent, and end the reply under way.
    Stop,
    /// Listen: the next words need no name.
    Talk,
    /// Raise the window, if there is one.
    Show,
}

/// Answers callers until `stop` is cancelled.
pub(crate) async fn serve(listener: Listener, assistant: Assistant, stop: CancellationToken) {
    let calls = TaskTracker::new();
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            caller = listener.accept() => match caller {
                Ok(caller) => {
                    calls.spawn(answer(caller, assistant.clone(), stop.clone()));
                }
                Err(error) => {
                    tracing::warn!(%error, "a caller could not be answered");
                    // Out of file handles, say: busy waiting would make it worse.
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                }
            },
        }
    }
    calls.close();
    calls.wait().await;
}

async fn answer(caller: Stream, assistant: Assistant, stop: CancellationToken) {
    let outcome = tokio::select! {
        () = stop.cancelled() => Ok(()),
        outcome = converse(&caller, &assistant) => outcome,
    };
    if let Err(error) = outcome {
        tracing::info!(%error, "a caller hung up");
    }
}

async fn converse(caller: &Stream, assistant: &Assistant) -> io::Result<()> {
    let mut line = String::new();
    let mut reader = BufReader::new(tokio::io::AsyncReadExt::take(caller, MAX_CALL_BYTES));
    reader.read_line(&mut line).await?;
    match serde_json::from_str(&line) {
        Ok(Call::Ask { text, is_temporary }) => {
            let conversation = match is_temporary {
                true => assistant.temporary_conversation(),
                false => ConversationId::main(),
            };
            let request = ReplyRequest { text, language: None, conversation };
            let mut handle = match assistant.open_reply(request).await {
                Ok(handle) => handle,
                Err(refused) => return send(caller, &ReplyView::Trouble(refused.trouble())).await,
            };
            while let Some(event) = handle.next().await {
                if let Some(view) = ReplyView::of(&event) {
                    // A caller that left drops the handle here, and with it the reply.
                    send(caller, &view).await?;
                }
            }
            Ok(())
        }
        Ok(Call::Stop) => {
            assistant.stop().await;
            send(caller, &ReplyView::Done { text: String::new() }).await
        }
        Ok(Call::Talk) => {
            let view = match assistant.talk().await {
                Ok(()) => ReplyView::Done { text: String::new() },
                Err(unavailable) => ReplyView::Trouble(unavailable.trouble()),
            };
            send(caller, &view).await
        }
        Ok(Call::Show) => {
            let view = match assistant.activate() {
                Window::Exists => ReplyView::Done { text: String::new() },
                Window::None => ReplyView::Trouble(Trouble::new(
                    Stage::Instance,
                    "Jarvis is already running in a terminal, where it has no window.",
                    "Quit it there, and start again.",
                )),
                // Hung up on: the caller tries until we are gone.
                Window::Closing => return Ok(()),
            };
            send(caller, &view).await
        }
        Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
    }
}

async fn send(mut to: &Stream, what: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(what).map_err(io::Error::from)?;
    line.push(b'\n');
    to.write_all(&line).await
}

/// Begins to listen for callers at the socket of `data_folder`.
///
/// # Errors
///
/// What the system says.
pub(crate) fn listen(data_folder: &Path) -> io::Result<Listener> {
    // The owner of the data holds its lock: a socket left behind by a crash is nobody's.
    let options = ListenerOptions::new().name(name_in(data_folder)?).try_overwrite(true);
    let listener = options.create_tokio()?;
    keep_private(data_folder)?;
    Ok(listener)
}

/// A line to the assistant that owns the data.
pub struct Line {
    stream: BufReader<Stream>,
}

impl Line {
    /// Calls the assistant that owns `data_folder`.
    ///
    /// # Errors
    ///
    /// What the system says when nobody answers.
    pub async fn call(data_folder: &Path, call: &Call) -> io::Result<Self> {
        let stream = Stream::connect(name_in(data_folder)?).await?;
        send(&stream, call).await?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// The next thing it says; `None` when it hung up.
    ///
    /// # Errors
    ///
    /// What the system says, or that it was not understood.
    pub async fn next(&mut self) -> io::Result<Option<ReplyView>> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        serde_json::from_str(&line).map(Some).map_err(io::Error::from)
    }
}

fn socket_path(data_folder: &Path) -> PathBuf {
    if cfg!(windows) {
        let of_user = data_folder.to_string_lossy().replace(['\\', '/', ':'], "-");
        PathBuf::from(format!(r"\\.\pipe\jarvis-{of_user}"))
    } else {
        data_folder.join("jarvis.sock")
    }
}

fn name_in(data_folder: &Path) -> io::Result<Name<'static>> {
    socket_path(data_folder).to_fs_name::<GenericFilePath>().map(|name| name.into_owned())
}

/// Only this user may call.
fn keep_private(data_folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(socket_path(data_folder), std::fs::Permissions::from_mode(0o600))?;
    }
    let _ = data_folder;
    Ok(())
}
