//! Words to phonemes, by the program espeak-ng.
//!
//! It is a program of its own and never linked: its licence is the GPL. One run for each sentence takes some 10 ms
//! here, so keeping it running would gain nothing and could mix up sentences. It swallows punctuation, which the
//! networks need for their melody, so each stretch between two marks is a paragraph of its own and the marks are put
//! back afterwards.

use std::process::Command;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::VoiceError;
use crate::program::run;

pub(super) const PROGRAM: &str = "espeak-ng";
/// The longest it may take for one sentence; it takes some 10 ms.
const LIMIT: Duration = Duration::from_secs(10);

/// A stretch of words between two marks of punctuation.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    words: String,
    /// The mark behind it, or none at the end of the text.
    mark: Option<char>,
}

/// The phonemes of `text` in IPA, with its punctuation, spoken as espeak-ng's voice `voice` does.
pub(super) fn phonemes(text: &str, voice: &str, stop: &CancellationToken) -> Result<String, VoiceError> {
    let stretches = stretches(text);
    if stretches.is_empty() {
        return Ok(String::new());
    }
    let paragraphs: Vec<&str> = stretches.iter().map(|s| s.words.as_str()).collect();
    let mut spoken = ask(&paragraphs.join("\n\n"), voice, stop)?;
    if spoken.len() != stretches.len() {
        // It cut a stretch in two, or found nothing to say in one: ask for each by itself.
        spoken = paragraphs
            .iter()
            .map(|words| ask(words, voice, stop).map(|lines| lines.join(" ")))
            .collect::<Result<_, _>>()?;
    }
    let mut phonemes = String::new();
    for (stretch, spoken) in stretches.iter().zip(&spoken) {
        if spoken.is_empty() {
            continue;
        }
        if !phonemes.is_empty() {
            phonemes.push(' ');
        }
        phonemes.push_str(spoken);
        phonemes.extend(stretch.mark);
    }
    Ok(phonemes)
}

/// One line for each paragraph.
fn ask(text: &str, voice: &str, stop: &CancellationToken) -> Result<Vec<String>, VoiceError> {
    let mut command = Command::new(PROGRAM);
    command.args(["-q", "--ipa", "-b", "1", "--stdin", "-v", voice]);
    let output = run(command, text, LIMIT, stop)?;
    let output = String::from_utf8_lossy(&output);
    Ok(output.lines().map(clean).filter(|line| !line.is_empty()).collect())
}

/// Without the joiners and the marks of a change of language, such as `(fr)`.
fn clean(line: &str) -> String {
    let mut depth = 0;
    let kept = line.chars().filter(|&c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => return depth == 0 && c != '\u{200d}' && c != '\u{0361}',
        }
        false
    });
    kept.collect::<String>().trim().to_owned()
}

/// Cuts a text at its punctuation. Marks within numbers and words, as in `3.50`, `10:30` and `can't`, cut nothing.
fn stretches(text: &str) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut words = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_followed_by_a_word = chars.peek().is_some_and(|next| next.is_alphanumeric());
        match mark(c) {
            Some(_) if is_followed_by_a_word && is_within_words(c, &words) => words.push(c),
            Some(mark) => finish(&mut stretches, &mut words, Some(mark)),
            // espeak-ng takes `[[` for the beginning of phonemes, and other signs for words of their own.
            _ if c.is_alphanumeric() || is_spoken(c) => words.push(c),
            _ => words.push(' '),
        }
    }
    finish(&mut stretches, &mut words, None);
    stretches
}

fn finish(stretches: &mut Vec<Stretch>, words: &mut String, mark: Option<char>) {
    let taken = std::mem::take(words);
    let taken = taken.split_whitespace().collect::<Vec<_>>().join(" ");
    if taken.chars().any(|c| c.is_alphanumeric() || is_spoken(c) && c != '\'' && c != '-') {
        stretches.push(Stretch { words: taken, mark });
    } else if let (Some(last), Some(mark)) = (stretches.last_mut(), mark) {
        // `?!` and `...`: the first mark counts, unless a stronger one follows.
        if matches!(mark, '?' | '!') || last.mark.is_none() {
            last.mark = Some(mark);
        }
    }
}

/// The mark as the networks know it.
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

fn is_within_words(c: char, before: &str) -> bool {
    matches!(c, '.' | ',' | ':' | '–' | '!' | '?') && before.ends_with(|b: char| b.is_alphanumeric())
}

/// Signs that are part of a word or spoken as one.
fn is_spoken(c: char) -> bool {
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
    fn a_text_is_cut_at_its_punctuation(#[case] text: &str, #[case] expected: &[(&str, Option<char>)]) {
        let cut: Vec<(String, Option<char>)> =
            stretches(text).into_iter().map(|s| (s.words, s.mark)).collect();

        let expected: Vec<(String, Option<char>)> =
            expected.iter().map(|(words, mark)| ((*words).to_owned(), *mark)).collect();
        assert_eq!(cut, expected);
    }

    #[test]
    fn marks_of_language_and_joiners_are_no_phonemes() {
        assert_eq!(clean(" (fr)bɔ̃ʒˈuʁ(en) t\u{200d}ʃ "), "bɔ̃ʒˈuʁ tʃ");
    }
}
