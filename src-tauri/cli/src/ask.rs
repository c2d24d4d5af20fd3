//! `jarvis ask`: prints the answer to one question as it comes.

use std::io::{self, Read, Write};
use std::time::Duration;

use ::settings::Folders;
use anyhow::{Context, bail};
use assistant::{
    Assistant, AssistantBuilder, Connection, Instance, InstanceError, IpcError, ReplyRequest, ReplyView,
    Request, Response,
};
use vocabulary::ConversationId;

/// The time that a Jarvis that is starting, or another command, may take until it answers or ends.
const OWNER_PATIENCE: Duration = Duration::from_secs(10);

/// The pause between two attempts.
const RETRY_EVERY: Duration = Duration::from_millis(50);

/// Asks the running Jarvis, or one of our own when none runs. Nothing of a temporary question is kept.
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
    let folders = Folders::of_this_user()?;
    let mut printer = AnswerPrinter { as_json, has_failed: false };
    let request = Request::Ask { text: question.clone(), is_temporary };
    match find_owner(&folders, &request).await? {
        Owner::Running(connection) => print_answer(connection, &mut printer).await?,
        Owner::ThisProcess(instance) => {
            ask_here(folders, instance, &question, is_temporary, &mut printer).await?;
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
            Err(error) => return Err(error.into()),
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

async fn print_answer(mut connection: Connection, printer: &mut AnswerPrinter) -> anyhow::Result<()> {
    let interrupt = tokio::signal::ctrl_c();
    tokio::pin!(interrupt);
    loop {
        let response = tokio::select! {
            response = connection.next() => response?,
            // Hanging up stops the reply.
            _ = &mut interrupt => return Ok(()),
        };
        match response {
            Response::Reply(view) => {
                printer.print(&view)?;
            }
            Response::Failed(trouble) => bail!("{} {}", trouble.message, trouble.remedy),
            Response::Done => return Ok(()),
            _ => {}
        }
    }
}

async fn ask_here(
    folders: Folders,
    instance: Instance,
    question: &str,
    is_temporary: bool,
    printer: &mut AnswerPrinter,
) -> anyhow::Result<()> {
    let builder = AssistantBuilder::of_this_machine(folders).without_audio().for_one_question();
    let builder = if is_temporary { builder.keeping_nothing() } else { builder };
    let assistant = Assistant::start(builder, instance).await?;
    let conversation = ConversationId::main();
    let request = ReplyRequest::new(question, conversation);
    let mut reply = assistant.open_reply(request).await?;
    // The same as with a running Jarvis, where the socket takes no answers.
    reply.answers_nothing();
    let outcome = loop {
        let event = tokio::select! {
            event = reply.next() => event,
            _ = tokio::signal::ctrl_c() => break Ok(()),
        };
        let Some(event) = event else { break Ok(()) };
        let Some(view) = ReplyView::from_event(&event) else { continue };
        match printer.print(&view) {
            Ok(Print::More) => {}
            Ok(Print::Last) => break Ok(()),
            Err(error) => break Err(error.into()),
        }
    };
    assistant.shut_down().await;
    outcome
}

#[derive(PartialEq)]
enum Print {
    More,
    Last,
}

/// Prints an answer to standard output, and notes whether it failed.
struct AnswerPrinter {
    as_json: bool,
    has_failed: bool,
}

impl AnswerPrinter {
    fn print(&mut self, view: &ReplyView) -> io::Result<Print> {
        let mut out = io::stdout().lock();
        self.has_failed |= matches!(view, ReplyView::Trouble(_));
        if self.as_json {
            serde_json::to_writer(&mut out, view)?;
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
