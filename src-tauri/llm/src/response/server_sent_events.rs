//! Reads server-sent events from the lines of a response.

use crate::LlmError;

/// Collects the data of server-sent events. An event ends with an empty line or at the start of the next one.
#[derive(Debug, Default)]
pub(crate) struct ServerSentEvents {
    data: String,
}

impl ServerSentEvents {
    /// Adds a line. Returns the data of the event that it completes.
    ///
    /// # Errors
    ///
    /// [`LlmError::InvalidResponse`] if the line is not part of an event.
    pub(crate) fn push_line(&mut self, line: &str) -> Result<Option<String>, LlmError> {
        if line.is_empty() {
            return Ok(self.take());
        }
        if let Some(data) = line.strip_prefix("data:") {
            // Some servers end an event with one line break only. No known server splits its JSON over several lines.
            let previous = self.take();
            data.trim().clone_into(&mut self.data);
            return Ok(previous);
        }
        // Responses without streaming are plain JSON.
        if line.starts_with('{') {
            return Ok(Some(line.to_owned()));
        }
        // The data says what the event is, so that its name is not needed.
        let is_ignored = [":", "event", "id", "retry"].iter().any(|field| line.starts_with(field));
        if is_ignored {
            Ok(None)
        } else {
            Err(LlmError::InvalidResponse { what: "a line is not an event".into() })
        }
    }

    /// The data of the last event, if no empty line ended it.
    pub(crate) fn take(&mut self) -> Option<String> {
        Some(std::mem::take(&mut self.data)).filter(|data| !data.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_ends_with_an_empty_line_or_the_next_event() {
        let mut events = ServerSentEvents::default();

        let lines = [": comment", "event: a", "data: 1", "", "data: 2", "data:3", "{}"];
        let read: Vec<_> = lines.iter().filter_map(|line| events.push_line(line).unwrap()).collect();

        assert_eq!(read, ["1", "2", "{}"]);
        assert_eq!(events.take().as_deref(), Some("3"));
        assert_eq!(events.take(), None);
    }
}
