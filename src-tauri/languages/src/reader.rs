//! Reads the files of a language and checks them. The build script makes constants of what this returns, so that a mistake
//! in a file fails the build with its place, and nothing is read at run time.

// The build script includes this file from another folder.
#[path = "reader/section.rs"]
mod section;
#[path = "reader/rules.rs"]
mod rules;
#[path = "reader/secrets.rs"]
mod secrets;
#[path = "reader/narration.rs"]
mod narration;
#[path = "reader/words.rs"]
mod words;
#[path = "reader/dates.rs"]
mod dates;
#[path = "reader/requests.rs"]
mod requests;
#[path = "reader/answers.rs"]
mod answers;
#[path = "reader/command_center.rs"]
mod command_center;
#[cfg(test)]
#[path = "reader/tests.rs"]
mod tests;

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::tables::{LanguageData, OtherLanguage};
use section::Section;

/// A mistake in a file of a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) file: PathBuf,
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.file.display(), self.line, self.message)
    }
}

/// A file with its text.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl SourceFile {
    /// The file; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The file is there and cannot be read.
    pub(crate) fn open(path: &Path) -> std::io::Result<Option<Self>> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Some(Self { path: path.to_owned(), text })),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The files of one language.
#[derive(Debug, Clone)]
pub(crate) struct LanguageFiles {
    /// The name of the folder.
    pub(crate) code: String,
    pub(crate) about: SourceFile,
    pub(crate) words: SourceFile,
    pub(crate) dates: Option<SourceFile>,
    pub(crate) requests: Option<SourceFile>,
    pub(crate) answers: Option<SourceFile>,
    pub(crate) command_center: Option<SourceFile>,
}

/// The mistakes found so far.
type Mistakes = RefCell<Vec<Mistake>>;

/// The data of a language.
///
/// # Errors
///
/// Every mistake in its files.
pub(crate) fn read(files: &LanguageFiles) -> Result<LanguageData, Vec<Mistake>> {
    let mistakes = Mistakes::default();
    let mut about = Section::from_file(&files.about, &mistakes);
    let mut words = Section::from_file(&files.words, &mistakes);
    let dates = files.dates.as_ref().map(|file| dates::read(Section::from_file(file, &mistakes)));
    let requests = files.requests.as_ref().map(|file| requests::read(Section::from_file(file, &mistakes)));
    let answers = files.answers.as_ref().map(|file| answers::read(Section::from_file(file, &mistakes)));
    let command_center =
        files.command_center.as_ref().map(|file| command_center::read(Section::from_file(file, &mistakes)));
    let rest = words::read(&files.code, &mut about, &mut words);
    let data = LanguageData { dates, requests, answers, command_center, ..rest };
    if data.command_center.is_some() && data.requests.is_none() {
        words.lacks("command_center.toml needs it: requests.toml");
    }
    if data.requests.is_some() && !data.undo_requests.text.is_empty() {
        words.lacks("[undo.last] of requests.toml in place of undo_requests");
    }
    if data.requests.is_some() && (data.measures.is_none() || data.number_composition.is_none()) {
        words.lacks("requests need them: measures or number_composition");
    }
    about.finish();
    words.finish();
    let mistakes = mistakes.into_inner();
    if mistakes.is_empty() { Ok(data) } else { Err(mistakes) }
}

/// The languages without a folder, except those that have one by now.
///
/// # Errors
///
/// Every mistake in the file.
pub(crate) fn read_others(file: &SourceFile, known: &[String]) -> Result<Vec<OtherLanguage>, Vec<Mistake>> {
    let mistakes = Mistakes::default();
    let mut languages = Section::from_file(file, &mistakes);
    let mut others = Vec::new();
    for (_, code, field) in languages.rest() {
        let Some(mut section) = languages.section_of(&code, field) else { continue };
        let other = OtherLanguage {
            code: code.clone().leak(),
            frequent_words: section.optional_words("frequent_words"),
            conjunctions: section.optional_phrases("conjunctions"),
        };
        section.finish();
        if !known.contains(&code) {
            others.push(other);
        }
    }
    let mistakes = mistakes.into_inner();
    if mistakes.is_empty() { Ok(others) } else { Err(mistakes) }
}
