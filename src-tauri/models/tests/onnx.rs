//! The ONNX Runtime, where it is not there or is no library.
#![cfg(feature = "onnx")]

use std::error::Error;
use std::fs;
use std::path::Path;

use models::onnx::{Arena, OnnxError, session};

#[test]
fn a_missing_library_is_named_with_its_path() {
    let error = session(Path::new("/nowhere/libonnxruntime.so"), Path::new("model.onnx"), 1, Arena::Kept)
        .map(drop)
        .unwrap_err();

    assert!(matches!(error, OnnxError::Library { .. }), "{error:?}");
    assert_eq!(error.to_string(), "the ONNX Runtime at /nowhere/libonnxruntime.so could not be loaded");
    assert!(error.source().is_some());
}

#[test]
fn something_else_than_a_library_is_refused_and_can_be_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libonnxruntime.so");
    fs::write(&library, "no library").unwrap();

    for _ in 0..2 {
        let error = session(&library, Path::new("model.onnx"), 1, Arena::Kept).map(drop).unwrap_err();
        assert!(matches!(error, OnnxError::Library { .. }), "{error:?}");
    }
}
