//! The web: searching it, reading its pages, and the weather.
//!
//! Every request goes through the port [`WebFetch`], which reaches public addresses only. Whatever a page says stands in a
//! fence, and the result is untrusted.
//!
//! Source: docs/behaviour/tools.md#web-search, docs/behaviour/tools.md#reading-a-page and docs/behaviour/tools.md#weather.

pub mod relevance; // whether an extract fits a query, pure
mod port; // the way to the web
mod http; // the real one
mod robots; // what sites ask of programs
mod nesting; // of a page, before it is parsed
mod text_of_page; // what is readable of a page, pure
mod result_page; // the links of a page of search results, pure
pub mod wikipedia;
mod outcome; // what a search found, and what the model is told
mod search; // the chain of a search
mod fetch_page;
pub mod weather;

pub use fetch_page::FetchWebPage;
pub use http::HttpWeb;
pub use outcome::{BRAVE_API_KEY, Link, OutcomeKind, SearchOutcome, SecondEngine};
pub use port::{WebError, WebFetch, WebRequest, WebResponse};
pub use robots::PolitePages;
pub use search::{
    KeyUnreadable, SearchApis, SearchError, SearchKey, SearchServices, WebSearch, is_public_address, search,
};
