//! Splits streamed bytes into lines.

use crate::LlmError;

/// Longer lines are an error. The longest known line, a whole tool call, has about 10,000 bytes.
const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;

/// Splits streamed bytes into lines.
#[derive(Debug, Default)]
pub(crate) struct LineSplitter {
    /// The start of an incomplete line.
    partial: Vec<u8>,
}

impl LineSplitter {
    /// Adds bytes. Returns the completed lines without line breaks.
    ///
    /// # Errors
    ///
    /// [`LlmError::InvalidResponse`] if a line is too long or not UTF-8.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, LlmError> {
        let mut lines = Vec::new();
        let mut parts = bytes.split(|byte| *byte == b'\n');
        let last = parts.next_back().unwrap_or_default();
        for piece in parts {
            self.partial.extend_from_slice(piece);
            lines.push(text(std::mem::take(&mut self.partial))?);
        }
        if self.partial.len() + last.len() > MAX_LINE_BYTES {
            return Err(LlmError::InvalidResponse { what: "a line is too long".into() });
        }
        self.partial.extend_from_slice(last);
        Ok(lines)
    }

    /// Ends the stream. Returns the last line, if it has no line break.
    ///
    /// # Errors
    ///
    /// As [`LineSplitter::push`].
    pub(crate) fn finish(&mut self) -> Result<Option<String>, LlmError> {
        let rest = text(std::mem::take(&mut self.partial))?;
        Ok(Some(rest).filter(|line| !line.is_empty()))
    }
}

fn text(mut line: Vec<u8>) -> Result<String, LlmError> {
    if line.ends_with(b"\r") {
        line.pop();
    }
    String::from_utf8(line).map_err(|_| LlmError::InvalidResponse { what: "a line is not UTF-8".into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_complete_for_any_split_of_the_bytes() {
        let bytes = "é one\r\ntwo\n\nlast".as_bytes();
        for cut in 0..bytes.len() {
            let mut lines = LineSplitter::default();

            let mut all = lines.push(&bytes[..cut]).unwrap();
            all.extend(lines.push(&bytes[cut..]).unwrap());
            all.extend(lines.finish().unwrap());

            assert_eq!(all, ["é one", "two", "", "last"], "cut at {cut}");
        }
    }

    #[test]
    fn bytes_other_than_utf_8_are_an_invalid_response() {
        let mut lines = LineSplitter::default();

        assert!(matches!(lines.push(b"\xff\xfe\n"), Err(LlmError::InvalidResponse { .. })));
    }

    #[test]
    fn line_above_the_limit_is_an_invalid_response() {
        let mut lines = LineSplitter::default();

        assert!(matches!(lines.push(&vec![b'x'; MAX_LINE_BYTES + 1]), Err(LlmError::InvalidResponse { .. })));
    }
}
