//! What was said, in batches that fit into a model's context.

use memory::Participant;
use vocabulary::Private;

/// Something that was said, redacted already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Who.
    pub speaker: Participant,
    /// What.
    pub text: Private<String>,
}

impl Chunk {
    /// Said by the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self { speaker: Participant::User, text: Private(text.into()) }
    }

    /// Said by the assistant.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { speaker: Participant::Assistant, text: Private(text.into()) }
    }

    /// Of it what fits into so many tokens; `None` when all of it does.
    pub(crate) fn beginning(&self, tokens: usize) -> Option<Self> {
        let words = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let first = pieces(&words, tokens * BYTES_PER_TOKEN).next()?;
        (first.len() < words.len()).then(|| Self { speaker: self.speaker, text: Private(first.to_owned()) })
    }

    /// As lines of at most `most_bytes` with the speaker in front; more than one only where it is very long.
    fn lines(&self, most_bytes: usize) -> Vec<String> {
        let label = match self.speaker {
            Participant::User => "User: ",
            Participant::Assistant => "Assistant: ",
        };
        // Nobody can begin a line of somebody else's.
        let words = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        pieces(&words, most_bytes).map(|piece| format!("{label}{}", piece.trim())).collect()
    }
}

/// Lines that fit together, and how many chunks are complete once they have been read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) lines: Vec<String>,
    pub(crate) chunks_complete: usize,
}

/// All the chunks, in as few batches of at most `tokens` as it takes.
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

/// How many tokens are left for material beside a prompt and what else goes with it, out of a context of
/// `context_tokens` in which the answer needs room as well.
pub(crate) fn room_beside(context_tokens: u32, answer_tokens: u32, others: &[&str]) -> usize {
    /// Even beside a very long summary the pass goes on: this much fits whatever the estimate says.
    const LEAST: usize = 256;
    let others: usize = others.iter().map(|text| text.len() / BYTES_PER_TOKEN + 1).sum();
    (context_tokens as usize).saturating_sub(answer_tokens as usize + others).max(LEAST)
}

/// A token is about four bytes of English or Russian and three of Japanese: three is the safe side.
const BYTES_PER_TOKEN: usize = 3;

fn pieces(text: &str, most_bytes: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.floor_char_boundary(most_bytes);
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
    fn nothing_is_left_out_however_small_the_batches() {
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
    fn a_word_longer_than_a_batch_is_cut_between_characters() {
        let [first, .., last] = &batches(&[Chunk::user("ああああああ")], 3)[..] else {
            panic!("one batch")
        };

        assert_eq!((&first.lines[0][..], last.chunks_complete), ("User: あああ", 1));
    }

    #[test]
    fn silence_makes_no_batch() {
        assert_eq!(batches(&[Chunk::user("  ")], 100), []);
    }
}
