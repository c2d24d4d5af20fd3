//! Which models belong to a set.

use clap::ValueEnum;
use models::{Catalogue, CatalogueEntry, Machine, ModelStore, Purpose};

use super::packages;

/// Which models to fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Set {
    /// The models that Jarvis needs on this machine
    Default,
    /// The models that the tests need
    Tests,
    /// Everything there is to have
    All,
}

/// The models that the tests name by id, whatever machine they run on.
const TESTS: [&str; 12] = [
    "whisper-base-q8_0",
    "whisper-tiny.en-q8_0",
    "moonshine-tiny-en",
    "hama-phonemes",
    "smart-turn-v3.2",
    "en_US-joe-medium",
    "kokoro-bm_george",
    "all-minilm-l6-v2-int8",
    "campplus-zh-en",
    "onnxruntime-1.31.1",
    "qwen2.5-coder-0.5b-instruct-q4_k_m",
    "smollm2-135m-instruct-q4_1",
];

/// The replacements of recommendations that only the hub has.
const STAND_INS: [&str; 5] = [
    "whisper-base-q8_0",
    "en_US-joe-medium",
    "onnxruntime-1.31.1",
    "all-minilm-l6-v2-int8",
    "qwen2.5-coder-0.5b-instruct-q4_k_m",
];

/// The purposes for which Jarvis wants a model. Voice activity needs no file.
const PURPOSES: [Purpose; 5] =
    [Purpose::SpeechToText, Purpose::Voice, Purpose::Runtime, Purpose::Embedding, Purpose::LanguageModel];

/// The models of a set, from the hub or from packages.
pub fn wanted<'a>(
    set: Set,
    catalogue: &'a Catalogue,
    machine: &Machine,
    from_hub: bool,
) -> Vec<&'a CatalogueEntry> {
    let named = |ids: &[&str]| ids.iter().filter_map(|id| catalogue.entry(id)).collect();
    match (set, from_hub) {
        (Set::Tests, _) => named(&TESTS),
        (Set::Default, false) => named(&STAND_INS),
        (Set::Default, true) => {
            PURPOSES.iter().filter_map(|purpose| catalogue.default_for(*purpose, machine)).collect()
        }
        (Set::All, true) => catalogue.entries().iter().collect(),
        (Set::All, false) => catalogue.entries().iter().filter(|entry| packages::has_all(entry)).collect(),
    }
}

/// The models of a set, if it can be called complete without asking the network: for [`Set::Default`] any model of
/// each purpose will do, whether it once came from the hub or from packages.
pub fn complete(set: Set, store: &ModelStore, machine: &Machine) -> Option<Vec<&'static CatalogueEntry>> {
    match set {
        Set::Default => PURPOSES.iter().map(|purpose| store.best_installed(*purpose, machine)).collect(),
        Set::Tests => {
            let entries = wanted(set, store.catalogue(), machine, false);
            entries.iter().all(|entry| store.is_installed(&entry.id)).then_some(entries)
        }
        // Only the hub knows all.
        Set::All => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(set: Set, from_hub: bool) -> Vec<String> {
        let machine = Machine { ram_bytes: 8 << 30, cores: 4 };
        let wanted = wanted(set, Catalogue::bundled(), &machine, from_hub);
        wanted.iter().map(|entry| entry.id.clone()).collect()
    }

    #[test]
    fn every_model_the_tests_name_is_in_the_catalogue_and_in_packages() {
        let catalogue = Catalogue::bundled();

        for id in TESTS.iter().chain(&STAND_INS) {
            let entry = catalogue.entry(id).unwrap_or_else(|| panic!("{id} is not in the catalogue"));
            assert!(packages::has_all(entry), "{id} is in no package");
        }
    }

    #[test]
    fn the_default_set_has_a_model_for_every_purpose_from_either_source() {
        assert_eq!(ids(Set::Default, false), STAND_INS);
        assert_eq!(
            ids(Set::Default, true),
            [
                "whisper-base-q8_0",
                "en_US-joe-medium",
                "onnxruntime-1.31.1",
                "all-minilm-l6-v2-int8",
                "qwen2.5-1.5b-instruct-q4_k_m"
            ]
        );
    }
}
