//! The README's promises, each with a test: the table in `tests/promises.md`.

use std::path::Path;

use anyhow::Context;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The place where the table is, below the root of the checkout.
const TABLE: &str = "tests/promises.md";

/// The most words of a sentence of the README: longer ones are hard to follow when they are read aloud.
const MOST_WORDS: usize = 40;

/// Rows whose sentence is not in the README or whose test does not exist, sentences of the README that are neither in a row
/// nor in the list of those without a test, and sentences that are too long. Of a sentence, a part in a row or in the list is
/// enough.
///
/// # Errors
///
/// The table or the README cannot be read.
pub fn violations(checkout: &Path) -> anyhow::Result<Vec<String>> {
    let read =
        |file: &str| std::fs::read_to_string(checkout.join(file)).with_context(|| format!("reading {file}"));
    let (table, readme) = (read(TABLE)?, read("README.md")?);
    let on_one_line_readme = on_one_line(&readme);
    let rows = rows(&table);
    anyhow::ensure!(!rows.is_empty(), "{TABLE} has no rows");
    let of_row = |&[sentence, file, test]: &[&str; 3]| {
        if !on_one_line_readme.contains(&on_one_line(sentence)) {
            return Some(format!("{TABLE}: the README does not say {sentence:?}"));
        }
        let has_test = read(file).is_ok_and(|source| contains_test(&source, test));
        (!has_test).then(|| format!("{TABLE}: there is no test {test:?} in {file}"))
    };
    let mut violations: Vec<String> = rows.iter().filter_map(of_row).collect();
    let listed: Vec<String> =
        rows.iter().map(|[sentence, ..]| plain(sentence)).chain(without_test(&table)).collect();
    let is_listed = |sentence: &str| {
        listed.iter().any(|listed| listed.contains(sentence) || sentence.contains(&listed[..]))
    };
    for sentence in sentences(&readme) {
        if sentence.split_whitespace().count() > MOST_WORDS {
            violations
                .push(format!("README.md: this sentence has more than {MOST_WORDS} words: {sentence:?}"));
        }
        if !is_listed(&sentence) {
            violations.push(format!("{TABLE}: no row and no exception for {sentence:?}"));
        }
    }
    Ok(violations)
}

/// The sentences of the paragraphs, lists and tables of a Markdown text, without code blocks and headings. A row of a table
/// is a sentence.
fn sentences(markdown: &str) -> Vec<String> {
    let mut paragraphs = Vec::new();
    let mut text: Option<String> = None;
    let mut is_skipped = false;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::Heading { .. } | Tag::BlockQuote(_)) => is_skipped = true,
            Event::End(TagEnd::CodeBlock | TagEnd::Heading(_) | TagEnd::BlockQuote(_)) => is_skipped = false,
            Event::Start(Tag::Paragraph | Tag::Item | Tag::TableRow) => text = Some(String::new()),
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableRow) => paragraphs.extend(text.take()),
            Event::Text(words) | Event::Code(words) if !is_skipped => {
                if let Some(text) = &mut text {
                    text.push_str(&words);
                }
            }
            Event::SoftBreak | Event::End(TagEnd::TableCell) => {
                if let Some(text) = &mut text {
                    text.push(' ');
                }
            }
            _ => {}
        }
    }
    paragraphs.iter().flat_map(|paragraph| split_into_sentences(paragraph)).collect()
}

/// Splits after a full stop, a question mark or an exclamation mark before a capital letter or a quotation mark.
fn split_into_sentences(paragraph: &str) -> Vec<String> {
    let paragraph = on_one_line(paragraph);
    let mut sentences = Vec::new();
    let mut begin = 0;
    for (at, _) in paragraph.match_indices(' ') {
        let ends = paragraph[..at].ends_with(['.', '?', '!']);
        let begins = paragraph[at + 1..].starts_with(|c: char| c.is_uppercase() || c == '"');
        if ends && begins {
            sentences.push(paragraph[begin..at].to_owned());
            begin = at + 1;
        }
    }
    sentences.push(paragraph[begin..].to_owned());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// The sentences of the list below the table, without their reasons.
fn without_test(table: &str) -> impl Iterator<Item = String> + '_ {
    table
        .lines()
        .filter_map(|line| line.strip_prefix("- "))
        .map(|line| plain(line.split(" | ").next().unwrap_or(line)))
}

/// A sentence without the signs of Markdown.
fn plain(sentence: &str) -> String {
    let mut plain = String::new();
    for event in Parser::new(sentence) {
        match event {
            Event::Text(words) | Event::Code(words) => plain.push_str(&words),
            Event::SoftBreak => plain.push(' '),
            _ => {}
        }
    }
    on_one_line(&plain)
}

