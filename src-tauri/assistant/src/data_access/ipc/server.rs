//! The owner's side: answers callers, each on its own.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use interprocess::local_socket::tokio::{Listener, Stream, prelude::*};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vocabulary::{Answer, ConversationId, ReplyEvent, Stage, Trouble};

use super::protocol::{FollowUp, GREETING_TIMEOUT, Greeting, MAX_REQUEST_BYTES, READING_TIMEOUT};
use super::wire::{self, LineReader, ReadLine};
use crate::assistant::Assistant;
use crate::data_access::activation::Window;
use crate::data_access::data_service::{DataService, Responder};
use crate::data_access::requests::{AskRequest, Request, Response};
use crate::replies::ReplyRequest;
use crate::views::ReplyView;

/// Callers that are served at the same time; more wait for one to end.
pub(super) const MAX_CALLERS: usize = 256;

/// Answers of a caller that wait for their reply, which asks one question at a time.
const MAX_ANSWERS: usize = 4;

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
            None | Some(Ok(CallerLine::HungUp)) => return Ok(()),
            Some(Ok(CallerLine::Request(request))) => request,
            Some(Ok(CallerLine::Refused(trouble))) => {
                return send(&caller, &Response::Failed(trouble)).await;
            }
            Some(Err(error)) => return Err(error),
        };
        let (responder, responses) = Responder::new();
        let (to_reply, answers) = mpsc::channel(MAX_ANSWERS);
        let work = self.execute(request, responder, answers, stop.clone());
        let sending = send_all(responses, &caller, &stop);
        // The caller is listened to all the while: it hangs up, cancels, or answers a question.
        let hang_up = async {
            while let Some(answer) = next_answer(&mut lines).await {
                // The reply waits for one answer at most: others are repeats.
                let _ = to_reply.try_send(answer);
            }
            stop.cancel();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            ((), sent) = async { tokio::join!(work, sending) } => sent,
            () = hang_up => Ok(()),
        }
    }

    async fn execute(
        &self,
        request: Request,
        responder: Responder,
        answers: mpsc::Receiver<Answer>,
        stop: CancellationToken,
    ) {
        let last = match request {
            Request::Memory(_) | Request::Settings(_) | Request::Models(_) | Request::Voices(_) => {
                return self.data.execute(request, responder, stop).await;
            }
            Request::Ask(request) => ask(&self.assistant, request, answers, &responder, &stop).await,
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

/// The next answer of a caller; `None` if it hung up or cancelled.
async fn next_answer(lines: &mut LineReader<&Stream>) -> Option<Answer> {
    match lines.next().await {
        Ok(ReadLine::Text(text)) => match serde_json::from_slice(&text) {
            Ok(FollowUp::Answer(answer)) => Some(answer),
            Ok(FollowUp::Cancel) | Err(_) => None,
        },
        Ok(ReadLine::TooLong | ReadLine::End) | Err(_) => None,
    }
}

/// Answers a question; returns the last response.
async fn ask(
    assistant: &Assistant,
    request: AskRequest,
    mut answers: mpsc::Receiver<Answer>,
    responder: &Responder,
    stop: &CancellationToken,
) -> Response {
    let conversation = match request.is_temporary {
        true => assistant.temporary_conversation(),
        false => ConversationId::main(),
    };
    let mut reply = match assistant.open_reply(ReplyRequest::new(request.text, conversation)).await {
        Ok(reply) => reply,
        Err(refused) => return Response::Failed(refused.trouble()),
    };
    if !request.answers_questions {
        reply.answers_nothing();
    }
    let mut open = None;
    loop {
        let event = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            Some(answer) = answers.recv() => {
                if reply.take_typed(open.as_ref(), &answer).is_err() {
                    tracing::debug!("the reply had settled its question");
                }
                continue;
            }
            event = reply.next() => event,
        };
        let Some(event) = event else { break };
        if let ReplyEvent::Question(question) = &event {
            open = Some(question.clone());
        }
        for response in responses(&event, request.takes_files) {
            if responder.send(response).await.is_err() {
                return Response::Done;
            }
        }
    }
    // Dropping the handle stops a reply that has not ended.
    Response::Done
}

/// An event as its caller gets it.
fn responses(event: &ReplyEvent, takes_files: bool) -> Vec<Response> {
    match event {
        ReplyEvent::Question(question) => vec![Response::Question(question.clone())],
        ReplyEvent::QuestionSettled { question } => vec![Response::QuestionSettled(*question)],
        ReplyEvent::Done(response) if takes_files => {
            let files = response.attachments.iter().map(|file| Response::File(Box::new(file.into())));
            files.chain(ReplyView::from_event(event).map(Response::Reply)).collect()
        }
        event => ReplyView::from_event(event).map(Response::Reply).into_iter().collect(),
    }
}

/// A line of a caller.
enum CallerLine {
    Request(Request),
    /// It cannot be served.
    Refused(Trouble),
    HungUp,
}

/// Exchanges greetings and reads the request.
async fn greet(lines: &mut LineReader<&Stream>, mut caller: &Stream) -> io::Result<CallerLine> {
    let ours = Greeting::ours();
    wire::send(&mut caller, &ours).await?;
    let refused = |message: String, remedy: &str| {
        Ok(CallerLine::Refused(Trouble::new(Stage::Instance, message, remedy)))
    };
    let theirs = match lines.next().await? {
        ReadLine::End => return Ok(CallerLine::HungUp),
        ReadLine::TooLong => None,
        ReadLine::Text(text) => serde_json::from_slice::<Greeting>(&text).ok(),
    };
    if theirs.as_ref().is_none_or(|theirs| theirs.protocol != ours.protocol) {
        let version = theirs.map_or("an unknown version".to_owned(), |theirs| theirs.program);
        let message = format!("The running Jarvis is {}, and the command is {version}.", ours.program);
        return refused(message, "Quit the older one, and start it again from the same version.");
    }
    match lines.next().await? {
        ReadLine::End => Ok(CallerLine::HungUp),
        ReadLine::TooLong => {
            let message = format!("The request is longer than {MAX_REQUEST_BYTES} bytes.");
            refused(message, "Shorten it, or ask in parts.")
        }
        ReadLine::Text(text) => match serde_json::from_slice(&text) {
            Ok(request) => Ok(CallerLine::Request(request)),
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
