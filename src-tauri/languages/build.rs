//! Finds the folders of the languages, so that no list in Rust names them.

#[path = "build/messages.rs"]
mod messages;

fn main() {
    println!("cargo::rerun-if-changed=data");
    println!("cargo::rerun-if-changed=build");
    messages::generate();
}
