//! What fuzzing found worth keeping is fed to a memory again: `fuzz/README.md`.

use std::path::Path;

use rstest::rstest;

use crate::feeding::{Food, feed};

#[rstest]
#[case::complete(Food::Complete, "complete")]
#[case::packed(Food::Packed, "packed")]
#[case::reference(Food::Reference, "reference")]
fn any_file_is_refused_or_imported_without_loss(#[case] food: Food, #[case] folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();

    assert!(!files.is_empty());
    for file in files {
        println!("{}", file.display());
        feed(food, &std::fs::read(&file).unwrap());
    }
}
