//! Imports the files that fuzzing found: see `fuzz/README.md`.

use std::path::Path;

use rstest::rstest;

use crate::file_import::{ImportFile, import_bytes};

#[rstest]
#[case::complete(ImportFile::Complete, "complete")]
#[case::packed(ImportFile::Packed, "packed")]
#[case::reference(ImportFile::Reference, "reference")]
fn any_file_is_refused_or_imported_without_loss(#[case] food: ImportFile, #[case] folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();

    assert!(!files.is_empty());
    for file in files {
        println!("{}", file.display());
        import_bytes(food, &std::fs::read(&file).unwrap());
    }
}
