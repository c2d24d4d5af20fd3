//! The catalogue of supported models, bundled with the program.

use std::sync::LazyLock;

use serde::Deserialize;
use vocabulary::Language;

use crate::Machine;

/// The catalogue as JSON. The order matters: recommended models come first within each purpose.
const BUNDLED: &str = include_str!("../catalogue.json");

/// All supported models, the recommended ones of each purpose first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    entries: Vec<CatalogueEntry>,
}

/// One model: purpose, requirements and files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CatalogueEntry {
    /// Identifier in settings and commands.
    pub id: String,
    /// The purpose of the model.
    pub purpose: Purpose,
    /// The engine that runs the model.
    pub engine: Engine,
    /// Name on screen.
    pub label: String,
    /// Language codes such as `en` or `en-GB`; `*` for all common languages.
    pub languages: Vec<String>,
    /// SPDX expression of the licence, or the address of its text.
    pub licence: String,
    /// Memory of the loaded model in bytes: measured, or estimated from file size and context length.
    pub ram_bytes: u64,
    /// The weakest machine for which the model is recommended.
    pub minimum: Machine,
    /// Quality and speed, in one or two sentences.
    pub description: String,
    /// Files for this platform; the first one is the file to load. Models may share files.
    pub files: Vec<ModelFile>,
}

/// The purpose of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Speech recognition.
    SpeechToText,
    /// Voice activity detection. The default detector needs no file.
    VoiceActivity,
    /// The name in sound, before speech recognition. Off unless the settings ask for it.
    KeywordSpotting,
    /// The end of an utterance, by its sound. Jarvis decides without it, too.
    Endpoint,
    /// Speech synthesis.
    Voice,
    /// Chat and tool calls.
    LanguageModel,
    /// Embeddings of texts.
    Embedding,
    /// Embeddings of voices, to tell people apart.
    SpeakerEmbedding,
    /// A library that other models need.
    Runtime,
}

/// The engine that runs a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// whisper.cpp; one file.
    Whisper,
    /// Moonshine; the encoder, the decoder, and the vocabulary.
    Moonshine,
    /// A recogniser of phonemes; its network, those that read and write a name, and the vocabulary.
    PhonemeSpotter,
    /// Smart Turn; the network.
    SmartTurn,
    /// Piper; the network and its configuration.
    Piper,
    /// Kokoro; the network, its vocabulary, and the voice.
    Kokoro,
    /// llama.cpp; one GGUF file.
    Llama,
    /// A sentence model such as MiniLM; the network and its tokeniser.
    MiniLm,
    /// A sentence model of the E5 family, which is told whether a text asks or answers; the network and its tokeniser.
    E5,
    /// CAM++; the checkpoint of PyTorch.
    CamPlusPlus,
    /// ONNX Runtime itself; the library.
    OnnxRuntime,
}

/// One file of a model. All variants are equally usable.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ModelFile {
    /// Path relative to the models folder, with `/` as separator.
    pub name: String,
    /// Platform as `system-architecture`, such as `linux-x86_64`; `None`: all platforms.
    #[serde(default)]
    platform: Option<String>,
    /// Accepted contents of the file; those with addresses are in order of preference.
    pub variants: Vec<Variant>,
}

/// One accepted content of a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Variant {
    /// Origin of the file, as shown to the user.
    pub label: String,
    /// Size in bytes: exact if `sha256` is set, else an estimate.
    pub size_bytes: u64,
    /// SHA-256 as lower-case hexadecimal digits. If `None`, the download is checked against the checksum that its
    /// server publishes, and that checksum is pinned.
    pub sha256: Option<String>,
    /// Download addresses in order of preference; empty for files that are made locally.
    pub urls: Vec<String>,
    /// Path of the file within the downloaded archive (zip or tar.gz). Then `size_bytes` and `sha256` describe the
    /// archive.
    #[serde(default)]
    pub unpack: Option<String>,
}

/// Why a catalogue is invalid.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// The text is not JSON, or does not match the schema.
    #[error("the catalogue could not be read")]
    Unreadable(#[from] serde_json::Error),
    /// An entry breaks a rule.
    #[error("the catalogue's entry {id}: {what}")]
    Invalid {
        /// The id of the entry.
        id: String,
        /// The broken rule.
        what: &'static str,
    },
}

