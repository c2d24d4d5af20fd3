//! The lines of a pull, summed over the layers of the model.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use crate::LlmError;
use crate::servers::server_error::{invalid_response, reported_error};

/// A step of a pull.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullEvent {
    /// The server looks the model up.
    LookingUp,
    /// The server downloads it.
    Downloading(PullProgress),
    /// The server compares checksums and writes.
    Checking,
    /// The server has the model. Always the last event.
    Finished,
    /// The caller cancelled the pull. Always the last event.
    Cancelled,
}

/// The progress of a download, over all layers that the server has told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PullProgress {
    /// Bytes that the server has. Never falls.
    pub bytes: u64,
    /// Bytes of all layers that are known. Grows when the server starts another one.
    pub total: u64,
    /// The share in per cent, 0 to 99. Never falls, also when the total grows.
    pub percent: u8,
}

/// Parses the lines of a pull.
#[derive(Debug, Default)]
pub(super) struct PullParser {
    /// The layers by their digest.
    layers: HashMap<String, Layer>,
    percent: u8,
}

#[derive(Debug, Default)]
struct Layer {
    bytes: u64,
    total: u64,
}

#[derive(Deserialize)]
struct PullLine {
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    digest: Option<String>,
    #[serde(default)]
    total: Option<i64>,
    #[serde(default)]
    completed: Option<i64>,
    #[serde(default)]
    error: Option<Value>,
}

impl PullParser {
    /// Parses one line. Returns `None` for lines that say nothing about the progress.
    ///
    /// # Errors
    ///
    /// [`LlmError::Failed`] with the error that the line reports, or [`LlmError::InvalidResponse`].
    pub fn parse_line(&mut self, line: &str) -> Result<Option<PullEvent>, LlmError> {
        if line.trim().is_empty() {
            return Ok(None);
        }
        let line: PullLine = serde_json::from_str(line).map_err(|error| invalid_response(&error))?;
        if let Some(error) = &line.error {
            return Err(reported_error(error));
        }
        let Some(status) = line.status else {
            return Err(LlmError::InvalidResponse { what: "a line is not part of a pull".into() });
        };
        if let Some((digest, total)) = line.digest.zip(line.total) {
            return Ok(Some(PullEvent::Downloading(self.advance(
                digest,
                line.completed.map_or(0, count),
                count(total),
            ))));
        }
        Ok(match status.as_str() {
            "success" => Some(PullEvent::Finished),
            "pulling manifest" if self.layers.is_empty() => Some(PullEvent::LookingUp),
            other if is_about_checking(other) => Some(PullEvent::Checking),
            _ => None,
        })
    }

    fn advance(&mut self, digest: String, bytes: u64, total: u64) -> PullProgress {
        let layer = self.layers.entry(digest).or_default();
        // A part that has to be downloaded again is counted once.
        layer.total = layer.total.max(total);
        layer.bytes = layer.bytes.max(bytes).min(layer.total);
        let sum = |of: fn(&Layer) -> u64| self.layers.values().map(of).fold(0, u64::saturating_add);
        let (bytes, total) = (sum(|layer| layer.bytes), sum(|layer| layer.total));
        let share = u128::from(bytes) * 100 / u128::from(total.max(1));
        // 100 is left to the end: the server goes on for a while behind the last byte.
        self.percent = self.percent.max(u8::try_from(share).unwrap_or(99).min(99));
        PullProgress { bytes, total, percent: self.percent }
    }
}

/// Servers write counts with a sign.
fn count(written: i64) -> u64 {
    u64::try_from(written).unwrap_or(0)
}

/// Returns `true` for the steps after the download, such as `verifying sha256 digest`.
fn is_about_checking(status: &str) -> bool {
    ["verifying", "writing", "removing"].iter().any(|word| status.starts_with(word))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn events(lines: &[&str]) -> Vec<Option<PullEvent>> {
        let mut parser = PullParser::default();
        lines.iter().map(|line| parser.parse_line(line).unwrap()).collect()
    }

    fn downloading(bytes: u64, total: u64, percent: u8) -> Option<PullEvent> {
        Some(PullEvent::Downloading(PullProgress { bytes, total, percent }))
    }

    #[test]
    fn layers_are_summed_and_the_share_never_falls() {
        let events = events(&[
            r#"{"status":"pulling manifest"}"#,
            r#"{"status":"pulling aaa","digest":"sha256:aaa","total":900}"#,
            r#"{"status":"pulling aaa","digest":"sha256:aaa","total":900,"completed":450}"#,
            r#"{"status":"pulling aaa","digest":"sha256:aaa","total":900,"completed":400}"#,
            r#"{"status":"pulling aaa","digest":"sha256:aaa","total":900,"completed":900}"#,
            r#"{"status":"pulling bbb","digest":"sha256:bbb","total":100,"completed":0}"#,
            r#"{"status":"pulling bbb","digest":"sha256:bbb","total":100,"completed":100}"#,
            r#"{"status":"verifying sha256 digest"}"#,
            r#"{"status":"writing manifest"}"#,
            r#"{"status":"success"}"#,
        ]);

        let expected = [
            Some(PullEvent::LookingUp),
            downloading(0, 900, 0),
            downloading(450, 900, 50),
            downloading(450, 900, 50),
            downloading(900, 900, 99),
            downloading(900, 1000, 99),
            downloading(1000, 1000, 99),
            Some(PullEvent::Checking),
            Some(PullEvent::Checking),
            Some(PullEvent::Finished),
        ];
        assert_eq!(events, expected);
    }

    #[rstest]
    #[case::blank("  ", None)]
    #[case::unknown_step(r#"{"status":"warming the engines"}"#, None)]
    #[case::layer_that_is_there(
        r#"{"status":"pulling aaa","digest":"a","total":7,"completed":7}"#,
        downloading(7, 7, 99)
    )]
    #[case::more_than_there_is(
        r#"{"status":"pulling aaa","digest":"a","total":7,"completed":9}"#,
        downloading(7, 7, 99)
    )]
    #[case::counts_below_zero(
        r#"{"status":"pulling aaa","digest":"a","total":-1,"completed":-1}"#,
        downloading(0, 0, 0)
    )]
    fn odd_line_is_no_error(#[case] line: &str, #[case] expected: Option<PullEvent>) {
        assert_eq!(events(&[line]), [expected]);
    }

    #[rstest]
    #[case::page("<html>", "is not JSON")]
    #[case::broken_off(r#"{"status":"pull"#, "is incomplete")]
    #[case::other_json(r#"{"jsonrpc":"2.0"}"#, "not part of a pull")]
    #[case::other_types(r#"{"status":7}"#, "unexpected structure")]
    #[case::an_error(r#"{"error":"pull model manifest: file does not exist"}"#, "file does not exist")]
    fn invalid_line_is_reported_with_its_fault(#[case] line: &str, #[case] expected: &str) {
        let error = PullParser::default().parse_line(line).unwrap_err();

        assert!(error.to_string().contains(expected), "{error}");
    }
}
