//! `cargo xtask notices`: who made what Jarvis consists of, and under which licence.
//!
//! The notices are one file, `ui/public/notices.json`. It is committed, packed into the program with the pages, where it
//! is compressed, and shown under About in the settings.

mod component; // what notices are about
mod crates; // of the Rust programs
mod packages; // of the windows
mod others; // native libraries, models, data, pictures

use std::collections::BTreeSet;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value, json};

use self::component::{Component, ComponentId, Kind};
use crate::front_end;
use crate::process::checkout;
use crate::terminal::{say, step};

/// The place where the notices stand, below the root of the checkout.
const FILE: &str = "ui/public/notices.json";

/// Write the notices of everything Jarvis consists of
#[derive(Args)]
pub struct Notices {
    /// Only check whether they are current; takes seconds and needs no network
    #[arg(long)]
    check: bool,
    /// Install what is missing without asking
    #[arg(long)]
    yes: bool,
}

impl Notices {
    /// Writes or checks them.
    ///
    /// # Errors
    ///
    /// A licence cannot be found; with `--check`, the notices are not current.
    pub fn run(self) -> anyhow::Result<()> {
        step("windows", front_end::build)?;
        if self.check {
            return check();
        }
        step("licences of the crates", || crates::ensure_cargo_about(self.yes))?;
        let mut components = crates::components()?;
        components.extend(packages::components()?);
        components.extend(others::components()?);
        components.sort_by(|one, other| one.id.cmp(&other.id));
        // Nobody reads it as it is, and it counts in the size of the windows.
        let text = serde_json::to_string(&to_json(&components))? + "\n";
        std::fs::write(checkout().join(FILE), &text).with_context(|| format!("writing {FILE}"))?;
        say(format!("{} components are in {FILE} ({} kB)", components.len(), text.len() / 1000));
        Ok(())
    }
}

/// The notices as JSON: a column each of kinds, names, versions, licences and texts. A component names its texts by number,
/// and texts their paragraphs, since many share most of them. Columns, and paragraphs that are alike beside each other, are
/// smaller once compressed. The file is a third of the pages otherwise.
fn to_json(components: &[Component]) -> Value {
    let paragraphs = ordered_paragraphs(components);
    let number_of = |paragraph: String| paragraphs.iter().position(|known| *known == paragraph);
    let mut texts = Numbered::default();
    let mut texts_of = Vec::new();
    for component in components {
        let mut number =
            |text: &String| texts.number(unwrapped(text).filter_map(number_of).collect::<Vec<_>>());
        texts_of.push(component.texts.iter().map(&mut number).collect::<Vec<_>>());
    }
    let column = |value: fn(&Component) -> &str| components.iter().map(value).collect::<Vec<_>>();
    json!({
        "kinds": column(|component| component.id.kind.name()),
        "names": column(|component| &component.id.name),
        "versions": column(|component| &component.id.version),
        "licences": column(|component| &component.licence),
        "texts_of": texts_of,
        "texts": texts.0,
        "paragraphs": paragraphs,
    })
}

/// All paragraphs, each once: the short ones, mostly names of authors, and then the long ones.
fn ordered_paragraphs(components: &[Component]) -> Vec<String> {
    /// Longer paragraphs are terms, which have versions that differ by a few words.
    const MAX_SHORT: usize = 300;
    let texts = components.iter().flat_map(|component| &component.texts);
    let paragraphs = texts.flat_map(|text| unwrapped(text));
    let ordered: BTreeSet<_> = paragraphs.map(|text| (text.chars().count() > MAX_SHORT, text)).collect();
    ordered.into_iter().map(|(_, text)| text).collect()
}

/// Values that are numbered as they come, each once.
struct Numbered<T>(Vec<T>);

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialEq> Numbered<T> {
    fn number(&mut self, value: T) -> usize {
        let known = self.0.iter().position(|known| *known == value);
        known.unwrap_or_else(|| {
            self.0.push(value);
            self.0.len() - 1
        })
    }
}

/// The paragraphs of a text, each on one line unless it has a list or a rule: many texts differ in their line breaks only.
fn unwrapped(text: &str) -> impl Iterator<Item = String> {
    text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()).map(|paragraph| {
        let lines = || paragraph.lines().map(str::trim_end);
        match lines().skip(1).any(starts_on_its_own_line) {
            true => lines().collect::<Vec<_>>().join("\n"),
            false => lines().map(str::trim_start).collect::<Vec<_>>().join(" "),
        }
    })
}

/// Returns `true` for an item of a list and for a rule of signs. "(including", "2.1 of this License" and "10.3, no one" are
/// words of a sentence.
fn starts_on_its_own_line(line: &str) -> bool {
    let line = line.trim_start();
    let is_rule = |sign: char| !line.is_empty() && line.chars().all(|c| c == sign);
    let mark = line.split_once(' ').map_or(line, |(mark, _)| mark);
    let number = mark.strip_suffix([')', '.']).unwrap_or_default();
    let (number, max_length) = number.strip_prefix('(').map_or((number, 2), |number| (number, 3));
    let is_number =
        (1..=max_length).contains(&number.len()) && number.chars().all(|c| c.is_ascii_alphanumeric());
    is_number || matches!(mark, "*" | "-" | "•") || ['*', '-', '='].into_iter().any(is_rule)
}

