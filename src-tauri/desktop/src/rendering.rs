//! Variables that WebKitGTK and GTK need on some machines to draw anything, or to draw it at a fair price. Read when they
//! start, so set before.
//!
//! Source: blank or flickering windows of WebKitGTK 2.42 and later with the closed driver of NVIDIA; its own variables
//! turn the parts off that fail there. Other machines that need them have the setting. Without a graphics card GTK loads
//! a compiler to draw with the processor what we never draw: 52 MB of the 133 MB that Jarvis had in the tray.

use settings::Settings;

const NO_DMABUF: (&str, &str) = ("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
const NO_COMPOSITING: (&str, &str) = ("WEBKIT_DISABLE_COMPOSITING_MODE", "1");
const NO_GL: (&str, &str) = ("GDK_GL", "disable");

/// The graphics hardware of this machine.
#[derive(Debug, Clone, Copy)]
struct Graphics {
    /// The closed driver of NVIDIA.
    has_nvidia: bool,
    /// A graphics card that programs may use.
    has_card: bool,
}

impl Graphics {
    #[cfg(target_os = "linux")]
    fn detect() -> Self {
        let nodes = std::fs::read_dir("/dev/dri").into_iter().flatten().filter_map(Result::ok);
        let is_render = |node: std::fs::DirEntry| node.file_name().to_string_lossy().starts_with("renderD");
        let has_nvidia = std::path::Path::new("/proc/driver/nvidia/version").exists();
        Self { has_nvidia, has_card: has_nvidia || nodes.into_iter().any(is_render) }
    }
}

/// Replaces this process by one with the environment variables that it lacks. Returns when none is missing.
#[cfg(target_os = "linux")]
pub fn restart_if_needed(settings: &Settings) {
    use std::os::unix::process::CommandExt;

    let is_set = |name: &str| std::env::var_os(name).is_some();
    let missing = missing(Graphics::detect(), settings.appearance.software_rendering, is_set);
    if missing.is_empty() {
        return;
    }
    tracing::info!(?missing, "the program restarts with variables that its windows need");
    let Ok(program) = std::env::current_exe() else { return };
    let mut again = std::process::Command::new(program);
    let error = again.args(std::env::args_os().skip(1)).envs(missing).exec();
    tracing::warn!(%error, "the program could not be started again; windows may stay blank");
}

/// Other systems use another web view.
#[cfg(not(target_os = "linux"))]
pub fn restart_if_needed(_: &Settings) {}

/// The variables that are needed and that the user has not set.
#[cfg_attr(not(any(target_os = "linux", test)), expect(dead_code, reason = "only WebKitGTK reads them"))]
fn missing(
    graphics: Graphics,
    is_software: bool,
    is_set: impl Fn(&str) -> bool,
) -> Vec<(&'static str, &'static str)> {
    let mut wanted = match (graphics.has_nvidia, is_software) {
        (_, true) => vec![NO_DMABUF, NO_COMPOSITING],
        (true, false) => vec![NO_DMABUF],
        (false, false) => Vec::new(),
    };
    // With a card, WebKitGTK draws through GTK, and aborts when GL is disabled.
    if !graphics.has_card {
        wanted.push(NO_GL);
    }
    wanted.into_iter().filter(|(name, _)| !is_set(name)).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const CARD: Graphics = Graphics { has_nvidia: false, has_card: true };
    const NVIDIA: Graphics = Graphics { has_nvidia: true, has_card: true };
    const NONE: Graphics = Graphics { has_nvidia: false, has_card: false };

    #[rstest]
    #[case::usual_machine(CARD, false, "", &[])]
    #[case::nvidia(NVIDIA, false, "", &[NO_DMABUF])]
    #[case::no_card(NONE, false, "", &[NO_GL])]
    #[case::asked_for(CARD, true, "", &[NO_DMABUF, NO_COMPOSITING])]
    #[case::decided_by_the_user(NVIDIA, true, NO_DMABUF.0, &[NO_COMPOSITING])]
    #[case::decided_by_the_user_without_a_card(NONE, false, NO_GL.0, &[])]
    fn only_what_is_needed_is_set(
        #[case] graphics: Graphics,
        #[case] is_software: bool,
        #[case] set: &str,
        #[case] expected: &[(&str, &str)],
    ) {
        assert_eq!(missing(graphics, is_software, |name| name == set), expected);
    }
}
