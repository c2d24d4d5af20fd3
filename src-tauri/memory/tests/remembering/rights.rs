//! File permissions, and errors for files without write permission.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use jiff::tz::TimeZone;
use memory::{Memory, MemoryError, Participant, StorageError};
use rstest::rstest;

use crate::support::{Home, NOW, message, open};

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// The files and folders below a folder, with their permissions.
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

/// The files and folders that other users may access.
fn open_to_others(folder: &Path) -> Vec<(String, u32)> {
    modes(folder).into_iter().filter(|(_, mode)| mode & 0o077 != 0).collect()
}

#[tokio::test]
async fn memory_backups_and_exports_are_private() {
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
async fn files_of_older_versions_become_private() {
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
async fn failed_export_leaves_nothing_behind() {
    let home = Home::new();
    let archive = home.memory.archive().await.unwrap();
    let taken = home.folder.path().join("export.tar.gz");
    std::fs::create_dir(&taken).unwrap();
    let before = modes(home.folder.path());

    let failed = archive.write_file(&taken, &TimeZone::UTC);

    assert!(failed.is_err());
    assert_eq!(modes(home.folder.path()), before);
}

/// Names the folder of the child process below.
const FOLDER: &str = "JARVIS_TEST_RIGHTS";

#[tokio::test]
#[ignore = "child process of the test below"]
async fn child_adds_a_message() {
    let folder = std::env::var_os(FOLDER).unwrap();
    let tried = match Memory::open(&Path::new(&folder).join("jarvis.db")) {
        Ok(opened) => {
            let memory = opened.memory;
            let said = message("main", NOW, Participant::User, "hello");
            memory.add_messages(vec![said]).await.map(|_| ())
        }
        Err(error) => Err(error),
    };
    let trouble = tried.err().map(|error: MemoryError| error.trouble());
    println!(
        "{}",
        trouble.map_or("stored".to_owned(), |trouble| format!("{} | {}", trouble.message, trouble.remedy))
    );
}

/// The output of a child process of an ordinary user, who has no administrator rights even in a container.
fn output_of_other_user(folder: &Path) -> String {
    let is_administrator = folder.metadata().unwrap().uid() == 0;
    let apart = tempfile::tempdir().unwrap();
    set_mode(apart.path(), 0o755);
    let program = apart.path().join("program");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut child = Command::new(program);
    child.args(["--exact", "rights::child_adds_a_message", "--ignored", "--nocapture", "--quiet"]);
    child.env(FOLDER, folder).current_dir(apart.path());
    if is_administrator {
        child.uid(65_534).gid(65_534);
    }
    String::from_utf8_lossy(&child.output().unwrap().stdout).into_owned()
}

#[rstest]
#[case::a_file_that_may_only_be_read(
    0o444,
    0o777,
    "may not be written to. | Give yourself the right to write there"
)]
#[case::a_folder_that_may_only_be_read(
    0o666,
    0o555,
    "may not be written to. | Give yourself the right to write there"
)]
#[case::a_file_that_may_not_be_read(
    0o000,
    0o777,
    "may not be written to. | Give yourself the right to write there"
)]
#[case::a_writable_memory(0o666, 0o777, "stored")]
#[tokio::test]
async fn read_only_memory_is_reported_with_a_remedy(
    #[case] file: u32,
    #[case] folder: u32,
    #[case] expected: &str,
) {
    let home = Home::new();
    home.memory.store().close();
    set_mode(&home.path(), file);
    set_mode(home.folder.path(), folder);

    let output = output_of_other_user(home.folder.path());
    set_mode(home.folder.path(), 0o700);

    assert!(output.contains(expected), "{output}");
}

#[tokio::test]
async fn read_only_backup_folder_is_reported_with_a_remedy() {
    let home = Home::new();
    std::fs::write(home.folder.path().join("backups"), "a file in the place of the folder").unwrap();

    let refused = home.memory.back_up(NOW).await.unwrap_err();

    assert!(matches!(refused, MemoryError::Storage(StorageError::ReadOnly { .. })), "{refused:?}");
}
