//! `jarvis ask`: one question, the answer as it comes.

use std::io::{self, Read, Write};

use ::settings::Folders;
use anyhow::{Context, bail};
use assistant::{Assistant, AssistantBuilder, Call, Instance, InstanceError, Line, ReplyRequest, ReplyView};
use vocabulary::ConversationId;

/// Asks the running assistant, or one of our own when none runs. Nothing is kept of a question `in_passing`.
pub(crate) async fn run(question: String, as_json: bool, in_passing: bool) -> anyhow::Result<()> {
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
    let mut paper = Paper { as_json, has_failed: false };
    match Instance::claim(&folders.data) {
        Ok(instance) => ask_ourselves(folders, instance, &question, in_passing, &mut paper).await?,
        Err(InstanceError::AlreadyRunning) => {
            let mut line = Line::call(&folders.data, &Call::Ask { text: question, is_temporary: in_passing })
                .await
                .context("Jarvis is running but does not answer; quit it and try again")?;
            while let Some(view) = line.next().await.context("the running Jarvis hung up")? {
                if paper.print(&view)? == Print::Last {
                    break;
                }
            }
        }
        Err(error) => return Err(error.into()),
    }
    if paper.has_failed {
        bail!("the question was not answered");
    }
    Ok(())
}

async fn ask_ourselves(
    folders: Folders,
    instance: Instance,
    question: &str,
    in_passing: bool,
    paper: &mut Paper,
) -> anyhow::Result<()> {
    let parts = AssistantBuilder::of_this_machine(folders).without_audio().for_one_question();
    let parts = if in_passing { parts.keeping_nothing() } else { parts };
    let assistant = Assistant::start(parts, instance).await?;
    let conversation = ConversationId::main();
    let request = ReplyRequest { text: question.to_owned(), language: None, conversation };
    let mut reply = assistant.open_reply(request).await?;
    let outcome = loop {
        let event = tokio::select! {
            event = reply.next() => event,
            _ = tokio::signal::ctrl_c() => break Ok(()),
        };
        let Some(event) = event else { break Ok(()) };
        let Some(view) = ReplyView::of(&event) else { continue };
        match paper.print(&view) {
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

/// Standard output, and whether the question was answered.
struct Paper {
    as_json: bool,
    has_failed: bool,
}

impl Paper {
    fn print(&mut self, view: &ReplyView) -> io::Result<Print> {
        let mut out = io::stdout().lock();
        self.has_failed |= matches!(view, ReplyView::Trouble(_));
        if self.as_json {
            serde_json::to_writer(&mut out, view)?;
            writeln!(out)?;
        } else {
            match view {
                ReplyView::Delta { text } => write!(out, "{text}")?,
                // The words of the reply say it too; standard error tells programs apart.
                ReplyView::Trouble(trouble) => tracing::warn!(%trouble, "a reply failed"),
                ReplyView::Done { .. } => writeln!(out)?,
            }
        }
        out.flush()?;
        Ok(if matches!(view, ReplyView::Done { .. }) { Print::Last } else { Print::More })
    }
}
