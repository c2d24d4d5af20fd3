//! `cargo xtask languages`: which parts of each language are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context;
use clap::Args;

use crate::process::checkout;
use crate::terminal::say;

/// The folders of the languages, below the root of the checkout.
const FOLDERS: &str = "src-tauri/languages/data";

/// The language that the others are compared with, and that stands in for what they lack.
const ENGLISH: &str = "en";

/// The parts of a language.
const PARTS: [Part; 7] = [
    Part { name: "about", file: "about.toml", entries: whole },
    Part { name: "words", file: "words.toml", entries: sections },
    Part { name: "requests", file: "requests.toml", entries: requests },
    Part { name: "dates", file: "dates.toml", entries: whole },
    Part { name: "answers", file: "answers.toml", entries: whole },
    Part { name: "node", file: "command_center.toml", entries: whole },
    Part { name: "messages", file: "messages.ftl", entries: messages },
];

/// A part of a language: one file in its folder.
struct Part {
    name: &'static str,
    file: &'static str,
    /// The entries of the file that a complete one has too.
    entries: fn(&str) -> BTreeSet<String>,
}

/// Print which parts of each language are complete, by the files in src-tauri/languages/data.
#[derive(Args)]
pub struct Languages {}

impl Languages {
    /// Prints the table.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
    pub fn run(self) -> anyhow::Result<()> {
        say(table(&checkout().join(FOLDERS))?);
        Ok(())
    }
}

/// A row for each language, a column for each part.
fn table(folders: &Path) -> anyhow::Result<String> {
    let mut codes: Vec<String> = Vec::new();
    for entry in fs::read_dir(folders).with_context(|| format!("reading {}", folders.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            codes.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    codes.sort_by_key(|code| (code != ENGLISH, code.clone()));
    let mut table = format!("{:<10}", "language");
    for part in &PARTS {
        table += &format!("{:<11}", part.name);
    }
    for code in &codes {
        table = format!("{}\n{code:<10}", table.trim_end());
        for part in &PARTS {
            table += &format!("{:<11}", part.state(folders, code)?);
        }
    }
    Ok(table.trim_end().to_owned())
}

impl Part {
    /// "complete", "missing", or how many entries of the English file it has.
    fn state(&self, folders: &Path, code: &str) -> anyhow::Result<String> {
        let Some(text) = read(&folders.join(code).join(self.file))? else { return Ok("missing".to_owned()) };
        let english = read(&folders.join(ENGLISH).join(self.file))?.unwrap_or_default();
        let (own, wanted) = ((self.entries)(&text), (self.entries)(&english));
        let count = wanted.iter().filter(|entry| own.contains(*entry)).count();
        Ok(if count == wanted.len() { "complete".to_owned() } else { format!("{count} of {}", wanted.len()) })
    }
}

/// The text of a file; `None` if there is none.
fn read(file: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("reading {}", file.display())),
    }
}

/// A file that the build checks: it is complete if it is there.
fn whole(_: &str) -> BTreeSet<String> {
    BTreeSet::new()
}

/// The parts of a file that a language may leave out: `[secrets]`.
fn sections(text: &str) -> BTreeSet<String> {
    tables(text).filter(|name| !name.contains('.')).map(str::to_owned).collect()
}

/// The kinds of requests: `[timer.set]`.
fn requests(text: &str) -> BTreeSet<String> {
    tables(text).filter(|name| name.contains('.')).map(str::to_owned).collect()
}

/// The names of the tables of a file.
fn tables(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'))
}

/// The ids of messages: `timer-set = …`.
fn messages(text: &str) -> BTreeSet<String> {
    let ids = text.lines().filter_map(|line| line.split_once('=')).map(|(id, _)| id.trim_end());
    ids.filter(|id| id.starts_with(|c: char| c.is_ascii_alphabetic())).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_names_what_is_missing_or_incomplete() {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("en/about.toml", ""),
            ("en/words.toml", "yes = \"yes\"\n[secrets]\n[measures]\n"),
            ("en/dates.toml", ""),
            ("en/answers.toml", ""),
            ("en/command_center.toml", ""),
            ("en/requests.toml", "[rules]\n[timer.set]\n[timer.list]\n"),
            ("en/messages.ftl", "timer-set = It runs.\ntimer-late = { $count ->\n    [one] a = b\n}\n"),
            ("sv/about.toml", ""),
            ("sv/words.toml", "yes = \"ja\"\n[measures]\n"),
            ("sv/requests.toml", "[timer.set]\n"),
            ("sv/messages.ftl", "# timer-late = later\ntimer-set = Den går.\n"),
        ] {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        fs::write(folder.path().join("other_languages.toml"), "").unwrap();

        let lines: Vec<String> = table(folder.path()).unwrap().lines().map(str::to_owned).collect();

        assert_eq!(
            lines,
            [
                "language  about      words      requests   dates      answers    node       messages",
                "en        complete   complete   complete   complete   complete   complete   complete",
                "sv        complete   1 of 2     1 of 2     missing    missing    missing    1 of 2",
            ]
        );
    }
}