/// The rows below the heading of the table.
fn rows(table: &str) -> Vec<[&str; 3]> {
    let lines = table.lines().filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'));
    lines
        .skip(2)
        .filter_map(|line| line.split('|').map(str::trim).collect::<Vec<_>>().try_into().ok())
        .collect()
}

/// A function with the attribute of a test within the lines before it, or a test of vitest.
fn contains_test(source: &str, test: &str) -> bool {
    let function = format!("fn {test}(");
    let is_attribute = |line: &str| {
        let line = line.trim();
        line == "#[test]" || line == "#[rstest]" || line.starts_with("#[tokio::test")
    };
    let has_function = source.split_once(&function).is_some_and(|(before, _)| {
        // The cases of a table stand between the attribute and the function.
        let item = before.rsplit_once("\n}").map_or(before, |(_, item)| item);
        item.lines().any(is_attribute)
    });
    has_function || source.contains(&format!("it(\"{test}\""))
}

/// Lines of a paragraph are broken anywhere.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const README: &str = "# Jarvis\n\nJarvis is private. It forgets\nwhat you want.";
    const TESTS: &str = "fn helper() {\n}\n\n#[rstest]\n#[case(1)]\nfn it_forgets(#[case] one: u8) {\n}\n\nfn remembers() {\n}\n";

    #[rstest]
    #[case::kept("It forgets what you want.", "tests.rs", "it_forgets", None)]
    #[case::another_sentence(
        "It forgets all.",
        "tests.rs",
        "it_forgets",
        Some("does not say \"It forgets all.\"")
    )]
    #[case::no_such_test(
        "Jarvis is private.",
        "tests.rs",
        "it_stays",
        Some("no test \"it_stays\" in tests.rs")
    )]
    #[case::a_helper(
        "Jarvis is private.",
        "tests.rs",
        "remembers",
        Some("no test \"remembers\" in tests.rs")
    )]
    #[case::no_such_file("Jarvis is private.", "gone.rs", "it_forgets", Some("in gone.rs"))]
    fn promise_needs_its_sentence_and_its_test(
        #[case] sentence: &str,
        #[case] file: &str,
        #[case] test: &str,
        #[case] expected: Option<&str>,
    ) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("tests")).unwrap();
        let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
        write("README.md", README);
        write("tests.rs", TESTS);
        write(
            TABLE,
            &format!(
                "# Promises\n\n| sentence | file | test |\n|---|---|---|\n| {sentence} | {file} | {test} |\n\n\
                 - Jarvis is private. | a fact\n- It forgets what you want. | a fact\n"
            ),
        );

        let violations = violations(folder.path()).unwrap();

        match expected {
            None => assert_eq!(violations, Vec::<String>::new()),
            Some(part) => assert!(violations[0].contains(part), "{violations:?}"),
        }
    }

    #[rstest]
    #[case::row("It forgets `what` you want.", None)]
    #[case::two_sentences("It forgets. Nothing else.", Some("\"Nothing else.\""))]
    #[case::item_of_a_list("- It forgets.\n- It sings.", Some("\"It sings.\""))]
    #[case::head_of_a_table("| It sings. |\n|---|\n| It forgets. |", None)]
    #[case::row_of_a_table("| It |\n|---|\n| It sings. |", Some("\"It sings.\""))]
    #[case::cell_of_a_row("| It | does |\n|---|---|\n| it sings | It forgets |", None)]
    #[case::code("    it sings\n\nIt forgets.", None)]
    fn sentence_of_the_readme_needs_a_row_or_an_exception(
        #[case] readme: &str,
        #[case] expected: Option<&str>,
    ) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("tests")).unwrap();
        let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
        write("README.md", &format!("{readme}\n\nIt forgets"));
        write("tests.rs", TESTS);
        let table = "| sentence | file | test |\n|---|---|---|\n| It forgets | tests.rs | it_forgets |\n";
        write(TABLE, &format!("{table}\n- It forgets what you want. | a fact\n"));

        let violations = violations(folder.path()).unwrap();

        assert_eq!(violations.len(), usize::from(expected.is_some()), "{violations:?}");
        assert!(expected.is_none_or(|part| violations[0].contains(part)), "{violations:?}");
    }

    #[test]
    fn long_sentence_of_the_readme_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("tests")).unwrap();
        let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
        let row = "| It forgets | tests.rs | it_forgets |";
        write("tests.rs", TESTS);
        write(TABLE, &format!("| sentence | file | test |\n|---|---|---|\n{row}\n"));
        let found = |words: usize| {
            write("README.md", &format!("It forgets{}.", " all".repeat(words - 2)));
            violations(folder.path()).unwrap()
        };

        assert_eq!(found(MOST_WORDS), Vec::<String>::new());
        assert!(found(MOST_WORDS + 1)[0].contains("more than 40 words"));
    }
}
