//! What there is to have: the catalogue that comes with the program.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::Machine;

/// The text of the catalogue. Order matters: within a purpose, what we recommend comes first.
const BUNDLED: &str = include_str!("../catalogue.json");

/// The models there are to have, the recommended ones of each purpose first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    entries: Vec<Entry>,
}

/// One model: what it is for, what it needs, and its files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Entry {
    /// Names it in settings and commands.
    pub id: String,
    /// What it is for.
    pub purpose: Purpose,
    /// What runs it.
    pub engine: Engine,
    /// Its name for people.
    pub label: String,
    /// Languages as `en` or `en-GB`; `*` for every common one.
    pub languages: Vec<String>,
    /// SPDX expression of the licence, or where to read it.
    pub licence: String,
    /// Memory it takes while it is loaded, in bytes: measured where we ran it, else file size and context.
    pub ram_bytes: u64,
    /// The smallest machine it is recommended for.
    pub minimum: Machine,
    /// What to expect of it, in a sentence or two.
    pub description: String,
    /// Its files for this platform, the one to load first. Models may share files.
    pub files: Vec<ModelFile>,
}

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Speech in, words out.
    SpeechToText,
    /// Tells speech from other sound. The default one needs no file.
    VoiceActivity,
    /// Words in, speech out.
    Voice,
    /// Answers.
    LanguageModel,
    /// Tells how alike two texts are.
    Embedding,
    /// A library that others need to run.
    Runtime,
}

/// What runs a model's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// whisper.cpp; one file.
    Whisper,
    /// Piper; the network and its configuration.
    Piper,
    /// Kokoro; the network, its vocabulary, and the voice.
    Kokoro,
    /// llama.cpp; one GGUF file.
    Llama,
    /// A sentence model such as MiniLM; the network and its tokeniser.
    MiniLm,
    /// ONNX Runtime itself; the library.
    OnnxRuntime,
}

/// One file of a model. Any of its variants will do.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ModelFile {
    /// Where it lies in the models folder, with `/` between folders.
    pub name: String,
    /// `system-architecture` it is for, such as `linux-x86_64`; absent for all.
    #[serde(default)]
    platform: Option<String>,
    /// What the file may be, the ones that can be downloaded in order of preference.
    pub variants: Vec<Variant>,
}

/// One thing that a file may be.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Variant {
    /// Where it comes from, for people.
    pub label: String,
    /// Its size: exact where `sha256` is known, else a good guess.
    pub size_bytes: u64,
    /// Its checksum in lower-case hexadecimal digits. Without one, what arrives is checked against the checksum
    /// that the hub publishes for it, and pinned.
    pub sha256: Option<String>,
    /// Where it can be downloaded, in order of preference; none for what is made locally.
    pub urls: Vec<String>,
    /// What is downloaded is an archive, zip or compressed tar, and this member of it is the file. Size and checksum are the archive's.
    #[serde(default)]
    pub unpack: Option<String>,
}

/// What is wrong with a catalogue.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// No JSON, or not of the right shape.
    #[error("the catalogue could not be read")]
    Unreadable(#[from] serde_json::Error),
    /// An entry contradicts the rules.
    #[error("the catalogue's entry {id}: {what}")]
    Invalid {
        /// The entry.
        id: String,
        /// Which rule.
        what: &'static str,
    },
}

impl Catalogue {
    /// The catalogue that comes with the program, with the files for this platform.
    pub fn bundled() -> &'static Self {
        static CATALOGUE: LazyLock<Catalogue> =
            LazyLock::new(|| Catalogue::parse(BUNDLED).expect("a test reads the bundled catalogue"));
        &CATALOGUE
    }

    /// Reads and checks a catalogue, keeping the files for this platform. An entry that has none left is dropped.
    ///
    /// # Errors
    ///
    /// [`CatalogueError`] names the entry and the rule.
    pub fn parse(json: &str) -> Result<Self, CatalogueError> {
        Self::parse_for(json, &format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH))
    }

    fn parse_for(json: &str, platform: &str) -> Result<Self, CatalogueError> {
        #[derive(Deserialize)]
        struct Written {
            entries: Vec<Entry>,
        }
        let Written { mut entries } = serde_json::from_str(json)?;
        for (index, entry) in entries.iter().enumerate() {
            let fault = fault_of(entry)
                .or_else(|| entries[..index].iter().any(|e| e.id == entry.id).then_some("its id is taken"));
            if let Some(what) = fault {
                return Err(CatalogueError::Invalid { id: entry.id.clone(), what });
            }
        }
        for entry in &mut entries {
            entry.files.retain(|file| file.platform.as_deref().is_none_or(|p| p == platform));
        }
        entries.retain(|entry| !entry.files.is_empty());
        Ok(Self { entries })
    }

    /// All entries, the recommended ones of each purpose first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entries for one purpose, the recommended ones first.
    pub fn for_purpose(&self, purpose: Purpose) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.purpose == purpose)
    }

    /// The entry of that id.
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// What we recommend to download for `purpose` on `machine`; `None` where no file is needed.
    pub fn default_for(&self, purpose: Purpose, machine: &Machine) -> Option<&Entry> {
        let downloadable = |entry: &&Entry| entry.files.iter().all(ModelFile::is_downloadable);
        let candidates = || self.for_purpose(purpose).filter(downloadable);
        candidates()
            .find(|entry| machine.fits(&entry.minimum))
            // Nothing fits: the least demanding one is better than none.
            .or_else(|| candidates().min_by_key(|entry| entry.ram_bytes))
    }
}