/// Compares the notices with what Jarvis consists of. The windows have to be built before.
///
/// # Errors
///
/// Something is missing in the notices, or is in there and not in Jarvis.
pub fn check() -> anyhow::Result<()> {
    let text = std::fs::read_to_string(checkout().join(FILE)).with_context(|| format!("reading {FILE}"))?;
    let written: Value = serde_json::from_str(&text).with_context(|| format!("reading {FILE}"))?;
    let mut expected = crates::ids()?;
    expected.extend(packages::components()?.into_iter().map(|component| component.id));
    expected.extend(others::ids()?);
    let differences = differences(&written, &expected)?;
    for difference in &differences {
        say(difference);
    }
    match differences.len() {
        0 => Ok(()),
        _ => bail!("{FILE} is not current: run `cargo xtask notices` and commit it"),
    }
}

fn differences(written: &Value, expected: &BTreeSet<ComponentId>) -> anyhow::Result<Vec<String>> {
    let column = |name: &str| written[name].as_array().with_context(|| format!("there is no column {name}"));
    let count = column("texts")?.len();
    let columns = [column("kinds")?, column("names")?, column("versions")?, column("licences")?];
    let mut found = BTreeSet::new();
    let mut differences = Vec::new();
    for (row, texts) in column("texts_of")?.iter().enumerate() {
        let [kind, name, version, licence] = columns.map(|column| column.get(row).and_then(Value::as_str));
        let text =
            |value: Option<&str>| value.map(str::to_owned).with_context(|| format!("no text in row {row}"));
        let kind =
            Kind::ALL.into_iter().find(|known| Some(known.name()) == kind).context("an unknown kind")?;
        let id = ComponentId { kind, name: text(name)?, version: text(version)? };
        let texts = texts.as_array().context("no texts")?;
        let is_a_text = |number: &Value| number.as_u64().is_some_and(|number| (number as usize) < count);
        // What is part of the program comes with its text.
        let needs_text = matches!(kind, Kind::Crate | Kind::Package | Kind::Library);
        if !texts.iter().all(is_a_text) || (needs_text && texts.is_empty()) || text(licence)?.is_empty() {
            differences.push(format!("{} {} has no licence", id.name, id.version));
        }
        found.insert(id);
    }
    let missing = expected.difference(&found).map(|id| format!("{} {} is missing", id.name, id.version));
    let surplus =
        found.difference(expected).map(|id| format!("{} {} is no part any more", id.name, id.version));
    differences.extend(missing.chain(surplus));
    Ok(differences)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn component(name: &str, texts: &[&str]) -> Component {
        let id = ComponentId { kind: Kind::Crate, name: name.to_owned(), version: "1.0.0".to_owned() };
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        Component { id, licence: "MIT".to_owned(), texts }
    }

    #[test]
    fn shared_text_is_written_once() {
        let written = to_json(&[component("a", &["MIT"]), component("b", &["other", "MIT"])]);

        assert_eq!(written["texts"], json!([[0], [1]]));
        assert_eq!(written["paragraphs"], json!(["MIT", "other"]));
        assert_eq!(written["texts_of"], json!([[0], [1, 0]]));
    }

    #[test]
    fn texts_share_paragraphs_however_their_lines_break() {
        let written = to_json(&[
            component("a", &["© A\n\nYou may\nuse it."]),
            component("b", &["© B\n\nYou\nmay use it."]),
        ]);

        assert_eq!(written["texts"], json!([[1, 0], [2, 0]]));
        assert_eq!(written["paragraphs"], json!(["You may use it.", "© A", "© B"]));
    }

    #[test]
    fn long_paragraphs_come_last() {
        let terms = "A".repeat(301);
        let written = to_json(&[component("a", &[&format!("{terms}\n\n© A")])]);

        assert_eq!(written["paragraphs"], json!(["© A", terms]));
    }

    #[rstest]
    #[case::stars("You may:\n  * use it\n  * change it")]
    #[case::letters("You may:\n(a) use it or\n(b) change it")]
    #[case::numbers("Terms\n1. Use it.\n2. Change it.")]
    #[case::underlined("Terms\n=====")]
    fn items_of_a_list_keep_their_lines(#[case] list: &str) {
        assert_eq!(unwrapped(list).collect::<Vec<_>>(), [list]);
    }

    #[rstest]
    #[case::parenthesis("any liability\n  (including negligence) of Section\n10.3, see\n2.1 of this")]
    #[case::line_of_spaces("any liability (including negligence)\n   \nof Section 10.3, see 2.1 of this")]
    fn lines_of_a_sentence_are_joined(#[case] wrapped: &str) {
        let sentence = "any liability (including negligence) of Section 10.3, see 2.1 of this";
        let joined: Vec<_> = unwrapped(wrapped).map(|text| text.replace("  ", " ")).collect();

        assert_eq!(joined, [sentence]);
    }

    #[rstest]
    #[case::nothing(&[component("a", &["MIT"])], &["a"], &[])]
    #[case::a_new_crate(&[component("a", &["MIT"])], &["a", "b"], &["b 1.0.0 is missing"])]
    #[case::a_removed_crate(&[component("a", &["MIT"])], &[], &["a 1.0.0 is no part any more"])]
    #[case::no_text(&[component("a", &[])], &["a"], &["a 1.0.0 has no licence"])]
    fn difference_between_notices_and_programs_is_named(
        #[case] written: &[Component],
        #[case] expected: &[&str],
        #[case] differences_found: &[&str],
    ) {
        let expected = expected.iter().map(|name| component(name, &[]).id).collect();

        assert_eq!(differences(&to_json(written), &expected).unwrap(), differences_found);
    }
}
