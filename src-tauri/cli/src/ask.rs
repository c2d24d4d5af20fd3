//! `jarvis ask`: prints the answer to one question as it comes.

mod typed_answers; // of the person at the terminal

use std::io::{self, Read, Write};
use std::time::Duration;

use ::settings::Folders;
use anyhow::{Context, bail};
use assistant::{
    AskRequest, Assistant, AssistantBuilder, Connection, Instance, InstanceError, IpcError, ReplyRequest,
    ReplyView, Request, Response,
};
use vocabulary::{Answer, ConversationId, Question, ReplyEvent};

use typed_answers::TypedAnswers;

use crate::owner;

/// The time that a Jarvis that is starting, or another command, may take until it answers or ends.
const OWNER_PATIENCE: Duration = Duration::from_secs(10);

/// The pause between two attempts.
const RETRY_EVERY: Duration = Duration::from_millis(50);

/// Asks the running Jarvis, or one of our own when none runs. Nothing of a temporary question is kept. The person at the terminal
/// answers questions of the reply. Where programs read or write, or a shell runs it in the background, what the reply asks for
/// is not done.
pub(crate) async fn run(question: String, as_json: bool, is_temporary: bool) -> anyhow::Result<()> {
    let question = match question.trim() {
        "-" => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).context("standard input could not be read")?;
            text
        }
        _ => question,
    };
    if question.trim().is_empty() {
        bail!("there is no question: say what you want to know, as in `jarvis ask \"what time is it?\"`");
    }
    let folders = Folders::from_environment()?;
    let mut printer = AnswerPrinter { out: Box::new(io::stdout()), as_json, has_failed: false };
    let typed = if as_json { None } else { TypedAnswers::from_terminal() };
    let answers_questions = typed.is_some();
    let request = AskRequest { is_temporary, answers_questions, ..AskRequest::new(&question) };
    match find_owner(&folders, &Request::Ask(request)).await? {
        Owner::Running(connection) => print_answer(connection, &mut printer, typed).await?,
        Owner::ThisProcess(instance) => {
            let builder = AssistantBuilder::new(folders).without_audio().for_one_question();
            let builder = if is_temporary { builder.keeping_nothing() } else { builder };
            let assistant = Assistant::start(builder, instance).await?;
            let outcome = ask_here(&assistant, &question, &mut printer, typed).await;
            assistant.shut_down().await;
            outcome?;
        }
    }
    if printer.has_failed {
        bail!("the question was not answered");
    }
    Ok(())
}

enum Owner {
    /// A running Jarvis, which has the question.
    Running(Connection),
    /// No Jarvis runs, and the data is ours.
    ThisProcess(Instance),
}

async fn find_owner(folders: &Folders, request: &Request) -> anyhow::Result<Owner> {
    let began = std::time::Instant::now();
    loop {
        match Instance::claim(&folders.data) {
            Ok(instance) => return Ok(Owner::ThisProcess(instance)),
            Err(InstanceError::AlreadyRunning) => {}
            Err(error) => return Err(owner::unclaimed(error)),
        }
        match Connection::open(&folders.data, request).await {
            Ok(connection) => return Ok(Owner::Running(connection)),
            Err(IpcError::NotRunning(_) | IpcError::Io(_)) if began.elapsed() < OWNER_PATIENCE => {
                tokio::time::sleep(RETRY_EVERY).await;
            }
            Err(error @ IpcError::NotRunning(_)) => {
                let advice = "Jarvis is running but does not answer; quit it and try again";
                return Err(anyhow::Error::new(error).context(advice));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

async fn print_answer(
    mut connection: Connection,
    printer: &mut AnswerPrinter,
    mut typed: Option<TypedAnswers>,
) -> anyhow::Result<()> {
    let interrupt = tokio::signal::ctrl_c();
    tokio::pin!(interrupt);
    loop {
        let response = tokio::select! {
            response = connection.next() => response?,
            answer = next_answer(&mut typed) => {
                connection.answer(answer).await?;
                continue;
            }
            // Hanging up stops the reply.
            _ = &mut interrupt => return Ok(()),
        };
        match response {
            Response::Reply(view) => {
                printer.print(&view)?;
            }
            Response::Question(question) => ask(&mut typed, question)?,
            Response::QuestionSettled(question) => {
                if let Some(typed) = &mut typed {
                    typed.settle(question)?;
                }
            }
            Response::Failed(trouble) => bail!("{} {}", trouble.message, trouble.remedy),
            Response::Done => return Ok(()),
            _ => {}
        }
    }
}

async fn ask_here(
    assistant: &Assistant,
    question: &str,
    printer: &mut AnswerPrinter,
    mut typed: Option<TypedAnswers>,
) -> anyhow::Result<()> {
    let mut reply = assistant.open_reply(ReplyRequest::new(question, ConversationId::main())).await?;
    if typed.is_none() {
        reply.answers_nothing();
    }
    let mut open = None;
    loop {
        let event = tokio::select! {
            event = reply.next() => event,
            answer = next_answer(&mut typed) => {
                if reply.take_typed(open.as_ref(), &answer).is_err() {
                    tracing::debug!("the reply had settled its question");
                }
                continue;
            }
            _ = tokio::signal::ctrl_c() => return Ok(()),
        };
        match &event {
            None => return Ok(()),
            Some(ReplyEvent::Question(question)) => {
                open = Some(question.clone());
                ask(&mut typed, question.clone())?;
            }
            Some(ReplyEvent::QuestionSettled { question }) => {
                if let Some(typed) = &mut typed {
                    typed.settle(*question)?;
                }
            }
            Some(event) => {
                let Some(view) = ReplyView::from_event(event) else { continue };
                if printer.print(&view)? == Print::Last {
                    return Ok(());
                }
            }
        }
    }
}

fn ask(typed: &mut Option<TypedAnswers>, question: Question) -> io::Result<()> {
    match typed {
        Some(typed) => typed.ask(question),
        None => Ok(()),
    }
}

/// The next answer; never, if nobody answers.
async fn next_answer(typed: &mut Option<TypedAnswers>) -> Answer {
    match typed {
        Some(typed) => typed.next().await,
        None => std::future::pending().await,
    }
}

#[derive(Debug, PartialEq)]
enum Print {
    More,
    Last,
}

/// Prints an answer, and notes whether it failed.
struct AnswerPrinter {
    out: Box<dyn Write + Send>,
    as_json: bool,
    has_failed: bool,
}

impl AnswerPrinter {
    fn print(&mut self, view: &ReplyView) -> io::Result<Print> {
        let out = &mut self.out;
        self.has_failed |= matches!(view, ReplyView::Trouble(_));
        if self.as_json {
            serde_json::to_writer(&mut *out, view)?;
            writeln!(out)?;
        } else {
            match view {
                ReplyView::Delta { text } => write!(out, "{text}")?,
                // The text of the reply says it too; on standard error, programs can tell.
                ReplyView::Trouble(trouble) => tracing::warn!(%trouble, "a reply failed"),
                ReplyView::Done { .. } => writeln!(out)?,
            }
        }
        out.flush()?;
        Ok(if matches!(view, ReplyView::Done { .. }) { Print::Last } else { Print::More })
    }
}

#[cfg(test)]
mod tests;