impl Catalogue {
    /// The bundled catalogue, with the files for this platform.
    pub fn bundled() -> &'static Self {
        static CATALOGUE: LazyLock<Catalogue> =
            LazyLock::new(|| Catalogue::parse(BUNDLED).expect("a test reads the bundled catalogue"));
        &CATALOGUE
    }

    /// Parses and checks a catalogue. Keeps only the files for this platform, and drops entries without files.
    ///
    /// # Errors
    ///
    /// [`CatalogueError`] names the entry and the rule.
    pub fn parse(json: &str) -> Result<Self, CatalogueError> {
        Self::parse_for(json, &format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH))
    }

    fn parse_for(json: &str, platform: &str) -> Result<Self, CatalogueError> {
        #[derive(Deserialize)]
        struct CatalogueFile {
            entries: Vec<CatalogueEntry>,
        }
        let CatalogueFile { mut entries } = serde_json::from_str(json)?;
        for (index, entry) in entries.iter().enumerate() {
            let violation = violated_rule(entry)
                .or_else(|| entries[..index].iter().any(|e| e.id == entry.id).then_some("its id is taken"));
            if let Some(what) = violation {
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
    pub fn entries(&self) -> &[CatalogueEntry] {
        &self.entries
    }

    /// The entries for one purpose, the recommended ones first.
    pub fn for_purpose(&self, purpose: Purpose) -> impl Iterator<Item = &CatalogueEntry> {
        self.entries.iter().filter(move |entry| entry.purpose == purpose)
    }

    /// The entry with this id.
    pub fn entry(&self, id: &str) -> Option<&CatalogueEntry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// The recommended download for `purpose` on `machine`; `None` if the purpose needs no file.
    pub fn default_for(&self, purpose: Purpose, machine: &Machine) -> Option<&CatalogueEntry> {
        let downloadable = |entry: &&CatalogueEntry| entry.files.iter().all(ModelFile::is_downloadable);
        let candidates = || self.for_purpose(purpose).filter(downloadable);
        candidates()
            .find(|entry| machine.meets(&entry.minimum))
            // No model fits: the smallest one is better than none.
            .or_else(|| candidates().min_by_key(|entry| entry.ram_bytes))
    }

    /// As [`Catalogue::default_for`], but of the models that know all these languages, if there is one.
    pub fn default_for_languages(
        &self,
        purpose: Purpose,
        machine: &Machine,
        languages: &[Language],
    ) -> Option<&CatalogueEntry> {
        let mut entries = self.for_purpose(purpose).filter(|entry| machine.meets(&entry.minimum));
        let is_fitting = |entry: &&CatalogueEntry| {
            entry.knows(languages) && entry.files.iter().all(ModelFile::is_downloadable)
        };
        entries.find(is_fitting).or_else(|| self.default_for(purpose, machine))
    }
}

impl CatalogueEntry {
    /// Returns `true` if the model is made for all these languages.
    pub fn knows(&self, languages: &[Language]) -> bool {
        let knows = |language: &Language| {
            self.languages.iter().any(|known| known == "*" || Language::new(known).as_ref() == Some(language))
        };
        languages.iter().all(knows)
    }

    /// Total size in bytes of the preferred download of every file.
    pub fn download_bytes(&self) -> u64 {
        self.files.iter().map(ModelFile::download_bytes).sum()
    }
}

impl ModelFile {
    /// Returns `true` if any variant has a download address.
    pub fn is_downloadable(&self) -> bool {
        self.downloadable().next().is_some()
    }

    /// The variants with a download address, in order of preference.
    pub fn downloadable(&self) -> impl Iterator<Item = &Variant> {
        self.variants.iter().filter(|variant| !variant.urls.is_empty())
    }

    pub(crate) fn download_bytes(&self) -> u64 {
        self.downloadable().next().map_or(0, |variant| variant.size_bytes)
    }
}

/// The rule that an entry breaks, if any.
fn violated_rule(entry: &CatalogueEntry) -> Option<&'static str> {
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
    #[case::laptop(Purpose::LanguageModel, 8, 4, "qwen2.5-1.5b-instruct-q4_k_m")]
    #[case::two_cores_and_much_memory(Purpose::LanguageModel, 24, 2, "qwen2.5-1.5b-instruct-q4_k_m")]
    #[case::little_memory(Purpose::LanguageModel, 3, 2, "qwen2.5-0.5b-instruct-q4_k_m")]
    #[case::speech(Purpose::SpeechToText, 8, 4, "whisper-base-q8_0")]
    #[case::speech_on_a_weak_machine(Purpose::SpeechToText, 1, 1, "whisper-tiny.en-q8_0")]
    #[case::voice(Purpose::Voice, 1, 1, "en_US-joe-medium")]
    #[case::embedding(Purpose::Embedding, 1, 1, "all-minilm-l6-v2-int8")]
    fn recommended_model_depends_on_memory_and_cores(
        #[case] purpose: Purpose,
        #[case] gib: u64,
        #[case] cores: usize,
        #[case] expected: &str,
    ) {
        let machine = Machine { ram_bytes: gib * GIB, cores };

        let recommended = Catalogue::bundled().default_for(purpose, &machine).unwrap();

        assert_eq!(recommended.id, expected);
    }

    #[rstest]
    #[case::speech("speech to text", &["whisper-base-q8_0"])]
    #[case::voice("voice", &["en_US-joe-medium"])]
    #[case::meaning("finding by meaning", &["all-minilm-l6-v2-int8", "multilingual-e5-small"])]
    #[case::language_model("language model", &["qwen2.5-0.5b-instruct-q4_k_m", "qwen3-4b-instruct-2507-q4_k_m"])]
    fn readme_states_download_and_memory_of_the_defaults(#[case] purpose: &str, #[case] ids: &[&str]) {
        let readme = include_str!("../../../README.md");
        let row = readme.lines().find(|line| line.starts_with(&format!("| {purpose} |"))).unwrap();
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let stated = |cell: &str| -> Vec<String> {
            cell.split(' ').filter(|word| word.parse::<f64>().is_ok()).map(str::to_owned).collect()
        };
        let rounded = |cell: &str, bytes: u64| match cell.ends_with("GB") {
            true => format!("{:.1}", bytes as f64 / 1e9),
            false => format!("{:.0}", bytes as f64 / 1e6),
        };
        let entries: Vec<_> = ids.iter().map(|id| Catalogue::bundled().entry(id).unwrap()).collect();

        let downloads: Vec<_> =
            entries.iter().map(|entry| rounded(cells[3], entry.download_bytes())).collect();
        let memory: Vec<_> = entries.iter().map(|entry| rounded(cells[4], entry.ram_bytes)).collect();

        assert_eq!((stated(cells[3]), stated(cells[4])), (downloads, memory));
    }

    #[rstest]
    #[case::english(8, &["en"], "all-minilm-l6-v2-int8")]
    #[case::unknown(8, &[], "all-minilm-l6-v2-int8")]
    #[case::german(8, &["de"], "multilingual-e5-small")]
    #[case::two_languages(8, &["en", "ja"], "multilingual-e5-small")]
    #[case::too_little_memory(1, &["de"], "all-minilm-l6-v2-int8")]
    fn sentence_model_depends_on_the_languages(
        #[case] gib: u64,
        #[case] languages: &[&str],
        #[case] expected: &str,
    ) {
        let machine = Machine { ram_bytes: gib * GIB, cores: 2 };
        let languages: Vec<Language> = languages.iter().filter_map(|code| Language::new(code)).collect();

        let recommended =
            Catalogue::bundled().default_for_languages(Purpose::Embedding, &machine, &languages).unwrap();

        assert_eq!(recommended.id, expected);
    }

    /// Returns `true` if `licence` names licences by their SPDX identifiers. The catalogue needs these only.
    fn is_spdx(licence: &str) -> bool {
        licence.split(" AND ").all(|one| ["Apache-2.0", "BSD-2-Clause", "CC0-1.0", "MIT"].contains(&one))
    }

    #[test]
    fn recommended_models_have_a_licence_with_an_spdx_identifier() {
        let purposes = [
            Purpose::SpeechToText,
            Purpose::Voice,
            Purpose::LanguageModel,
            Purpose::Embedding,
            Purpose::Runtime,
        ];
        for (purpose, gib) in purposes.into_iter().flat_map(|purpose| [1, 3, 8, 32].map(|gib| (purpose, gib)))
        {
            let machine = Machine { ram_bytes: gib * GIB, cores: 4 };

            let recommended = Catalogue::bundled().default_for(purpose, &machine).unwrap();

            assert!(is_spdx(&recommended.licence), "{}: {}", recommended.id, recommended.licence);
        }
    }

    #[test]
    fn other_licences_are_an_address_to_read_them_at() {
        for entry in Catalogue::bundled().entries() {
            let is_stated = is_spdx(&entry.licence) || entry.licence.starts_with("https://");

            assert!(is_stated, "{}: {}", entry.id, entry.licence);
        }
    }

    #[test]
    fn voice_activity_needs_no_model_file() {
        let machine = Machine { ram_bytes: 8 * GIB, cores: 4 };

        assert_eq!(Catalogue::bundled().default_for(Purpose::VoiceActivity, &machine), None);
    }

    #[rstest]
    #[case("linux-x86_64", Some("runtime/libonnxruntime.so"))]
    #[case("macos-aarch64", Some("runtime/libonnxruntime.dylib"))]
    #[case("windows-x86_64", Some("runtime/onnxruntime.dll"))]
    #[case("plan9-mips", None)]
    fn each_platform_has_its_own_runtime_library(#[case] platform: &str, #[case] expected: Option<&str>) {
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
    fn entry_that_breaks_a_rule_is_rejected(
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
