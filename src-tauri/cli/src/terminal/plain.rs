//! Lines in, lines out, for pipes and files.

use std::io::{self, Write};

use assistant::Assistant;
use tokio::io::{AsyncBufReadExt, BufReader};
use vocabulary::{AssistantEvent, Origin, ReplyEvent, Ring, Trouble};

use super::conversation::{asked, attached, missing_voice_note, rings, tool_name};

/// Asks line by line until the lines end. The reply to one is complete before the next is asked.
pub(super) async fn run(assistant: &Assistant) -> anyhow::Result<()> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut events = assistant.subscribe();
    let mut foreground = assistant.foreground();
    let earlier = EarlierEvents::new(assistant);
    earlier.print()?;
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
                Some(line) if line.trim().is_empty() => stop_rings(assistant).await,
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
                Ok(event) if earlier.contain(&event) => {}
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

/// Events from before the subscription that still count. The subscription may repeat them.
struct EarlierEvents {
    troubles: Vec<Trouble>,
    /// Missed appointments ring from the start.
    rings: Vec<Ring>,
}

impl EarlierEvents {
    fn new(assistant: &Assistant) -> Self {
        Self { troubles: assistant.troubles(), rings: assistant.rings() }
    }

    fn print(&self) -> io::Result<()> {
        for trouble in &self.troubles {
            print(&AssistantEvent::Trouble(trouble.clone()))?;
        }
        for ring in &self.rings {
            print(&AssistantEvent::AppointmentRang(ring.clone()))?;
        }
        Ok(())
    }

    fn contain(&self, event: &AssistantEvent) -> bool {
        match event {
            AssistantEvent::Trouble(trouble) => self.troubles.contains(trouble),
            AssistantEvent::AppointmentRang(ring) => self.rings.contains(ring),
            _ => false,
        }
    }
}

async fn stop_rings(assistant: &Assistant) {
    for ring in assistant.rings() {
        // It may have been settled a moment ago.
        let _ = assistant.stop_ring(ring.appointment).await;
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