impl Entry {
    /// Bytes to download for the first downloadable variant of every file.
    pub fn download_bytes(&self) -> u64 {
        self.files.iter().map(ModelFile::download_bytes).sum()
    }
}

impl ModelFile {
    /// Is there a variant with an address?
    pub fn is_downloadable(&self) -> bool {
        self.downloadable().next().is_some()
    }

    /// The variants with an address, in order of preference.
    pub fn downloadable(&self) -> impl Iterator<Item = &Variant> {
        self.variants.iter().filter(|variant| !variant.urls.is_empty())
    }

    pub(crate) fn download_bytes(&self) -> u64 {
        self.downloadable().next().map_or(0, |variant| variant.size_bytes)
    }
}

/// What is wrong with an entry, if anything.
fn fault_of(entry: &Entry) -> Option<&'static str> {
    let is_inside = |name: &str| {
        !name.is_empty()
            && !name.contains('\\')
            && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
    };
    let is_sha256 =
        |sum: &str| sum.len() == 64 && sum.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let variants = || entry.files.iter().flat_map(|file| &file.variants);
    if entry.files.is_empty() {
        Some("it has no file")
    } else if entry.files.iter().any(|file| !is_inside(&file.name)) {
        Some("a file lies outside the models folder")
    } else if entry.files.iter().any(|file| file.variants.is_empty()) {
        Some("a file has no variant")
    } else if variants().any(|v| v.sha256.as_deref().is_some_and(|sum| !is_sha256(sum))) {
        Some("a checksum is not 64 lower-case hexadecimal digits")
    } else if variants().any(|v| v.sha256.is_none() && v.urls.is_empty()) {
        Some("a variant has neither a checksum nor an address")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const GIB: u64 = 1 << 30;

    #[rstest]
    #[case::strong(Purpose::LanguageModel, 32, 8, "qwen3-4b-instruct-2507-q4_k_m")]
    #[case::laptop(Purpose::LanguageModel, 8, 4, "qwen3-1.7b-q4_k_m")]
    #[case::two_cores_and_much_memory(Purpose::LanguageModel, 24, 2, "qwen2.5-1.5b-instruct-q4_k_m")]
    #[case::little_memory(Purpose::LanguageModel, 3, 2, "qwen2.5-0.5b-instruct-q4_k_m")]
    #[case::speech(Purpose::SpeechToText, 8, 4, "whisper-base-q8_0")]
    #[case::speech_on_a_weak_machine(Purpose::SpeechToText, 1, 1, "whisper-tiny.en-q8_0")]
    #[case::voice(Purpose::Voice, 1, 1, "en_GB-alan-medium")]
    #[case::embedding(Purpose::Embedding, 1, 1, "all-minilm-l6-v2-int8")]
    fn recommends_by_memory_and_cores(
        #[case] purpose: Purpose,
        #[case] gib: u64,
        #[case] cores: usize,
        #[case] expected: &str,
    ) {
        let machine = Machine { ram_bytes: gib * GIB, cores };

        let recommended = Catalogue::bundled().default_for(purpose, &machine).unwrap();

        assert_eq!(recommended.id, expected);
    }

    #[test]
    fn voice_activity_needs_no_file() {
        let machine = Machine { ram_bytes: 8 * GIB, cores: 4 };

        assert_eq!(Catalogue::bundled().default_for(Purpose::VoiceActivity, &machine), None);
    }

    #[rstest]
    #[case("linux-x86_64", Some("runtime/libonnxruntime.so"))]
    #[case("macos-aarch64", Some("runtime/libonnxruntime.dylib"))]
    #[case("windows-x86_64", Some("runtime/onnxruntime.dll"))]
    #[case("plan9-mips", None)]
    fn every_platform_gets_its_own_library(#[case] platform: &str, #[case] expected: Option<&str>) {
        let catalogue = Catalogue::parse_for(BUNDLED, platform).unwrap();

        let library = catalogue.entry("onnxruntime-1.31.1").map(|entry| entry.files[0].name.as_str());

        assert_eq!(library, expected);
    }

    #[rstest]
    #[case::outside(
        "../x",
        "\"sha256\": null, \"urls\": [\"https://hub/x\"]",
        "a file lies outside the models folder"
    )]
    #[case::uppercase(
        "x",
        "\"sha256\": \"AB\", \"urls\": []",
        "a checksum is not 64 lower-case hexadecimal digits"
    )]
    #[case::nowhere("x", "\"sha256\": null, \"urls\": []", "a variant has neither a checksum nor an address")]
    fn refuses_an_entry_that_breaks_a_rule(
        #[case] name: &str,
        #[case] sources: &str,
        #[case] expected: &str,
    ) {
        let json = format!(
            r#"{{"entries": [{{"id": "x", "purpose": "voice", "engine": "piper", "label": "", "languages": [],
            "licence": "", "ram_bytes": 0, "minimum": {{"ram_bytes": 0, "cores": 1}}, "description": "",
            "files": [{{"name": "{name}", "variants": [{{"label": "", "size_bytes": 1, {sources}}}]}}]}}]}}"#
        );

        let error = Catalogue::parse(&json).unwrap_err();

        assert_eq!(error.to_string(), format!("the catalogue's entry x: {expected}"));
    }
}
