//! Variables that WebKitGTK needs on some machines to draw anything. Read when it starts, so set before.
//!
//! Source: blank or flickering windows of WebKitGTK 2.42 and later with the closed driver of NVIDIA; its own variables
//! turn the parts off that fail there. Other machines that need them have the setting.

use settings::Settings;

const NO_DMABUF: (&str, &str) = ("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
const NO_COMPOSITING: (&str, &str) = ("WEBKIT_DISABLE_COMPOSITING_MODE", "1");

/// Starts this program again with the variables that it needs and lacks, in place of itself. Returns when it needs none.
#[cfg(target_os = "linux")]
pub fn restart_if_needed(settings: &Settings) {
    use std::os::unix::process::CommandExt;

    let has_nvidia = std::path::Path::new("/proc/driver/nvidia/version").exists();
    let is_set = |name: &str| std::env::var_os(name).is_some();
    let missing = missing(has_nvidia, settings.appearance.software_rendering, is_set);
    if missing.is_empty() {
        return;
    }
    tracing::info!(?missing, "the windows need variables to be drawn");
    let Ok(program) = std::env::current_exe() else { return };
    let mut again = std::process::Command::new(program);
    let error = again.args(std::env::args_os().skip(1)).envs(missing).exec();
    tracing::warn!(%error, "the program could not be started again; windows may stay blank");
}

/// Other systems draw our pages with something else.
#[cfg(not(target_os = "linux"))]
pub fn restart_if_needed(_: &Settings) {}

/// What is needed and not decided by the user already.
#[cfg_attr(not(any(target_os = "linux", test)), expect(dead_code, reason = "only WebKitGTK reads them"))]
fn missing(
    has_nvidia: bool,
    is_software: bool,
    is_set: impl Fn(&str) -> bool,
) -> Vec<(&'static str, &'static str)> {
    let wanted = match (has_nvidia, is_software) {
        (_, true) => vec![NO_DMABUF, NO_COMPOSITING],
        (true, false) => vec![NO_DMABUF],
        (false, false) => Vec::new(),
    };
    wanted.into_iter().filter(|(name, _)| !is_set(name)).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::usual_machine(false, false, "", &[])]
    #[case::nvidia(true, false, "", &[NO_DMABUF])]
    #[case::asked_for(false, true, "", &[NO_DMABUF, NO_COMPOSITING])]
    #[case::decided_by_the_user(true, true, NO_DMABUF.0, &[NO_COMPOSITING])]
    fn only_what_is_needed_is_set(
        #[case] has_nvidia: bool,
        #[case] is_software: bool,
        #[case] set: &str,
        #[case] expected: &[(&str, &str)],
    ) {
        assert_eq!(missing(has_nvidia, is_software, |name| name == set), expected);
    }
}
