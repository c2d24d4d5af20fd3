//! Turns words into phonemes with the program espeak-ng.
//!
//! It runs as a separate program and is never linked, because its licence is the GPL. A run takes about 10 ms per
//! sentence, so it is not kept running. It removes punctuation, which the networks need for intonation. Each phrase
//! between two marks is therefore a paragraph of its input, and the marks are added to the output.

use std::process::Command;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::VoiceError;
use crate::program::run;

pub(super) const PROGRAM: &str = "espeak-ng";
/// The limit for one sentence. espeak-ng takes about 10 ms.
const LIMIT: Duration = Duration::from_secs(10);

/// The words between two punctuation marks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Phrase {
    words: String,
    /// The punctuation mark after it; `None` at the end of the text.
    mark: Option<char>,
}

/// The phonemes of `text` in IPA with its punctuation, as the voice `voice` of espeak-ng pronounces them.
pub(super) fn phonemes(text: &str, voice: &str, stop: &CancellationToken) -> Result<String, VoiceError> {
    let phrases = split_phrases(text);
    if phrases.is_empty() {
        return Ok(String::new());
    }
    let paragraphs: Vec<&str> = phrases.iter().map(|s| s.words.as_str()).collect();
    let mut spoken = run_espeak(&paragraphs.join("\n\n"), voice, stop)?;
    if spoken.len() != phrases.len() {
        // It split a phrase, or returned nothing for one: run it on each phrase alone.
        spoken = paragraphs
            .iter()
            .map(|words| run_espeak(words, voice, stop).map(|lines| lines.join(" ")))
            .collect::<Result<_, _>>()?;
    }
    let mut phonemes = String::new();
    for (phrase, spoken) in phrases.iter().zip(&spoken) {
        if spoken.is_empty() {
            continue;
        }
        if !phonemes.is_empty() {
            phonemes.push(' ');
        }
        phonemes.push_str(spoken);
        phonemes.extend(phrase.mark);
    }
    Ok(phonemes)
}

/// Runs espeak-ng, which returns one line per paragraph.
fn run_espeak(text: &str, voice: &str, stop: &CancellationToken) -> Result<Vec<String>, VoiceError> {
    let mut command = Command::new(PROGRAM);
    command.args(["-q", "--ipa", "-b", "1", "--stdin", "-v", voice]);
    let output = run(command, text, LIMIT, stop)?;
    let output = String::from_utf8_lossy(&output);
    Ok(output.lines().map(strip_marks).filter(|line| !line.is_empty()).collect())
}

/// Removes the joiners and the marks of a change of language, such as `(fr)`.
fn strip_marks(line: &str) -> String {
    let mut depth = 0;
    let remaining = line.chars().filter(|&c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => return depth == 0 && c != '\u{200d}' && c != '\u{0361}',
        }
        false
    });
    remaining.collect::<String>().trim().to_owned()
}

/// Splits a text at its punctuation, but not at marks inside numbers and words, as in `3.50`, `10:30` and `can't`.
fn split_phrases(text: &str) -> Vec<Phrase> {
    let mut phrases: Vec<Phrase> = Vec::new();
    let mut words = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_followed_by_a_word = chars.peek().is_some_and(|next| next.is_alphanumeric());
        match mark(c) {
            Some(_) if is_followed_by_a_word && is_inside_word(c, &words) => words.push(c),
            Some(mark) => push_phrase(&mut phrases, &mut words, Some(mark)),
            // espeak-ng reads `[[` as the start of phonemes, and other signs as separate words.
            _ if c.is_alphanumeric() || is_spoken_sign(c) => words.push(c),
            _ => words.push(' '),
        }
    }
    push_phrase(&mut phrases, &mut words, None);
    phrases
}

fn push_phrase(phrases: &mut Vec<Phrase>, words: &mut String, mark: Option<char>) {
    let text = std::mem::take(words);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().any(|c| c.is_alphanumeric() || is_spoken_sign(c) && c != '\'' && c != '-') {
        phrases.push(Phrase { words: text, mark });
    } else if let (Some(last), Some(mark)) = (phrases.last_mut(), mark) {
        // `?!` and `...`: the first mark counts, unless a stronger one follows.
        if matches!(mark, '?' | '!') || last.mark.is_none() {
            last.mark = Some(mark);
        }
    }
}

/// The mark that the networks know for this character.
fn mark(c: char) -> Option<char> {
    match c {
        '.' | ',' | ';' | ':' | '!' | '?' => Some(c),
        '…' | '。' => Some('.'),
        '—' | '–' | '(' | ')' | '\n' | '、' => Some(','),
        '！' => Some('!'),
        '？' | '¿' => Some('?'),
        _ => None,
    }
}

fn is_inside_word(c: char, before: &str) -> bool {
    matches!(c, '.' | ',' | ':' | '–' | '!' | '?') && before.ends_with(|b: char| b.is_alphanumeric())
}

/// Returns `true` if this sign is part of a word or spoken as one.
fn is_spoken_sign(c: char) -> bool {
    matches!(
        c,
        '\'' | '’' | '-' | '%' | '&' | '+' | '=' | '@' | '°' | '$' | '€' | '£' | '¥' | '§' | '<' | '>' | '±'
    ) || matches!(c, '\u{0300}'..='\u{036f}')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::one("It rains.", &[("It rains", Some('.'))])]
    #[case::two("Well, it rains", &[("Well", Some(',')), ("it rains", None)])]
    #[case::numbers_stay_whole("At 10:30 it is 3.5, no 1,000.", &[("At 10:30 it is 3.5", Some(',')), ("no 1,000", Some('.'))])]
    #[case::marks_in_a_row("What?! No...", &[("What", Some('!')), ("No", Some('.'))])]
    #[case::parentheses("Rain (a lot) falls", &[("Rain", Some(',')), ("a lot", Some(',')), ("falls", None)])]
    #[case::quotation_marks_are_silent("\"Yes\", he said", &[("Yes", Some(',')), ("he said", None)])]
    #[case::phoneme_brackets_are_silent("[[h@loU]]", &[("h@loU", None)])]
    #[case::signs_alone("*** --- !!!", &[])]
    #[case::nothing("", &[])]
    fn text_is_split_into_phrases_at_its_punctuation(
        #[case] text: &str,
        #[case] expected: &[(&str, Option<char>)],
    ) {
        let phrases: Vec<(String, Option<char>)> =
            split_phrases(text).into_iter().map(|s| (s.words, s.mark)).collect();

        let expected: Vec<(String, Option<char>)> =
            expected.iter().map(|(words, mark)| ((*words).to_owned(), *mark)).collect();
        assert_eq!(phrases, expected);
    }

    #[test]
    fn language_marks_and_joiners_are_removed() {
        assert_eq!(strip_marks(" (fr)bɔ̃ʒˈuʁ(en) t\u{200d}ʃ "), "bɔ̃ʒˈuʁ tʃ");
    }
}
