//! Files that are written and deleted: whole or not at all, and back again.

use std::fs;

use rstest::rstest;
use testkit::FolderTrash;

use crate::files::Home;

#[cfg(unix)]
#[tokio::test]
async fn written_file_keeps_its_permissions_and_links() {
    use std::os::unix::fs::PermissionsExt;

    let home = Home::new();
    fs::set_permissions(home.path("notes.txt"), fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("notes.txt", home.path("link.txt")).unwrap();

    let told = home.write("write", "link.txt", "new").await;

    assert_eq!(told, "Wrote 3 characters to ~/notes.txt. undoFileChange takes that back.");
    assert_eq!(home.text("notes.txt").unwrap(), "new");
    assert_eq!(fs::metadata(home.path("notes.txt")).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(home.path("link.txt")).unwrap().is_symlink());
}

#[cfg(unix)]
#[tokio::test]
async fn read_only_file_is_not_replaced() {
    use std::os::unix::fs::PermissionsExt;

    let home = Home::new();
    fs::set_permissions(home.path("notes.txt"), fs::Permissions::from_mode(0o444)).unwrap();

    let told = home.write("write", "notes.txt", "new").await;

    assert!(told.starts_with("failed: Permission error"), "{told}");
    assert_eq!(home.text("notes.txt").unwrap(), "Buy milk.");
}

#[tokio::test]
async fn changes_are_undone_from_the_last_to_the_first() {
    let home = Home::new();
    home.write("write", "new.txt", "one").await;
    home.write("append", "new.txt", " two").await;
    home.told("delete", "new.txt").await;
    let mut texts = vec![home.text("new.txt")];

    let mut told = Vec::new();
    for _ in 0..4 {
        told.push(home.undo().await);
        texts.push(home.text("new.txt"));
    }

    assert_eq!(texts, [None, Some("one two".to_owned()), Some("one".to_owned()), None, None]);
    insta::assert_snapshot!(told.join("\n"), @r"
    ~/new.txt is as it was before the change.
    ~/new.txt is as it was before the change.
    ~/new.txt was new, so it is in the trash now.
    failed: There is no change of a file to undo: only changes that Jarvis made since it was started can be undone.
    ");
}

#[rstest]
#[case::changed(Some("by hand"))]
#[case::vanished(None)]
#[tokio::test]
async fn undo_leaves_a_file_that_was_changed_since(#[case] changed: Option<&str>) {
    let home = Home::new();
    home.write("write", "notes.txt", "new").await;
    match changed {
        Some(text) => home.put("notes.txt", text),
        None => fs::remove_file(home.path("notes.txt")).unwrap(),
    }

    let told = home.undo().await;

    assert!(told.starts_with("failed: ~/notes.txt was changed again since"), "{told}");
    assert_eq!(home.text("notes.txt").as_deref(), changed);
}

#[tokio::test]
async fn only_the_last_twenty_changes_are_kept() {
    let home = Home::new();
    for number in 0..25 {
        home.write("write", "notes.txt", &number.to_string()).await;
    }

    assert_eq!(fs::read_dir(home.path(".jarvis/changed-files")).unwrap().count(), 20);
    for _ in 0..20 {
        home.undo().await;
    }

    assert_eq!(home.text("notes.txt").unwrap(), "4");
    assert!(home.undo().await.starts_with("failed: There is no change"));
    assert_eq!(fs::read_dir(home.path(".jarvis/changed-files")).unwrap().count(), 0);
}

#[tokio::test]
async fn without_a_trash_nothing_is_deleted() {
    let home = Home::with_trash(|_| FolderTrash::missing());

    let told = home.told("delete", "notes.txt").await;

    let expected =
        "failed: notes.txt could not be moved to the trash (there is no trash), so nothing was done.";
    assert_eq!(told, expected);
    assert_eq!(home.text("notes.txt").unwrap(), "Buy milk.");
    assert!(home.undo().await.starts_with("failed: There is no change"));
}

#[tokio::test]
async fn stopped_reply_changes_nothing() {
    let home = Home::new();
    home.fixture.context.stop.cancel();

    let told = [home.write("write", "notes.txt", "new").await, home.told("delete", "notes.txt").await];

    assert_eq!(told, ["failed: The user stopped it. Nothing was done."; 2]);
    assert_eq!(home.text("notes.txt").unwrap(), "Buy milk.");
    assert_eq!(fs::read_dir(home.path("")).unwrap().count(), 5, "no temporary file is left");
}

#[tokio::test]
async fn copies_of_changed_files_do_not_outlive_the_process() {
    let home = Home::new();
    home.write("write", "notes.txt", "new").await;
    let copies = home.path(".jarvis/changed-files");
    assert!(copies.join("1").is_file());

    let Home { fixture, folder } = home;
    drop(fixture);

    assert!(!copies.exists());
    drop(folder);
}
