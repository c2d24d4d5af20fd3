//! `jarvis tools`: what tools were called, and why they might run or not.

use std::io::{self, Write};

use assistant::{
    CallFilter, CallStatus, LoggedCall, MAX_CALLS, MemoryAnswer, MemoryRequest, Request, Response,
};
use clap::Subcommand;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use vocabulary::ConversationId;

use crate::memory::days::Days;
use crate::memory::layout::plain;
use crate::owner;

/// Verbs for tools.
#[derive(Subcommand)]
pub(crate) enum ToolsVerb {
    /// List the newest calls of tools, and why each ran or did not. The newest 5000 are kept, but none of
    /// temporary conversations.
    Log(Log),
}

#[derive(clap::Args)]
pub(crate) struct Log {
    /// Only calls of this tool.
    #[arg(long)]
    tool: Option<String>,
    /// Only calls that ended like this, such as `done`, `failed`, `denied` or `declined`.
    #[arg(long, value_parser = outcome)]
    outcome: Option<String>,
    #[command(flatten)]
    days: Days,
    /// The largest number of calls.
    #[arg(long, default_value_t = 20)]
    limit: usize,
    /// One JSON object a line, for programs; times are microseconds since 1970 UTC.
    #[arg(long)]
    json: bool,
}

/// Runs the verb for this user.
pub(crate) async fn run(ToolsVerb::Log(log): ToolsVerb) -> anyhow::Result<()> {
    let owner = owner::find().await?;
    let outcome = list(&owner, log, &mut io::stdout().lock()).await;
    owner.close().await;
    outcome
}

async fn list(owner: &assistant::DataOwner, log: Log, out: &mut dyn Write) -> anyhow::Result<()> {
    let zone = owner.time_zone().await?;
    let filter = CallFilter { tool: log.tool, outcome: log.outcome, ..CallFilter::default() };
    let request =
        MemoryRequest::ListCalls { filter, days: log.days.range(), limit: log.limit.min(MAX_CALLS) };
    let mut count = 0;
    let take = |response| {
        let Response::Memory(answer) = response else { return Ok(()) };
        let MemoryAnswer::Call(call) = *answer else { return Ok(()) };
        count += 1;
        match log.json {
            true => writeln!(out, "{}", as_json(&call))?,
            false => write!(out, "{}", in_words(&call, &zone))?,
        }
        Ok(())
    };
    owner::request(owner, Request::Memory(request), take).await?;
    if count == 0 && !log.json {
        writeln!(out, "No call of a tool is in the log.")?;
    }
    Ok(())
}

/// The call in two lines: time, tool and end; below them the reason, the origin and the arguments.
fn in_words(call: &LoggedCall, zone: &TimeZone) -> String {
    let at = Timestamp::from_microsecond(call.at_micros).unwrap_or_default();
    let at = at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S");
    let (tool, took) = (plain(&call.tool), call.took_ms);
    let arguments = match call.arguments.is_empty() {
        true => String::new(),
        false => format!("    {}\n", plain(&call.arguments)),
    };
    format!(
        "{at}  {tool}  {} ({took} ms)\n    {}; {}\n{arguments}",
        call.outcome,
        reason(call),
        asked_by(call)
    )
}

/// The one who asked: a program with a key by its name, or the user, and the way in.
fn asked_by(call: &LoggedCall) -> String {
    let conversation = ConversationId(call.conversation.clone());
    if let Some(program) = conversation.program() {
        return format!("by the program {}", plain(program));
    }
    let origin = match call.origin.as_str() {
        "loopback" => "by jarvis ask or jarvis mcp".to_owned(),
        origin => plain(origin),
    };
    format!("{origin}, in {}", plain(&call.conversation))
}

/// The decision and its reason, in words.
fn reason(call: &LoggedCall) -> String {
    let decision = match call.decision.as_str() {
        "allowed" => "allowed",
        "denied" => "denied",
        "approved" => "asked, you agreed",
        "approved_for_good" => "asked, you agreed for good",
        "declined" => "asked, you said no",
        "unanswered" => "asked, nobody answered",
        _ => return "not decided".to_owned(),
    };
    let grounds = match call.grounds.as_str() {
        "setting" => "by your settings",
        "untrusted" => "because the reply had read text from outside",
        "private_words" => "because private words would have gone out",
        "unsure" => "because the model was not sure",
        "changed_description" => "because the server describes the tool differently now",
        _ => "by default",
    };
    format!("{decision} {grounds}")
}

fn as_json(call: &LoggedCall) -> Value {
    json!({
        "id": call.id,
        "at_micros": call.at_micros,
        "tool": call.tool,
        "effect": call.effect,
        "arguments": *call.arguments,
        "decision": call.decision,
        "grounds": call.grounds,
        "outcome": call.outcome,
        "origin": call.origin,
        "conversation": call.conversation,
        "took_ms": call.took_ms,
    })
}

fn outcome(name: &str) -> Result<String, String> {
    let typed = name.trim().to_lowercase().replace(['-', '_'], " ");
    let known = CallStatus::ALL.map(CallStatus::as_str);
    match known.contains(&typed.as_str()) {
        true => Ok(typed),
        false => {
            let names = known.map(|name| name.replace(' ', "-")).join(", ");
            Err(format!("{name:?} is no end of a call: use {names}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use vocabulary::Private;

    use super::*;

    fn call() -> LoggedCall {
        LoggedCall {
            id: 7,
            at_micros: 1_763_812_800_000_000,
            tool: "webSearch".into(),
            effect: "network".into(),
            arguments: Private("search_query: rain\u{1b}[31m".into()),
            decision: "approved".into(),
            grounds: "private_words".into(),
            outcome: "timed out".into(),
            origin: "voice".into(),
            conversation: "main".into(),
            took_ms: 1200,
        }
    }

    #[test]
    fn call_is_listed_with_reason_origin_and_arguments() {
        insta::assert_snapshot!(in_words(&call(), &TimeZone::UTC), @r"
        2025-11-22 12:00:00  webSearch  timed out (1200 ms)
            asked, you agreed because private words would have gone out; voice, in main
            search_query: rain [31m
        ");
    }

    #[rstest]
    #[case::spoken("voice", "main", "voice, in main")]
    #[case::by_the_user_with_a_command("loopback", "main", "by jarvis ask or jarvis mcp, in main")]
    #[case::by_a_program("loopback", "temporary-3-of-kitchen", "by the program kitchen")]
    fn log_tells_who_asked(#[case] origin: &str, #[case] conversation: &str, #[case] expected: &str) {
        let call = LoggedCall { origin: origin.into(), conversation: conversation.into(), ..call() };

        assert_eq!(asked_by(&call), expected);
    }

    #[rstest]
    #[case::known("timed-out", Ok("timed out"))]
    #[case::written_otherwise("Timed_Out", Ok("timed out"))]
    #[case::unknown(
        "broken",
        Err(
            "\"broken\" is no end of a call: use done, failed, unknown-tool, invalid-arguments, denied, declined, unanswered, timed-out, stopped, panicked"
        )
    )]
    fn outcome_is_read_as_it_is_typed(#[case] typed: &str, #[case] expected: Result<&str, &str>) {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);

        assert_eq!(outcome(typed), expected);
    }
}
