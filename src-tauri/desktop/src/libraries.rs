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
        models::trim_heap();
        give_back_clean_pages()
    });
    match given_back.await {
        Ok(bytes) => tracing::debug!(bytes, "the pages of the libraries of windows went back"),
        Err(error) => tracing::error!(%error, "giving pages back broke off"),
    }
}

/// Lets go of all pages of libraries that are as they are on disk. They stay in the cache of the system, where the next
/// call of one finds them and whoever needs room takes them. Says how large the ranges were, in bytes. Blocks for some
/// milliseconds.
///
/// Source: with a window closed again 167 MB were resident before and 50 MB after, of which 37 MB are ours alone; where
/// no graphics card is, 36 MB of them were a compiler of shaders that WebKit had loaded.
#[cfg(target_os = "linux")]
fn give_back_clean_pages() -> usize {
    let mut given_back = 0;
    // SAFETY: the callback is only called meanwhile, with the pointer to `given_back`. The loader holds its list of
    // libraries still, so none comes or goes.
    unsafe {
        libc::dl_iterate_phdr(Some(give_back_segments), std::ptr::from_mut(&mut given_back).cast());
    }
    given_back
}

/// Other systems do it by themselves.
#[cfg(not(target_os = "linux"))]
fn give_back_clean_pages() -> usize {
    0
}

/// # Safety
///
/// To be called by `dl_iterate_phdr` with a pointer to a `usize`.
#[cfg(target_os = "linux")]
unsafe extern "C" fn give_back_segments(
    library: *mut libc::dl_phdr_info,
    _: libc::size_t,
    given_back: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: the loader gives a library with its name and its headers; the rest as promised.
    let (library, given_back) = unsafe { (&*library, &mut *given_back.cast::<usize>()) };
    // SAFETY: as above.
    let name = unsafe { std::ffi::CStr::from_ptr(library.dlpi_name) }.to_string_lossy();
    if !may_go(&name) {
        return 0;
    }
    // SAFETY: as above.
    let headers = unsafe { std::slice::from_raw_parts(library.dlpi_phdr, library.dlpi_phnum.into()) };
    if headers.iter().any(|header| header.p_type == libc::PT_DYNAMIC && has_changed_code(library, header)) {
        return 0;
    }
    for header in headers {
        // What can be written at no time, not even while the loader puts in addresses, is as it is on disk.
        if header.p_type != libc::PT_LOAD || header.p_flags & libc::PF_W != 0 {
            continue;
        }
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let begin = (library.dlpi_addr + header.p_vaddr) as usize;
        let (first, end) = (begin / page * page, begin + header.p_filesz as usize);
        // SAFETY: the range is mapped from a file and no page of it was changed, so what is read there next is what was
        // there before.
        if unsafe { libc::madvise(first as *mut _, end - first, libc::MADV_DONTNEED) } == 0 {
            *given_back += end - first;
        }
    }
    0
}

/// Did the loader put addresses into the code of this library?
#[cfg(target_os = "linux")]
fn has_changed_code(library: &libc::dl_phdr_info, dynamic: &libc::Elf64_Phdr) -> bool {
    /// Names and values. Source: elf.h.
    const DT_NULL: u64 = 0;
    const DT_TEXTREL: u64 = 22;
    const DT_FLAGS: u64 = 30;
    const DF_TEXTREL: u64 = 4;
    let entries = (library.dlpi_addr + dynamic.p_vaddr) as *const [u64; 2];
    let count = dynamic.p_memsz as usize / size_of::<[u64; 2]>();
    // SAFETY: the loader tells where the table is and how large.
    let entries = unsafe { std::slice::from_raw_parts(entries, count) };
    let mut entries = entries.iter().take_while(|entry| entry[0] != DT_NULL);
    entries.any(|[name, value]| *name == DT_TEXTREL || *name == DT_FLAGS && value & DF_TEXTREL != 0)
}

/// What an utterance would wait for stays: our own program, which has no name here, and what models run on.
#[cfg(target_os = "linux")]
fn may_go(library: &str) -> bool {
    library.starts_with('/') && !library.contains("onnxruntime")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_library("/usr/lib/x86_64-linux-gnu/libLLVM-15.so.1", true)]
    #[case::what_speaks("/srv/models/runtime/libonnxruntime.so.1", false)]
    #[case::our_program("", false)]
    #[case::of_the_kernel("linux-vdso.so.1", false)]
    fn only_libraries_that_nobody_waits_for_go(#[case] library: &str, #[case] expected: bool) {
        assert_eq!(may_go(library), expected);
    }

    #[test]
    fn pages_go_and_everything_still_works() {
        let sum = || (0..1000).map(|n| f64::from(n).sin()).sum::<f64>();
        // In kB.
        let resident_files = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find(|line| line.starts_with("RssFile:")).unwrap();
            line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
        };
        let before = (sum(), resident_files());

        let given_back = give_back_clean_pages();

        let after = resident_files();
        assert!(given_back > 0 && after < before.1, "{given_back} bytes, {} kB -> {after} kB", before.1);
        assert_eq!(sum(), before.0);
    }
}
