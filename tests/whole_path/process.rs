//! The costs of a process, as the system counts them.

use crate::Figures;

/// Resident memory of a process, in megabytes; `self` is this one.
pub fn resident_mb(process: &str) -> f64 {
    status_mb(process, "VmRSS:")
}

/// The part of it that is no page of a file, so that the system cannot read it again when memory is short.
pub fn private_mb(process: &str) -> f64 {
    status_mb(process, "RssAnon:")
}

fn status_mb(process: &str, name: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1024.0
}

/// Memory of a process and all it started, in megabytes: what they share counts once.
pub fn proportional_mb(process: u32) -> f64 {
    let mut processes = vec![process.to_string()];
    let mut kb = 0.0;
    while let Some(process) = processes.pop() {
        let rollup = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
        let line = rollup.lines().find(|line| line.starts_with("Pss:")).unwrap_or_default();
        kb += line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default();
        for thread in std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            processes.extend(children.split_whitespace().map(str::to_owned));
        }
    }
    kb / 1024.0
}

/// The sizes of the programs as they are shipped.
pub fn note_sizes(figures: &mut Figures) {
    for program in ["jarvis", "llm-worker"] {
        let Some(file) = beside_us(program) else { continue };
        let size = std::fs::metadata(file).map_or(f64::NAN, |file| file.len() as f64);
        figures.note(&format!("stripped size of {program} MB"), size / 1e6);
    }
}

/// A program of the same build.
pub fn beside_us(program: &str) -> Option<std::path::PathBuf> {
    let ours = std::env::current_exe().ok()?;
    let file = ours.parent()?.parent()?.join(program);
    file.is_file().then_some(file)
}
