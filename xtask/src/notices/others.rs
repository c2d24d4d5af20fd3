//! Components that are neither a crate nor a package: native libraries inside crates, models, lists, pictures, and
//! what Jarvis uses of the system.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Context;
use models::Catalogue;
use serde_json::Value;

use super::component::{Component, ComponentId, Kind};
use crate::process::{cargo, run_quietly};

/// A library in another language, with the crate that carries its source.
struct NativeLibrary {
    name: &'static str,
    in_crate: &'static str,
    licence: &'static str,
    /// Path of its licence inside the crate.
    text: &'static str,
}

const fn library(
    name: &'static str,
    in_crate: &'static str,
    licence: &'static str,
    text: &'static str,
) -> NativeLibrary {
    NativeLibrary { name, in_crate, licence, text }
}

/// Those whose licence lies beside their source.
const LIBRARIES: [NativeLibrary; 7] = [
    library("whisper.cpp and ggml", "whisper-rs-sys", "MIT", "whisper.cpp/LICENSE"),
    library("llama.cpp and ggml", "llama-cpp-sys-2", "MIT", "llama.cpp/LICENSE"),
    library("cpp-httplib", "llama-cpp-sys-2", "MIT", "llama.cpp/vendor/cpp-httplib/LICENSE"),
    library("xxHash", "llama-cpp-sys-2", "BSD-2-Clause", "llama.cpp/vendor/hash/xxhash/LICENSE"),
    library("sha256.c", "llama-cpp-sys-2", "public domain", "llama.cpp/vendor/hash/sha256/LICENSE"),
    library("rotate-bits", "llama-cpp-sys-2", "MIT", "llama.cpp/vendor/hash/rotate-bits/LICENSE.md"),
    library("SQLCipher", "libsqlite3-sys", "BSD-3-Clause", "sqlcipher/LICENSE"),
];

/// Components without a file of their own: kind, name, licence, text.
const FIXED: [(Kind, &str, &str, &str); 9] = [
    (Kind::Library, "SQLite", "blessing", include_str!("texts/sqlite.txt")),
    (Kind::Library, "nlohmann/json", "MIT", include_str!("texts/nlohmann-json.txt")),
    (Kind::Data, "Places of GeoNames", "CC-BY-4.0", include_str!("texts/geonames.txt")),
    (Kind::Data, "Time zones of IANA", "public domain", include_str!("texts/time-zones.txt")),
    (Kind::Data, "Icons of Lucide", "ISC", include_str!("texts/lucide.txt")),
    (Kind::System, "espeak-ng", "GPL-3.0-or-later", include_str!("texts/espeak-ng.txt")),
    (Kind::System, "OpenSSL libcrypto", "Apache-2.0", include_str!("texts/openssl.txt")),
    (Kind::System, "GTK 3 and WebKitGTK", "LGPL-2.1-or-later", include_str!("texts/gtk.txt")),
    (Kind::System, "Fonts", "those of your system", include_str!("texts/fonts.txt")),
];

/// All of them.
///
/// # Errors
///
/// Cargo cannot be asked.
pub fn ids() -> anyhow::Result<BTreeSet<ComponentId>> {
    Ok(components()?.into_iter().map(|component| component.id).collect())
}

/// All of them, with their licences.
///
/// # Errors
///
/// A native library is not where this table says.
pub fn components() -> anyhow::Result<Vec<Component>> {
    let metadata = run_quietly(&mut cargo(&["metadata", "--format-version", "1", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&metadata).context("reading `cargo metadata`")?;
    let mut components = libraries(&metadata)?;
    components.extend(models(Catalogue::bundled()));
    components.extend(FIXED.iter().map(|(kind, name, licence, text)| Component {
        id: ComponentId { kind: *kind, name: (*name).to_owned(), version: String::new() },
        licence: (*licence).to_owned(),
        texts: vec![text.trim().to_owned()],
    }));
    Ok(components)
}

fn libraries(metadata: &Value) -> anyhow::Result<Vec<Component>> {
    let packages = metadata["packages"].as_array().context("there are no packages")?;
    let component = |library: &NativeLibrary| {
        let package = packages.iter().find(|package| package["name"] == library.in_crate);
        let package = package.with_context(|| format!("there is no crate {}", library.in_crate))?;
        let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap_or_default());
        let file = manifest.with_file_name(library.text);
        let text = std::fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
        let version = package["version"].as_str().unwrap_or_default();
        Ok(Component {
            id: ComponentId {
                kind: Kind::Library,
                name: library.name.to_owned(),
                version: format!("in {} {version}", library.in_crate),
            },
            licence: library.licence.to_owned(),
            texts: vec![text.replace("\r\n", "\n").trim().to_owned()],
        })
    };
    LIBRARIES.iter().map(component).collect()
}

/// Models are downloaded and no part of the program: their licence is named, and its text stays where they come from.
fn models(catalogue: &Catalogue) -> Vec<Component> {
    let component = |entry: &models::CatalogueEntry| Component {
        id: ComponentId { kind: Kind::Model, name: entry.id.clone(), version: String::new() },
        licence: entry.licence.clone(),
        texts: Vec::new(),
    };
    catalogue.entries().iter().map(component).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_of_the_catalogue_has_a_licence_in_the_notices() {
        let models = models(Catalogue::bundled());

        assert_eq!(models.len(), Catalogue::bundled().entries().len());
        assert!(models.iter().all(|model| !model.licence.is_empty()), "{models:?}");
    }

    #[test]
    fn pages_contain_no_font() {
        let mut folders =
            vec![crate::process::checkout().join("ui/src"), crate::process::checkout().join("ui/public")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
                assert!(
                    !["woff", "woff2", "ttf", "otf"].contains(&extension),
                    "{}: add its licence",
                    path.display()
                );
                folders.extend(path.is_dir().then_some(path));
            }
        }
    }
}
