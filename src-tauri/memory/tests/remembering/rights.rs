//! Who may read the files, and what is said where they may not be written.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use jiff::tz::TimeZone;

use crate::support::{Home, NOW, open};

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// The files below a folder, and how it and the folders within may be used.
fn modes(folder: &Path) -> Vec<(String, u32)> {
    let mut modes = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(inner) = folders.pop() {
        modes.push((inner.display().to_string(), mode(&inner)));
        for file in std::fs::read_dir(inner).unwrap().map(|file| file.unwrap().path()) {
            if file.is_dir() {
                folders.push(file);
            } else {
                modes.push((file.display().to_string(), mode(&file)));
            }
        }
    }
    modes
}

/// What others may use as well.
fn open_to_others(folder: &Path) -> Vec<(String, u32)> {
    modes(folder).into_iter().filter(|(_, mode)| mode & 0o077 != 0).collect()
}

#[tokio::test]
async fn nobody_else_may_read_a_memory_its_backups_and_its_exports() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let memory = open(&data.join("jarvis.db"));
    memory.add_todo("shopping", "milk", NOW).await.unwrap();
    memory.back_up(NOW).await.unwrap();
    let archive = memory.archive().await.unwrap();

    archive.write_folder(&data.join("export"), &TimeZone::UTC).unwrap();
    archive.write_file(&data.join("export.tar.gz"), &TimeZone::UTC).unwrap();

    let files = modes(&data).len();
    assert!(files >= 10, "the database, its logs, a backup, two exports: {files}");
    assert_eq!(open_to_others(&data), []);
}

#[tokio::test]
async fn what_an_older_version_left_open_to_others_is_closed() {
    let home = Home::new();
    let backup = home.memory.back_up(NOW).await.unwrap();
    home.memory.store().close();
    for file in [&home.path(), &backup] {
        set_mode(file, 0o644);
    }
    set_mode(backup.parent().unwrap(), 0o755);
    set_mode(home.folder.path(), 0o700);

    let _memory = open(&home.path());

    assert_eq!(open_to_others(home.folder.path()), []);
}

#[tokio::test]
async fn an_export_that_fails_leaves_nothing_behind() {
    let home = Home::new();
    let archive = home.memory.archive().await.unwrap();
    let taken = home.folder.path().join("export.tar.gz");
    std::fs::create_dir(&taken).unwrap();
    let before = modes(home.folder.path());

    let failed = archive.write_file(&taken, &TimeZone::UTC);

    assert!(failed.is_err());
    assert_eq!(modes(home.folder.path()), before);
}
