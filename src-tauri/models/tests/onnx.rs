//! Errors when the ONNX Runtime library is missing or invalid.
#![cfg(feature = "onnx")]

use std::error::Error;
use std::fs;
use std::path::Path;

use models::onnx::{Arena, OnnxError, session};

#[test]
fn missing_library_is_reported_with_its_path() {
    let error = session(Path::new("/nowhere/libonnxruntime.so"), Path::new("model.onnx"), 1, Arena::Kept)
        .map(drop)
        .unwrap_err();

    assert!(matches!(error, OnnxError::Library { .. }), "{error:?}");
    assert_eq!(error.to_string(), "the ONNX Runtime at /nowhere/libonnxruntime.so could not be loaded");
    assert!(error.source().is_some());
}

#[test]
fn invalid_library_is_rejected_at_every_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libonnxruntime.so");
    fs::write(&library, "not a library").unwrap();

    for _ in 0..2 {
        let error = session(&library, Path::new("model.onnx"), 1, Arena::Kept).map(drop).unwrap_err();
        assert!(matches!(error, OnnxError::Library { .. }), "{error:?}");
    }
}
