//! Lines in, lines out, for pipes and files.

use std::io::{self, Write};

use assistant::Assistant;
use tokio::io::{AsyncBufReadExt, BufReader};
use vocabulary::{AssistantEvent, Origin, ReplyEvent};

use super::conversation::{asked, attached, missing_voice_note, rings, tool_name};

/// Asks line by line until the lines end. The reply to one is complete before the next is asked.
pub(super) async fn run(assistant: &Assistant) -> anyhow::Result<()> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut events = assistant.subscribe();
    let mut foreground = assistant.foreground();
    // Troubles from before the subscription; the events may repeat them.
    let known = assistant.troubles();
    for trouble in &known {
        print(&AssistantEvent::Trouble(trouble.clone()))?;
    }
    // What was missed rings from the start.
    let rung = assistant.rings();
    for ring in &rung {
        print(&AssistantEvent::AppointmentRang(ring.clone()))?;
    }
    // The assistant became ready before the subscription began.
    writeln!(io::stdout(), "Ready.")?;
    let mut waiting_for = None;
    let mut has_ended = false;
    loop {
        if has_ended && waiting_for.is_none() {
            return Ok(());
        }
        tokio::select! {
            line = lines.next_line(), if waiting_for.is_none() && !has_ended => match line? {
                Some(line) if line.trim().is_empty() => {
                    for ring in assistant.rings() {
                        // It may have been settled a moment ago.
                        let _ = assistant.stop_ring(ring.appointment).await;
                    }
                }
                Some(line) => match assistant.ask(&line, Origin::Typed).await {
                    Ok(reply) => waiting_for = Some(reply),
                    Err(refused) => writeln!(io::stderr(), "! {}", refused.trouble())?,
                },
                None => has_ended = true,
            },
            // The end of the reply may be among events that we missed.
            _ = foreground.wait_for(|reply| *reply != waiting_for), if waiting_for.is_some() && events.is_empty() => {
                waiting_for = None;
            }
            event = events.recv() => match event {
                Ok(AssistantEvent::Trouble(trouble)) if known.contains(&trouble) => {}
                Ok(AssistantEvent::AppointmentRang(ring)) if rung.contains(&ring) => {}
                Ok(event) => {
                    print(&event)?;
                    // The next line answers the question of a reply.
                    if let AssistantEvent::Reply { reply, event: ReplyEvent::Done(_) | ReplyEvent::Question(_) } = event
                        && waiting_for == Some(reply)
                    {
                        waiting_for = None;
                    }
                }
                Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
                Err(tokio::sync::broadcast::error::RecvError::Closed) => return Ok(()),
            },
            _ = tokio::signal::ctrl_c() => match waiting_for {
                Some(_) => assistant.stop().await,
                None => return Ok(()),
            },
        }
    }
}

fn print(event: &AssistantEvent) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match event {
        AssistantEvent::Asked { text, origin: Origin::Voice, .. } => writeln!(out, "> {text}")?,
        AssistantEvent::Reply { event: ReplyEvent::Delta { text }, .. } => write!(out, "{text}")?,
        AssistantEvent::Reply { event: ReplyEvent::Done(response), .. } => {
            writeln!(out)?;
            for file in &response.attachments {
                writeln!(io::stderr(), "{}", attached(file))?;
            }
        }
        AssistantEvent::Reply { event: ReplyEvent::Note { text }, .. } => writeln!(io::stderr(), "{text}")?,
        AssistantEvent::Reply { event: ReplyEvent::ToolStarted { tool, .. }, .. } => {
            writeln!(io::stderr(), "Using: {}", tool_name(tool))?;
        }
        AssistantEvent::Reply { event: ReplyEvent::Question(question), .. } => {
            writeln!(out, "{}", asked(question))?;
        }
        AssistantEvent::AppointmentRang(ring) => writeln!(out, "{}", rings(ring))?,
        AssistantEvent::VoiceMissing { language, download } => {
            writeln!(io::stderr(), "{}", missing_voice_note(language, download.as_deref()))?;
        }
        AssistantEvent::Trouble(trouble) => writeln!(io::stderr(), "! {trouble}")?,
        AssistantEvent::Recovered(trouble) => writeln!(io::stderr(), "The {} works again.", trouble.stage)?,
        _ => {}
    }
    out.flush()
}
