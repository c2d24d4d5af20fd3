//! Models: what there is to have, what is here, how it gets here, and who uses it now.
//!
//! A [`Catalogue`] of speech, voice and language models comes with the program. A [`Store`] knows which of their
//! files lie in the models folder, and a [`Downloader`] fetches what is missing. A [`Lending`] loads a heavy model when it is first needed, lends it out, and gives
//! its memory back when nobody has used it for a while.
//! Knows no engine: what is in a file is the business of `hearing`, `speaking`, `embedding` and `llm-worker`.

mod catalogue; // start here
mod machine;
mod store;
mod pins;
mod checksum;
mod download;
mod lending;
mod heap;
#[cfg(feature = "onnx")]
pub mod onnx;

pub use catalogue::{Catalogue, CatalogueError, Engine, Entry, ModelFile, Purpose, Variant};
pub use checksum::sha256_of;
pub use download::{Disk, DownloadError, Downloader, Phase, Progress, StagedFile, SystemDisk};
pub use heap::give_back_free_pages;
pub use lending::{Lending, LoadError, Loan};
pub use machine::Machine;
pub use pins::Pin;
pub use store::{State, Store, StoreError};
// A downloader is made with these.
pub use net::{Http, NetError, Url};
