//! Cuts bytes that come in pieces into lines.

use crate::LlmError;

/// No line of a language model server is longer: the longest we know, a whole tool call, has some ten thousand bytes.
const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;

/// Bytes go in as they arrive, whole lines come out.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// The beginning of a line whose end has not come yet.
    started: Vec<u8>,
}

impl Lines {
    /// Takes more bytes, gives the lines they complete, without their ends.
    ///
    /// # Errors
    ///
    /// [`LlmError::Garbage`] when a line does not end or is not UTF-8: this is no language model server.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, LlmError> {
        let mut lines = Vec::new();
        let mut pieces = bytes.split(|byte| *byte == b'\n');
        let last = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            self.started.extend_from_slice(piece);
            lines.push(text(std::mem::take(&mut self.started))?);
        }
        if self.started.len() + last.len() > MAX_LINE_BYTES {
            return Err(LlmError::Garbage { what: "a line without end".into() });
        }
        self.started.extend_from_slice(last);
        Ok(lines)
    }

    /// The bytes have ended: what is left is a line too.
    ///
    /// # Errors
    ///
    /// As [`Lines::push`].
    pub(crate) fn finish(&mut self) -> Result<Option<String>, LlmError> {
        let rest = text(std::mem::take(&mut self.started))?;
        Ok(Some(rest).filter(|line| !line.is_empty()))
    }
}

fn text(mut line: Vec<u8>) -> Result<String, LlmError> {
    if line.ends_with(b"\r") {
        line.pop();
    }
    String::from_utf8(line).map_err(|_| LlmError::Garbage { what: "bytes that are no text".into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_however_the_bytes_were_cut() {
        let bytes = "é one\r\ntwo\n\nlast".as_bytes();
        for cut in 0..bytes.len() {
            let mut lines = Lines::default();

            let mut all = lines.push(&bytes[..cut]).unwrap();
            all.extend(lines.push(&bytes[cut..]).unwrap());
            all.extend(lines.finish().unwrap());

            assert_eq!(all, ["é one", "two", "", "last"], "cut at {cut}");
        }
    }

    #[test]
    fn what_is_no_text_is_garbage() {
        let mut lines = Lines::default();

        assert!(matches!(lines.push(b"\xff\xfe\n"), Err(LlmError::Garbage { .. })));
    }

    #[test]
    fn a_line_without_end_is_garbage() {
        let mut lines = Lines::default();

        assert!(matches!(lines.push(&vec![b'x'; MAX_LINE_BYTES + 1]), Err(LlmError::Garbage { .. })));
    }
}
