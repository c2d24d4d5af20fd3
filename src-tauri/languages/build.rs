//! Makes constants of the files in `data`. A folder there is a language: adding one needs no other change.

#![allow(dead_code, reason = "the crate uses more of the shared files")]

#[path = "build/messages.rs"]
mod messages;
#[path = "src/tables.rs"]
mod tables;
#[path = "src/answer_kinds.rs"]
mod answer_kinds;
#[path = "src/measure_ids.rs"]
mod measure_ids;
#[path = "src/normalisation.rs"]
mod normalisation;
#[path = "src/pattern.rs"]
mod pattern;
#[path = "src/reader.rs"]
mod reader;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use reader::{LanguageFiles, Mistake, SourceFile};
use tables::LanguageData;

/// The language whose parts stand in for missing ones.
const FIRST: &str = "en";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=data");
    messages::generate();
    match constants() {
        Ok(text) => {
            let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it")).join("data.rs");
            std::fs::write(out, text).expect("cargo made the folder");
            ExitCode::SUCCESS
        }
        Err(mistakes) => {
            for mistake in mistakes {
                println!("cargo::error={mistake}");
            }
            ExitCode::FAILURE
        }
    }
}

/// The source of the constants.
fn constants() -> Result<String, Vec<Mistake>> {
    let codes = codes();
    let mut languages: Vec<LanguageData> = Vec::new();
    let mut mistakes = Vec::new();
    for (index, code) in codes.iter().enumerate() {
        match files(code).map_err(|mistake| vec![mistake]).and_then(|files| reader::read(&files)) {
            Ok(data) => languages.push(LanguageData { index, ..data }),
            Err(found) => mistakes.extend(found),
        }
    }
    let others = required(Path::new("data/other_languages.toml")).map_err(|mistake| vec![mistake]);
    let others = others.and_then(|file| reader::read_others(&file, &codes)).unwrap_or_else(|found| {
        mistakes.extend(found);
        Vec::new()
    });
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let mut text = String::new();
    let mut add = |name: &str, kind: &str, rows: &[String]| {
        let rows = rows.join(",\n");
        write!(text, "pub(crate) static {name}: [{kind}; {name}_COUNT] = [\n{rows}\n];\n\n")
    };
    let rows = |values: &mut dyn Iterator<Item = String>| values.collect::<Vec<String>>();
    let all = rows(&mut languages.iter().map(|data| format!("{data:?}")));
    let others = rows(&mut others.iter().map(|other| format!("{other:?}")));
    let written = add("ALL", "LanguageData", &all).and_then(|()| add("OTHERS", "OtherLanguage", &others));
    written.expect("a text can always grow");
    let mut names: Vec<_> = languages.iter().map(|data| (data.code, data.own_name)).collect();
    names.sort_unstable();
    text.push_str(&format!(
        "/// The codes of the languages with their own names, in the order of the codes.\npub const NAMES: [(&str, &str); ALL_COUNT] = {names:?};\n\n"
    ));
    let counts = [("ALL_COUNT", all.len()), ("OTHERS_COUNT", others.len())];
    Ok(counts.iter().fold(text, |text, (name, count)| {
        format!("{text}/// The length of the list.\npub(crate) const {name}: usize = {count};\n")
    }))
}

/// The names of the folders, English first.
fn codes() -> Vec<String> {
    let entries = std::fs::read_dir("data").expect("the crate has a folder `data`");
    let folders = entries.filter_map(Result::ok).filter(|entry| entry.path().is_dir());
    let mut codes: Vec<String> = folders.filter_map(|folder| folder.file_name().into_string().ok()).collect();
    codes.sort_by_key(|code| (code != FIRST, code.clone()));
    codes
}

fn files(code: &str) -> Result<LanguageFiles, Mistake> {
    let folder = Path::new("data").join(code);
    Ok(LanguageFiles {
        code: code.to_owned(),
        about: required(&folder.join("about.toml"))?,
        words: required(&folder.join("words.toml"))?,
        dates: optional(&folder.join("dates.toml"))?,
        requests: optional(&folder.join("requests.toml"))?,
        answers: optional(&folder.join("answers.toml"))?,
        command_center: optional(&folder.join("command_center.toml"))?,
    })
}

fn required(path: &Path) -> Result<SourceFile, Mistake> {
    optional(path)?.ok_or_else(|| mistake(path, "the file is missing"))
}

fn optional(path: &Path) -> Result<Option<SourceFile>, Mistake> {
    SourceFile::open(path).map_err(|error| mistake(path, &error.to_string()))
}

fn mistake(path: &Path, message: &str) -> Mistake {
    Mistake { file: path.to_owned(), line: 1, message: message.to_owned() }
}
