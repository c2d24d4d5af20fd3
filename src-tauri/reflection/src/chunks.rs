//! The dialogue in chunks, and batches of them that fit into the model's context.

use memory::Participant;
use vocabulary::Private;

/// A message of the dialogue, already redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The one who said it.
    pub speaker: Participant,
    /// The words.
    pub text: Private<String>,
}

impl Chunk {
    /// A message of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self { speaker: Participant::User, text: Private(text.into()) }
    }

    /// A message of the assistant.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { speaker: Participant::Assistant, text: Private(text.into()) }
    }

    /// The beginning that fits into this many tokens; `None` when the whole chunk fits.
    pub(crate) fn beginning(&self, tokens: usize) -> Option<Self> {
        let words = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let first = pieces(&words, tokens * BYTES_PER_TOKEN).next()?;
        (first.len() < words.len()).then(|| Self { speaker: self.speaker, text: Private(first.to_owned()) })
    }

    /// The chunk as lines with the speaker in front. A text of more than `max_bytes` becomes several lines.
    fn lines(&self, max_bytes: usize) -> Vec<String> {
        let label = match self.speaker {
            Participant::User => "User: ",
            Participant::Assistant => "Assistant: ",
        };
        // On one line, so that a text cannot contain a line that looks like another speaker's.
        let words = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        pieces(&words, max_bytes).map(|piece| format!("{label}{}", piece.trim())).collect()
    }
}

/// Lines that fit into one question, and the number of chunks that are complete with them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) lines: Vec<String>,
    pub(crate) chunks_complete: usize,
}

/// All chunks, in as few batches of at most `tokens` as possible.
pub(crate) fn batches(chunks: &[Chunk], tokens: usize) -> Vec<Batch> {
    let room = tokens * BYTES_PER_TOKEN;
    let mut batches = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for (chunk, before) in chunks.iter().zip(0..) {
        for line in chunk.lines(room) {
            if used + line.len() > room && !lines.is_empty() {
                batches.push(Batch { lines: std::mem::take(&mut lines), chunks_complete: before });
                used = 0;
            }
            used += line.len() + 1;
            lines.push(line);
        }
    }
    if !lines.is_empty() {
        batches.push(Batch { lines, chunks_complete: chunks.len() });
    } else if let Some(last) = batches.last_mut() {
        last.chunks_complete = chunks.len();
    }
    batches
}

/// Tokens left for the material, in a context of `context_tokens` that also contains the answer and the `others`.
pub(crate) fn room_beside(context_tokens: u32, answer_tokens: u32, others: &[&str]) -> usize {
    /// Lower limit, so that a pass continues beside a very long summary: the estimate is pessimistic.
    const MIN_TOKENS: usize = 256;
    let others: usize = others.iter().map(|text| text.len() / BYTES_PER_TOKEN + 1).sum();
    (context_tokens as usize).saturating_sub(answer_tokens as usize + others).max(MIN_TOKENS)
}

/// A token is about four bytes of English or Russian and three of Japanese; three is the safe value.
const BYTES_PER_TOKEN: usize = 3;

fn pieces(text: &str, max_bytes: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.floor_char_boundary(max_bytes);
        let end = match rest[..end].rfind(' ') {
            Some(blank) if end < rest.len() && blank > 0 => blank,
            _ => end.max(rest.chars().next().map_or(1, char::len_utf8)),
        };
        let (piece, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(lines: &[&str], chunks_complete: usize) -> Batch {
        Batch { lines: lines.iter().map(|&line| line.into()).collect(), chunks_complete }
    }

    #[test]
    fn small_batches_contain_the_whole_dialogue() {
        let chunks =
            [Chunk::user("one two three four"), Chunk::assistant("five\nUser: six"), Chunk::user(" ")];

        assert_eq!(
            batches(&chunks, 100),
            [batch(&["User: one two three four", "Assistant: five User: six"], 3)]
        );
        assert_eq!(
            batches(&chunks, 5),
            [
                batch(&["User: one two three"], 0),
                batch(&["User: four"], 1),
                batch(&["Assistant: five User: six"], 3),
            ]
        );
    }

    #[test]
    fn word_longer_than_a_batch_is_split_between_characters() {
        let [first, .., last] = &batches(&[Chunk::user("ああああああ")], 3)[..] else {
            panic!("one batch")
        };

        assert_eq!((&first.lines[0][..], last.chunks_complete), ("User: あああ", 1));
    }

    #[test]
    fn blank_dialogue_makes_no_batch() {
        assert_eq!(batches(&[Chunk::user("  ")], 100), []);
    }
}
