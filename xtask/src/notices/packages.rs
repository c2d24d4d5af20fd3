//! The packages that the windows consist of. The build of the windows lists them (`ui/build/bundled-packages.ts`).

use anyhow::Context;
use serde_json::Value;

use super::component::{Component, ComponentId, Kind};
use crate::process::checkout;

/// The list that the build of the windows writes, below the root of the checkout.
const LIST: &str = "ui/.bundled-packages.json";

/// The packages with their licences.
///
/// # Errors
///
/// The windows were not built, or a package has no licence text.
pub fn components() -> anyhow::Result<Vec<Component>> {
    let list = std::fs::read_to_string(checkout().join(LIST))
        .with_context(|| format!("reading {LIST}: build the windows first, with `npm run build` in ui"))?;
    parse(&serde_json::from_str(&list).with_context(|| format!("reading {LIST}"))?)
}

fn parse(list: &Value) -> anyhow::Result<Vec<Component>> {
    let package = |package: &Value| {
        let text = |key: &str| {
            let text = package[key].as_str().map(|text| text.replace("\r\n", "\n").trim().to_owned());
            text.filter(|text| !text.is_empty()).with_context(|| format!("{package} has no {key}"))
        };
        let id = ComponentId { kind: Kind::Package, name: text("name")?, version: text("version")? };
        Ok(Component { id, licence: text("licence")?, texts: vec![text("text")?] })
    };
    list.as_array().context("it is no list")?.iter().map(package).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn package_without_a_licence_text_is_an_error() {
        let marked =
            |text: &str| json!([{"name": "marked", "version": "18.2.1", "licence": "MIT", "text": text}]);

        assert_eq!(parse(&marked("free\n")).unwrap()[0].texts, ["free"]);
        assert!(parse(&marked(" ")).is_err());
    }
}
