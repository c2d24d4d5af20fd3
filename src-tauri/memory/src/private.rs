//! Files and folders that only this user may look into, where the system knows rights.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Makes a folder and those above it, as far as they are missing.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    let mut folders = DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    folders.create(path)
}

/// Makes a file, or empties the one that is there.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    open(OpenOptions::new().write(true).create(true).truncate(true), path)
}

/// Makes an empty file where there is none, for SQLite to write to: its logs have the rights that it has.
pub(crate) fn begin(path: &Path) -> io::Result<()> {
    open(OpenOptions::new().append(true).create(true), path).map(|_| ())
}

fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let file = options.open(path)?;
    // It may have been there before.
    keep(path);
    Ok(file)
}

/// Takes the rights from everybody else.
pub(crate) fn keep(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let Ok(before) = path.metadata().map(|file| file.permissions().mode()) else { return };
        if before & 0o077 != 0 {
            // A memory stick may know no rights, and another user may own it: it is wanted there all the same.
            let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(before & 0o700));
        }
    }
    let _ = path;
}
