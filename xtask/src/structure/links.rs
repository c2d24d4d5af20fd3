//! Links between the files of the checkout: those of Markdown files, and citations of `docs` in code.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// The folder that code cites, followed by a file and perhaps a heading.
const CITED: &str = "docs/behaviour/";

/// Reads each Markdown file once.
#[derive(Default)]
pub(super) struct Links {
    anchors: HashMap<PathBuf, Vec<String>>,
}

impl Links {
    /// Links of one file whose file or heading does not exist, one sentence each. Addresses of the web are not followed.
    ///
    /// # Errors
    ///
    /// A Markdown file that is linked cannot be read.
    pub(super) fn violations(
        &mut self,
        checkout: &Path,
        file: &Path,
        text: &str,
    ) -> anyhow::Result<Vec<String>> {
        let is_markdown = file.extension().is_some_and(|extension| extension == "md");
        let targets: Vec<(PathBuf, String)> = if is_markdown {
            let folder = file.parent().unwrap_or(Path::new(""));
            links(text).into_iter().map(|link| (folder.to_owned(), link)).collect()
        } else {
            citations(text).into_iter().map(|link| (PathBuf::new(), link)).collect()
        };
        let mut violations = Vec::new();
        for (folder, link) in targets {
            let (path, anchor) =
                link.split_once('#').map_or((&link[..], None), |(path, at)| (path, Some(at)));
            let target = if path.is_empty() { file.to_owned() } else { joined(&folder, path) };
            if !self.exists(checkout, &target, anchor)? {
                violations.push(format!("{}: there is no {link}", file.display()));
            }
        }
        Ok(violations)
    }

    fn exists(&mut self, checkout: &Path, target: &Path, anchor: Option<&str>) -> anyhow::Result<bool> {
        let path = checkout.join(target);
        if !path.exists() {
            return Ok(false);
        }
        let Some(anchor) = anchor else { return Ok(true) };
        if !self.anchors.contains_key(target) {
            let text =
                std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
            self.anchors.insert(target.to_owned(), anchors(&text));
        }
        Ok(self.anchors[target].iter().any(|known| known == anchor))
    }
}

/// The path from the root of the checkout, without `..`.
fn joined(folder: &Path, path: &str) -> PathBuf {
    let mut joined = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir => drop(joined.pop()),
            Component::CurDir => {}
            part => joined.push(part),
        }
    }
    joined
}

/// Links and pictures of a Markdown text to files.
fn links(text: &str) -> Vec<String> {
    let of = |event: Event<'_>| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    };
    Parser::new(text).filter_map(of).filter(|link| !link.contains(':')).collect()
}

/// Citations in code: Markdown files of [`CITED`], with or without a heading.
fn citations(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/._-#".contains(c);
    text.match_indices(CITED)
        .filter(|(at, _)| !text[..*at].ends_with(is_part))
        .map(|(at, _)| {
            let rest = &text[at..];
            rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())].trim_end_matches(['.', '-'])
        })
        .filter(|cited| cited.ends_with(".md") || cited.contains(".md#"))
        .map(str::to_owned)
        .collect()
}

/// The anchors of the headings: lower case, hyphens for blanks, no other signs.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors = Vec::new();
    let mut heading: Option<String> = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => anchors.extend(heading.take()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    let kept = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
                    heading.extend(kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }));
                }
            }
            _ => {}
        }
    }
    anchors
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::cited_heading("src/a.rs", "// Source: {}b.md#two-words.", 0)]
    #[case::cited_file("src/a.rs", "/// See {}b.md, please", 0)]
    #[case::missing_heading("src/a.rs", "// {}b.md#three", 1)]
    #[case::missing_file("src/a.rs", "// {}c.md", 1)]
    #[case::address("src/a.rs", "// https://example.org/{}c.md", 0)]
    #[case::link("{}a.md", "[b](b.md#two-words) [self](#here)\n\n# Here", 0)]
    #[case::link_upwards("{}a.md", "[b](../behaviour/b.md)", 0)]
    #[case::missing_link("{}a.md", "[b](b.md#here)", 1)]
    #[case::web("{}a.md", "[web](https://example.org/#x)", 0)]
    fn links_to_nothing_are_found(#[case] file: &str, #[case] text: &str, #[case] expected: usize) {
        let folder = tempfile::tempdir().unwrap();
        let (file, text) = (file.replace("{}", CITED), text.replace("{}", CITED));
        std::fs::create_dir_all(folder.path().join(CITED)).unwrap();
        std::fs::write(folder.path().join(CITED).join("b.md"), "## Two `words`!\n").unwrap();
        std::fs::write(folder.path().join(CITED).join("a.md"), &text).unwrap();

        let found = Links::default().violations(folder.path(), Path::new(&file), &text).unwrap();

        assert_eq!(found.len(), expected, "{found:?}");
    }
}
