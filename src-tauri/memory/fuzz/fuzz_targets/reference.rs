#![no_main]

#[path = "../../tests/remembering/file_import.rs"]
mod file_import;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| file_import::import_bytes(file_import::ImportFile::Reference, bytes));
