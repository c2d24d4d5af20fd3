//! The libraries that windows load, whose pages the system gets back when no window is open.

use std::time::Duration;

use tauri::{AppHandle, Manager, Runtime};

/// A window that was closed has let go of everything by then, and one that is opened again at once loses nothing.
const SETTLED: Duration = Duration::from_secs(3);

/// Gives back what the windows needed, unless one is open when they have settled.
pub async fn give_back_when_settled<R: Runtime>(app: AppHandle<R>) {
    tokio::time::sleep(SETTLED).await;
    if !app.webview_windows().is_empty() {
        return;
    }
    let given_back = tokio::task::spawn_blocking(|| {
        models::give_back_free_pages();
        give_back_clean_pages()
    });
    match given_back.await {
        Ok(Ok(bytes)) => tracing::debug!(bytes, "the pages of the libraries of windows went back"),
        Ok(Err(error)) => tracing::info!(%error, "the libraries of windows stay in memory"),
        Err(error) => tracing::error!(%error, "giving pages back broke off"),
    }
}

/// Lets go of all pages of libraries as they are on disk, and says how many bytes that were. They stay in the cache of the
/// system, where the next call of one finds them and whoever needs room takes them. Blocks for some milliseconds.
///
/// Source: with a window closed again 167 MB were resident before and 50 MB after, of which 37 MB are ours alone; where
/// no graphics card is, 36 MB of them were a compiler of shaders that WebKit had loaded.
#[cfg(target_os = "linux")]
fn give_back_clean_pages() -> std::io::Result<u64> {
    let mut given_back = 0;
    for mapping in Mapping::all(&std::fs::read_to_string("/proc/self/smaps")?) {
        if !mapping.is_of_an_unchanged_library() {
            continue;
        }
        // SAFETY: the range is mapped from a file, can only be read, and no page of it was changed by us, so what is read
        // there next is what was there before. A range that was unmapped meanwhile is refused.
        let refused = unsafe {
            libc::madvise(mapping.begin as *mut _, mapping.end - mapping.begin, libc::MADV_DONTNEED)
        };
        if refused == 0 {
            given_back += mapping.resident_kb * 1024;
        }
    }
    Ok(given_back)
}

/// Other systems do it by themselves.
#[cfg(not(target_os = "linux"))]
fn give_back_clean_pages() -> std::io::Result<u64> {
    Ok(0)
}

/// A range of our addresses, as the system describes it.
#[cfg(target_os = "linux")]
#[derive(Debug, PartialEq, Eq)]
struct Mapping<'a> {
    begin: usize,
    end: usize,
    /// What may be done with it, as in `r-xp`.
    rights: &'a str,
    file: &'a str,
    resident_kb: u64,
    /// What was changed since it was mapped.
    changed_kb: u64,
}

#[cfg(target_os = "linux")]
impl<'a> Mapping<'a> {
    /// All that `/proc/self/smaps` tells.
    fn all(smaps: &'a str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for line in smaps.lines() {
            if let Some(begins) = Self::of_first_line(line) {
                all.push(begins);
            } else if let (Some(mapping), Some((field, value))) = (all.last_mut(), line.split_once(':')) {
                let kb = || value.split_whitespace().next().and_then(|kb| kb.parse().ok()).unwrap_or(0);
                match field {
                    "Rss" => mapping.resident_kb = kb(),
                    "Anonymous" | "Private_Dirty" | "Shared_Dirty" => mapping.changed_kb += kb(),
                    _ => {}
                }
            }
        }
        all
    }

    /// As in `7f10a000-7f10c000 r-xp 00002000 fe:00 4711    /usr/lib/libm.so.6`.
    fn of_first_line(line: &'a str) -> Option<Self> {
        let mut fields = line.splitn(6, ' ');
        let (begin, end) = fields.next()?.split_once('-')?;
        let (begin, end) = (usize::from_str_radix(begin, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
        let rights = fields.next()?;
        let file = fields.nth(3)?.trim_start();
        Some(Self { begin, end, rights, file, resident_kb: 0, changed_kb: 0 })
    }

    /// What an utterance would wait for stays: our own program, and what models run on.
    fn is_of_an_unchanged_library(&self) -> bool {
        let is_library = self.file.ends_with(".so") || self.file.contains(".so.");
        let is_waited_for = self.file.contains("onnxruntime");
        let is_only_read = matches!(self.rights, "r-xp" | "r--p");
        is_library && !is_waited_for && is_only_read && self.changed_kb == 0 && self.resident_kb > 0
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rstest::rstest;

    use super::*;

    const CODE: &str = "\
7f10a000-7f10c000 r-xp 00002000 fe:00 4711                       /usr/lib/x86_64-linux-gnu/libLLVM-15.so.1
Size:                  8 kB
Rss:                   8 kB
Private_Dirty:         0 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
";

    #[test]
    fn a_mapping_is_read() {
        let expected = Mapping {
            begin: 0x7f10_a000,
            end: 0x7f10_c000,
            rights: "r-xp",
            file: "/usr/lib/x86_64-linux-gnu/libLLVM-15.so.1",
            resident_kb: 8,
            changed_kb: 0,
        };

        assert_eq!(Mapping::all(CODE), [expected]);
        assert_eq!(Mapping::all(""), []);
    }

    #[rstest]
    #[case::its_code("", "", true)]
    #[case::what_can_be_written("r-xp", "rw-p", false)]
    #[case::what_is_shared("r-xp", "r--s", false)]
    #[case::what_was_changed("Anonymous:             0", "Anonymous:             4", false)]
    #[case::what_is_not_here("Rss:                   8", "Rss:                   0", false)]
    #[case::what_speaks("libLLVM-15.so.1", "libonnxruntime.so.1", false)]
    #[case::a_model("libLLVM-15.so.1", "model.onnx", false)]
    #[case::our_program("libLLVM-15.so.1", "jarvis", false)]
    #[case::no_file("/usr/lib/x86_64-linux-gnu/libLLVM-15.so.1", "[vdso]", false)]
    fn only_unchanged_pages_of_libraries_go(#[case] of: &str, #[case] to: &str, #[case] expected: bool) {
        let smaps = CODE.replacen(of, to, 1);

        assert_eq!(Mapping::all(&smaps)[0].is_of_an_unchanged_library(), expected);
    }

    #[test]
    fn our_own_go_and_everything_still_works() {
        let sum = || (0..1000).map(|n| f64::from(n).sin()).sum::<f64>();
        let before = sum();

        let given_back = give_back_clean_pages().unwrap();

        assert!(given_back > 0, "this test links the C library, of which pages are resident");
        assert_eq!(sum(), before);
        assert!(std::fs::read_to_string("/proc/self/status").unwrap().contains("VmRSS"));
    }
}
