//! The description of what there is: installed recognisers and voices.

use assistant::{Assistant, ModelLibraryError, ModelStatus, ModelView};
use serde_json::{Value, json};

use super::event::Event;

/// The event that describes the programs. A program without an installed model is left out.
pub(crate) fn describe(assistant: &Assistant) -> Result<Event, ModelLibraryError> {
    let models = assistant.model_library().models()?;
    let installed = |purpose: &str| -> Vec<&ModelView> {
        let mut models: Vec<_> =
            models.iter().filter(|model| model.purpose == purpose && is_installed(model)).collect();
        // Clients take the first one.
        models.sort_by_key(|model| model.status != ModelStatus::InUse);
        models
    };
    let name = assistant.name();
    let asr = program(&name, "models", &installed("speech"));
    let tts = program(&name, "voices", &installed("voice"));
    // The name is looked for in recognised words.
    let wake = if asr.is_empty() { Vec::new() } else { vec![wake_program(&name, &assistant.wake_names())] };
    let info =
        json!({ "asr": asr, "tts": tts, "handle": [], "intent": [], "wake": wake, "mic": [], "snd": [] });
    Ok(Event::new("info", info))
}

/// The only program of its kind; none without a model.
fn program(name: &str, key: &str, models: &[&ModelView]) -> Vec<Value> {
    if models.is_empty() {
        return Vec::new();
    }
    vec![described(name, key, models.iter().map(|model| artifact(model)).collect())]
}

fn described(name: &str, key: &str, models: Vec<Value>) -> Value {
    json!({
        "name": "jarvis", "description": name, "installed": true, "version": env!("CARGO_PKG_VERSION"),
        "attribution": { "name": "Jarvis", "url": "" }, key: models,
    })
}

/// The program that hears these names, in any language.
fn wake_program(name: &str, wake_names: &[String]) -> Value {
    let models = wake_names.iter().map(|wake_name| {
        json!({
            "name": wake_name, "description": wake_name, "phrase": wake_name, "installed": true,
            "version": null, "languages": all_languages(),
            "attribution": { "name": "Jarvis", "url": "" },
        })
    });
    described(name, "models", models.collect())
}

fn all_languages() -> Vec<String> {
    languages::all().iter().map(|language| language.code.to_string()).collect()
}

fn is_installed(model: &ModelView) -> bool {
    matches!(model.status, ModelStatus::Ready | ModelStatus::InUse)
}

fn artifact(model: &ModelView) -> Value {
    let languages: Vec<String> = match model.languages.iter().any(|code| code == "*") {
        true => all_languages(),
        false => model.languages.clone(),
    };
    json!({
        "name": model.id, "description": model.name, "installed": true, "version": null, "languages": languages,
        "attribution": { "name": model.licence, "url": "" },
    })
}
