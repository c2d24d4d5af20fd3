//! The call that is under way: who is asked, and who is told how far it is.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use vocabulary::Private;

use super::elicitation::Asker;
use super::plain_line::plain_line;
use super::secrets::Secrets;

/// The shortest time between two lines of progress. A person reads no faster, and a server may send thousands.
const PROGRESS_PAUSE: Duration = Duration::from_millis(250);

/// The call that is under way, if there is one. Clones share it.
#[derive(Clone, Default)]
pub(super) struct OngoingCall(Arc<Mutex<Option<Call>>>);

struct Call {
    asker: Asker,
    /// The token by which the server names the call; `None` until it was sent.
    token: Option<ProgressToken>,
    told_at: Option<Instant>,
    /// Cancelled when the call is over.
    over: CancellationToken,
}

/// Ends the time in which a server may ask and report.
pub(super) struct Over {
    ongoing: OngoingCall,
    _over: DropGuard,
}

impl OngoingCall {
    /// Begins a call of this user. It ends with the value that is returned.
    pub fn begin(&self, asker: Asker) -> Over {
        let over = CancellationToken::new();
        let ends = over.clone().drop_guard();
        *self.0.lock() = Some(Call { asker, token: None, told_at: None, over });
        Over { ongoing: self.clone(), _over: ends }
    }

    /// Notes the token of the call.
    pub fn is_named(&self, token: ProgressToken) {
        if let Some(call) = &mut *self.0.lock() {
            call.token = Some(token);
        }
    }

    /// The user of the call, and what ends with it: nobody waits for an answer to the server any more.
    pub fn asker(&self) -> Option<(Asker, CancellationToken)> {
        self.0.lock().as_ref().map(|call| (call.asker.clone(), call.over.clone()))
    }

    /// Tells the user how far the call is, a few times a second at most. Progress of another call is left out.
    pub fn report(&self, progress: &ProgressNotificationParam, secrets: &Secrets) {
        let mut call = self.0.lock();
        let Some(call) = &mut *call else { return };
        let is_other = call.token.as_ref().is_some_and(|token| *token != progress.progress_token);
        let is_early = call.told_at.is_some_and(|at| at.elapsed() < PROGRESS_PAUSE);
        if is_other || is_early {
            return;
        }
        call.told_at = Some(Instant::now());
        let line = secrets.hidden_in(&progress_line(&call.asker.server, progress));
        call.asker.inquiries.report(Private(line));
    }
}

impl Drop for Over {
    fn drop(&mut self) {
        *self.ongoing.0.lock() = None;
    }
}

/// The name of the server, what it says, and the numbers, without words of a language.
fn progress_line(server: &str, progress: &ProgressNotificationParam) -> String {
    let numbers = match progress.total.filter(|total| *total > 0.0) {
        Some(total) => format!("{} / {}", rounded(progress.progress), rounded(total)),
        None => rounded(progress.progress),
    };
    match progress.message.as_deref().map(plain_line).filter(|message| !message.is_empty()) {
        Some(message) => format!("{server}: {message} ({numbers})"),
        None => format!("{server}: {numbers}"),
    }
}

fn rounded(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;
    use rstest::rstest;

    use super::*;
    use crate::Inquiries;

    #[rstest]
    #[case::of_a_total(3.0, Some(10.0), Some("Reading"), "files: Reading (3 / 10)")]
    #[case::without_a_total(3.5, None, None, "files: 3.5")]
    #[case::total_of_nothing(1.0, Some(0.0), Some(" \n"), "files: 1")]
    #[case::lines_and_hidden_signs(1.0, Some(2.0), Some("a\nb\u{202e}c"), "files: a bc (1 / 2)")]
    fn progress_is_one_line_that_names_its_server(
        #[case] progress: f64,
        #[case] total: Option<f64>,
        #[case] message: Option<&str>,
        #[case] expected: &str,
    ) {
        let mut notice = ProgressNotificationParam::new(ProgressToken(NumberOrString::Number(1)), progress);
        notice.total = total;
        notice.message = message.map(str::to_owned);

        assert_eq!(progress_line("files", &notice), expected);
    }

    #[test]
    fn what_waits_for_the_user_ends_with_the_call() {
        let ongoing = OngoingCall::default();
        let asker = Asker { server: "files".to_owned(), language: None, inquiries: Inquiries::default() };
        let over = ongoing.begin(asker);
        let (_, waiting) = ongoing.asker().unwrap();

        drop(over);

        assert!(waiting.is_cancelled() && ongoing.asker().is_none());
    }
}
