//! The owner's side: answers callers, each on its own.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use interprocess::local_socket::tokio::{Listener, Stream, prelude::*};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vocabulary::{ConversationId, Stage, Trouble};

use super::protocol::{GREETING_TIMEOUT, Greeting, MAX_REQUEST_BYTES, READING_TIMEOUT};
use super::wire::{self, LineReader, ReadLine};
use crate::activation::Window;
use crate::assistant::Assistant;
use crate::data_service::{DataService, Responder};
use crate::replies::ReplyRequest;
use crate::requests::{Request, Response};
use crate::views::ReplyView;

/// Callers that are served at the same time; more wait for one to end.
pub(super) const MAX_CALLERS: usize = 256;

/// The parts that answer callers.
#[derive(Clone)]
pub(crate) struct Server {
    pub assistant: Assistant,
    pub data: DataService,
}

/// Answers callers until `stop` is cancelled.
pub(crate) async fn serve(listener: Listener, server: Server, stop: CancellationToken) {
    let callers = TaskTracker::new();
    let free = Arc::new(Semaphore::new(MAX_CALLERS));
    let accept = async || {
        let place = Arc::clone(&free).acquire_owned().await;
        (place, listener.accept().await)
    };
    while let Some((place, caller)) = stop.run_until_cancelled(accept()).await {
        match caller {
            Ok(caller) => {
                let (server, stop) = (server.clone(), stop.child_token());
                callers.spawn(async move {
                    if let Err(error) = server.answer(caller, stop).await {
                        tracing::info!(%error, "a caller of the local socket was dropped");
                    }
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a caller of the local socket could not be accepted");
                // Without file handles, trying again at once would use a whole core.
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    callers.close();
    callers.wait().await;
}

impl Server {
    async fn answer(&self, caller: Stream, stop: CancellationToken) -> io::Result<()> {
        let mut lines = LineReader::new(&caller, MAX_REQUEST_BYTES);
        let request = async {
            let greeting = tokio::time::timeout(GREETING_TIMEOUT, greet(&mut lines, &caller)).await;
            greeting.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
        };
        let request = match stop.run_until_cancelled(request).await {
            None | Some(Ok(Received::HungUp)) => return Ok(()),
            Some(Ok(Received::Request(request))) => request,
            Some(Ok(Received::Refused(trouble))) => {
                return send(&caller, &Response::Failed(trouble)).await;
            }
            Some(Err(error)) => return Err(error),
        };
        let (responder, responses) = Responder::new();
        let work = self.execute(request, responder, stop.clone());
        let sending = send_all(responses, &caller, &stop);
        // The caller is listened to all the while: it hangs up, or cancels with another line.
        let hang_up = async {
            let _ = lines.next().await;
            stop.cancel();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            ((), sent) = async { tokio::join!(work, sending) } => sent,
            () = hang_up => Ok(()),
        }
    }

    async fn execute(&self, request: Request, responder: Responder, stop: CancellationToken) {
        let last = match request {
            Request::Memory(_) | Request::Settings(_) | Request::Models(_) | Request::Voices(_) => {
                return self.data.execute(request, responder, stop).await;
            }
            Request::Ask { text, is_temporary } => {
                let conversation = match is_temporary {
                    true => self.assistant.temporary_conversation(),
                    false => ConversationId::main(),
                };
                let request = ReplyRequest::new(text, conversation);
                ask(&self.assistant, request, &responder, &stop).await
            }
            Request::Stop => {
                self.assistant.stop().await;
                Response::Done
            }
            Request::Talk => match self.assistant.talk().await {
                Ok(()) => Response::Done,
                Err(unavailable) => Response::Failed(unavailable.trouble()),
            },
            Request::Show => match self.assistant.activate() {
                Window::Exists => Response::Done,
                Window::None => Response::Failed(Trouble::new(
                    Stage::Instance,
                    "Jarvis is already running in a terminal, where it has no window.",
                    "Quit it there, and start again.",
                )),
                // No answer: the caller tries again until this process has ended.
                Window::Closing => return,
            },
        };
        // A caller that hung up needs no answer.
        let _ = responder.send(last).await;
    }
}

/// Answers a question; returns the last response.
async fn ask(
    assistant: &Assistant,
    request: ReplyRequest,
    responder: &Responder,
    stop: &CancellationToken,
) -> Response {
    let mut reply = match assistant.open_reply(request).await {
        Ok(reply) => reply,
        Err(refused) => return Response::Failed(refused.trouble()),
    };
    // A caller at the socket has no way to answer.
    reply.answers_nothing();
    while let Some(event) = stop.run_until_cancelled(reply.next()).await {
        let Some(event) = event else { break };
        let Some(view) = ReplyView::from_event(&event) else { continue };
        if responder.send(Response::Reply(view)).await.is_err() {
            break;
        }
    }
    // Dropping the handle stops a reply that has not ended.
    Response::Done
}

/// A line of a caller.
enum Received {
    Request(Request),
    /// It cannot be served.
    Refused(Trouble),
    HungUp,
}

/// Exchanges greetings and reads the request.
async fn greet(lines: &mut LineReader<&Stream>, mut caller: &Stream) -> io::Result<Received> {
    let ours = Greeting::ours();
    wire::send(&mut caller, &ours).await?;
    let refused =
        |message: String, remedy: &str| Ok(Received::Refused(Trouble::new(Stage::Instance, message, remedy)));
    let theirs = match lines.next().await? {
        ReadLine::End => return Ok(Received::HungUp),
        ReadLine::TooLong => None,
        ReadLine::Text(text) => serde_json::from_slice::<Greeting>(&text).ok(),
    };
    if theirs.as_ref().is_none_or(|theirs| theirs.protocol != ours.protocol) {
        let version = theirs.map_or("an unknown version".to_owned(), |theirs| theirs.program);
        let message = format!("The running Jarvis is {}, and the command is {version}.", ours.program);
        return refused(message, "Quit the older one, and start it again from the same version.");
    }
    match lines.next().await? {
        ReadLine::End => Ok(Received::HungUp),
        ReadLine::TooLong => {
            let message = format!("The request is longer than {MAX_REQUEST_BYTES} bytes.");
            refused(message, "Shorten it, or ask in parts.")
        }
        ReadLine::Text(text) => match serde_json::from_slice(&text) {
            Ok(request) => Ok(Received::Request(request)),
            Err(error) => refused(format!("The request was not understood: {error}."), "Check its form."),
        },
    }
}

/// Sends responses up to the last one; cancels the request when the caller does not read them.
async fn send_all(
    mut responses: mpsc::Receiver<Response>,
    caller: &Stream,
    stop: &CancellationToken,
) -> io::Result<()> {
    while let Some(response) = responses.recv().await {
        if let Err(error) = send(caller, &response).await {
            stop.cancel();
            return Err(error);
        }
        if response.is_last() {
            break;
        }
    }
    Ok(())
}

async fn send(mut caller: &Stream, response: &Response) -> io::Result<()> {
    let sent = tokio::time::timeout(READING_TIMEOUT, wire::send(&mut caller, response)).await;
    sent.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}
