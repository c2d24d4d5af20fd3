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
    let info =
        json!({ "asr": asr, "tts": tts, "handle": [], "intent": [], "wake": [], "mic": [], "snd": [] });
    Ok(Event::new("info", info))
}

/// The only program of its kind; none without a model.
fn program(name: &str, key: &str, models: &[&ModelView]) -> Vec<Value> {
    if models.is_empty() {
        return Vec::new();
    }
    let models: Vec<Value> = models.iter().map(|model| artifact(model)).collect();
    vec![json!({
        "name": "jarvis", "description": name, "installed": true, "version": env!("CARGO_PKG_VERSION"),
        "attribution": { "name": "Jarvis", "url": "" }, key: models,
    })]
}

fn is_installed(model: &ModelView) -> bool {
    matches!(model.status, ModelStatus::Ready | ModelStatus::InUse)
}

fn artifact(model: &ModelView) -> Value {
    let all = || languages::all().iter().map(|language| language.code.to_string()).collect();
    let languages: Vec<String> = match model.languages.iter().any(|code| code == "*") {
        true => all(),
        false => model.languages.clone(),
    };
    json!({
        "name": model.id, "description": model.name, "installed": true, "version": null, "languages": languages,
        "attribution": { "name": model.licence, "url": "" },
    })
}
