//! The description of the interface, made of the routes and their types.

use command_center::API_KEY_HEADER;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, Info, OpenApi, Ref, RefOr, Response, ResponseBuilder,
    SecurityRequirement,
};

use crate::failure::ErrorForm;
use crate::gate::needs_key;

/// The answers of the gate to any request.
const OF_THE_GATE: [(&str, &str); 4] = [
    ("401", "The key is missing or unknown"),
    ("403", "A web page asks, another host is named, or the key does not allow this"),
    ("408", "The body took too long"),
    ("429", "Too many requests"),
];

/// The answers to a body that cannot be read.
const OF_BODIES: [(&str, &str); 3] = [
    ("400", "The body is malformed"),
    ("413", "The body is too large"),
    ("415", "The body is of another type"),
];

/// The description without routes.
pub(crate) fn head() -> OpenApi {
    let mut description = OpenApi::default();
    description.info = Info::new("Jarvis for other programs", env!("CARGO_PKG_VERSION"));
    let keys = ApiKey::Header(ApiKeyValue::new(API_KEY_HEADER));
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    let components = ComponentsBuilder::new()
        .security_scheme("key", SecurityScheme::ApiKey(keys))
        .security_scheme("bearer", SecurityScheme::Http(bearer));
    description.components = Some(components.build());
    description
}

/// Adds what all routes share: the two places of a key, and the errors that no handler makes.
pub(crate) fn complete(description: &mut OpenApi) {
    for (path, item) in &mut description.paths.paths {
        let operations = [&mut item.get, &mut item.post, &mut item.delete];
        for operation in operations.into_iter().filter_map(Option::as_mut) {
            add_errors(operation, path);
            if needs_key(path) {
                let none: [&str; 0] = [];
                operation.security = Some(vec![
                    SecurityRequirement::new("key", none),
                    SecurityRequirement::new("bearer", none),
                ]);
            }
        }
    }
}

fn add_errors(operation: &mut Operation, path: &str) {
    let of_bodies = OF_BODIES.into_iter().filter(|_| operation.request_body.is_some());
    let errors: Vec<_> = OF_THE_GATE.into_iter().chain(of_bodies).collect();
    for (status, words) in errors {
        let form = if status == "400" { ErrorForm::of_bodies(path) } else { ErrorForm::from_path(path) };
        let answers = &mut operation.responses.responses;
        answers.entry(status.to_owned()).or_insert_with(|| RefOr::T(error(words, form)));
    }
}

fn error(words: &str, form: ErrorForm) -> Response {
    let schema = match form {
        ErrorForm::Detail => Ref::from_schema_name("Detail"),
        ErrorForm::Malformed => Ref::from_schema_name("MalformedBody"),
        ErrorForm::OpenAi => Ref::from_schema_name("OpenAiError"),
    };
    let content = ContentBuilder::new().schema(Some(schema)).build();
    ResponseBuilder::new().description(words).content("application/json", content).build()
}
