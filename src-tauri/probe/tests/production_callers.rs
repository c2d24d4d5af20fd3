//! Suites that call code which nothing in the product calls yet. The list may only shrink: remove a suite here when the
//! product calls its code.
#![expect(clippy::unwrap_used, reason = "a failing test should show where")]

use std::fs;
use std::path::{Path, PathBuf};

/// A suite, the module with the code it calls, and the calls that the product would make.
struct Suite {
    name: &'static str,
    module: &'static str,
    calls: &'static [&'static str],
}

const fn suite(name: &'static str, module: &'static str, calls: &'static [&'static str]) -> Suite {
    Suite { name, module, calls }
}

const WITHOUT_PRODUCTION_CALLER: [Suite; 9] = [
    // Listening.
    suite("similarity.token_sort_ratio", "listening/src/similarity.rs", &["token_sort_ratio("]),
    suite("similarity.WRatio", "listening/src/similarity.rs", &["weighted_ratio("]),
    suite("hot_window.check_collection_timeout", "listening/src/hot_window.rs", &["is_collecting_over("]),
    // Tools, and replies that call them.
    suite("diary.keyword_search_dates", "memory/src/search/diary_days.rs", &[".diary_days_with("]),
    suite("memory_misc.filter_contexts_by_time", "memory/src/records/days.rs", &["Days::read("]),
    suite("graph.search_nodes", "memory/src/graph", &[".search_nodes("]),
    // No caller is planned yet.
    suite("graph.node_contains_fact", "reflection/src/normalising.rs", &["node_contains_fact("]),
    suite("graph.estimate_tokens", "reflection/src/normalising.rs", &["estimate_tokens("]),
    suite("tts_preprocessing.estimate_tts_duration", "speaking/src/clean_up.rs", &["estimate_tts_duration("]),
];

#[test]
fn listed_suites_exist_and_have_no_production_caller() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let sources = production_sources(root);

    for Suite { name, module, calls } in WITHOUT_PRODUCTION_CALLER {
        assert!(is_known(name), "{name} is not a suite");
        let module = root.join(module);
        let defines = |path: &Path| path.starts_with(&module) || *path == module.with_extension("rs");
        let elsewhere = sources.iter().filter(|(path, _)| !defines(path));
        let callers: Vec<&PathBuf> = elsewhere
            .filter(|(_, text)| calls.iter().any(|call| has_call(text, call)))
            .map(|(path, _)| path)
            .collect();
        assert!(callers.is_empty(), "{name} is called by {callers:?}: remove it from the list");
    }
}

fn is_known(suite: &str) -> bool {
    let request = format!("{{\"suite\":\"{suite}\",\"input\":null}}\n");
    let mut answer = Vec::new();
    probe::run(request.as_bytes(), &mut answer).unwrap();
    !String::from_utf8(answer).unwrap().contains("unsupported")
}

fn has_call(text: &str, call: &str) -> bool {
    let defines = format!("fn {call}");
    text.lines().any(|line| line.contains(call) && !line.contains(&defines))
}

/// The sources of the product without tests and comments: all `src` folders except those of this door and of the fakes.
fn production_sources(root: &Path) -> Vec<(PathBuf, String)> {
    let mut sources = Vec::new();
    let mut folders: Vec<PathBuf> = children(root)
        .into_iter()
        .filter(|path| !path.ends_with("probe") && !path.ends_with("testkit"))
        .map(|path| path.join("src"))
        .filter(|path| path.is_dir())
        .collect();
    while let Some(folder) = folders.pop() {
        for path in children(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("tests.rs")
            {
                let text = fs::read_to_string(&path).unwrap();
                let production = text.split("\n#[cfg(test)]").next().unwrap_or_default();
                let is_code = |line: &&str| !line.trim_start().starts_with("//");
                sources.push((path, production.lines().filter(is_code).collect::<Vec<_>>().join("\n")));
            }
        }
    }
    sources
}

fn children(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}
