//! Files and folders that only this user may read, if the system has file permissions.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a folder and its missing parents.
pub fn make_folder(path: &Path) -> io::Result<()> {
    let mut folders = DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    folders.create(path)
}

/// Creates a file, or empties an existing one.
pub fn create(path: &Path) -> io::Result<File> {
    open(OpenOptions::new().write(true).create(true).truncate(true), path)
}

/// Creates an empty file unless it exists, for SQLite to write to: SQLite's logs get the permissions of the file.
pub(crate) fn create_if_missing(path: &Path) -> io::Result<()> {
    open(OpenOptions::new().append(true).create(true), path).map(|_| ())
}

fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let file = options.open(path)?;
    // The mode above only applies to new files.
    restrict(path);
    Ok(file)
}

/// Removes the permissions of everybody but the owner.
pub fn restrict(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let Ok(before) = path.metadata().map(|file| file.permissions().mode()) else { return };
        if before & 0o077 != 0 {
            // A memory stick may have no permissions, or another owner: the file is wanted there all the same.
            let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(before & 0o700));
        }
    }
    let _ = path;
}
