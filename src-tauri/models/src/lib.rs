//! Speech, voice and language models: catalogue, installation, download, loading and unloading.
//!
//! The [`Catalogue`] lists the models that the program supports. A [`ModelStore`] reports which of their files are
//! in the models folder, and a [`Downloader`] fetches missing files. A [`LazyModel`] loads a large model on first
//! use and unloads it when idle.
//! This crate does not read model files: `hearing`, `speaking`, `embedding` and `llm-worker` do.

mod catalogue; // start here
mod machine;
mod store;
mod pinned_checksums;
mod checksum;
mod download;
mod lazy_model;
mod heap;
#[cfg(feature = "onnx")]
pub mod onnx;

pub use catalogue::{Catalogue, CatalogueEntry, CatalogueError, Engine, ModelFile, Purpose, Variant};
pub use checksum::sha256_of;
pub use download::{Disk, DownloadError, DownloadPhase, DownloadProgress, Downloader, PartFile, SystemDisk};
pub use heap::trim_heap;
pub use lazy_model::{LazyModel, LoadError, ModelGuard};
pub use machine::Machine;
pub use pinned_checksums::PinnedChecksum;
pub use store::{InstallState, ModelStore, ModelStoreError};
// Needed to create a `Downloader`.
pub use net::{Http, NetError, Url};
