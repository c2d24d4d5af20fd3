//! Frees the memory of libraries that windows loaded, once no window is open.

use std::time::Duration;

use tauri::{AppHandle, Manager, Runtime};

/// The time to wait after a window closed: by then it has freed its own memory, and one that is opened again at once
/// loses nothing.
const SETTLE_TIME: Duration = Duration::from_secs(3);

/// Frees what the windows needed, unless one is open after [`SETTLE_TIME`].
pub async fn free_when_settled<R: Runtime>(app: AppHandle<R>) {
    tokio::time::sleep(SETTLE_TIME).await;
    if !app.webview_windows().is_empty() {
        return;
    }
    let freed = tokio::task::spawn_blocking(|| {
        assistant::trim_heap();
        free_clean_pages()
    });
    match freed.await {
        Ok(bytes) => tracing::debug!(bytes, "memory of the window libraries was freed"),
        Err(error) => tracing::error!(%error, "freeing memory failed"),
    }
}

/// Frees all pages of libraries that equal the file on disk. They stay in the system's page cache until another program
/// needs the room. Returns the size of the ranges in bytes. Blocks for some milliseconds.
///
/// Source: with a window closed again 167 MB were resident before and 50 MB after, of which 37 MB are ours alone; where
/// no graphics card is, 36 MB of them were a compiler of shaders that WebKit had loaded.
#[cfg(target_os = "linux")]
fn free_clean_pages() -> usize {
    let mut freed = 0;
    // SAFETY: the callback is only called meanwhile, with the pointer to `freed`. The loader holds its list of
    // libraries still, so none comes or goes.
    unsafe {
        libc::dl_iterate_phdr(Some(free_segments), std::ptr::from_mut(&mut freed).cast());
    }
    freed
}

/// Other systems do this themselves.
#[cfg(not(target_os = "linux"))]
fn free_clean_pages() -> usize {
    0
}

/// # Safety
///
/// To be called by `dl_iterate_phdr` with a pointer to a `usize`.
#[cfg(target_os = "linux")]
unsafe extern "C" fn free_segments(
    library: *mut libc::dl_phdr_info,
    _: libc::size_t,
    freed: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: the loader gives a library with its name and its headers; the rest as promised.
    let (library, freed) = unsafe { (&*library, &mut *freed.cast::<usize>()) };
    // SAFETY: as above.
    let name = unsafe { std::ffi::CStr::from_ptr(library.dlpi_name) }.to_string_lossy();
    if !may_be_freed(&name) {
        return 0;
    }
    // SAFETY: as above.
    let headers = unsafe { std::slice::from_raw_parts(library.dlpi_phdr, library.dlpi_phnum.into()) };
    if headers.iter().any(|header| header.p_type == libc::PT_DYNAMIC && has_changed_code(library, header)) {
        return 0;
    }
    for header in headers {
        // Only a segment that is never writable, not even while the loader relocates it, equals the file.
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
            *freed += end - first;
        }
    }
    0
}

/// Returns `true` if the loader relocated addresses inside this library's code.
#[cfg(target_os = "linux")]
fn has_changed_code(library: &libc::dl_phdr_info, dynamic: &libc::Elf64_Phdr) -> bool {
    /// Names and values. Source: elf.h.
    const DT_NULL: u64 = 0;
    const DT_TEXTREL: u64 = 22;
    const DT_FLAGS: u64 = 30;
    const DF_TEXTREL: u64 = 4;
    let entries = (library.dlpi_addr + dynamic.p_vaddr) as *const [u64; 2];
    let count = dynamic.p_memsz as usize / size_of::<[u64; 2]>();
    // SAFETY: the loader reports where the table is and how large it is.
    let entries = unsafe { std::slice::from_raw_parts(entries, count) };
    let mut entries = entries.iter().take_while(|entry| entry[0] != DT_NULL);
    entries.any(|[name, value]| *name == DT_TEXTREL || *name == DT_FLAGS && value & DF_TEXTREL != 0)
}

/// Returns `true` if a library may be freed. Our own program, which has no name here, and the model runtime may not:
/// the next utterance would wait for them.
#[cfg(target_os = "linux")]
fn may_be_freed(library: &str) -> bool {
    library.starts_with('/') && !library.contains("onnxruntime")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_library("/usr/lib/x86_64-linux-gnu/libLLVM-15.so.1", true)]
    #[case::model_runtime("/srv/models/runtime/libonnxruntime.so.1", false)]
    #[case::our_program("", false)]
    #[case::kernel_library("linux-vdso.so.1", false)]
    fn libraries_that_an_utterance_needs_are_kept(#[case] library: &str, #[case] expected: bool) {
        assert_eq!(may_be_freed(library), expected);
    }

    #[test]
    fn freed_pages_are_loaded_again_on_use() {
        let sum = || (0..1000).map(|n| f64::from(n).sin()).sum::<f64>();
        // In kB.
        let resident_files = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find(|line| line.starts_with("RssFile:")).unwrap();
            line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
        };
        let before = (sum(), resident_files());

        let freed = free_clean_pages();

        let after = resident_files();
        assert!(freed > 0 && after < before.1, "{freed} bytes, {} kB -> {after} kB", before.1);
        assert_eq!(sum(), before.0);
    }
}
