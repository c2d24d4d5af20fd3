//! The door and its description.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::Value;

use crate::served::Served;

/// The path without what stands for a name in it.
fn example_of(path: &str) -> String {
    path.replace("{model}", "jarvis").replace("{id}", "0")
}

/// The answer of a path that is there, about a file that is not.
const NO_FILE: &str = "There is no such file";

#[tokio::test]
async fn every_path_takes_its_described_methods_and_no_others() {
    let served = Served::new([]).await;
    let description: Value = serde_json::from_str(&server::openapi_json()).unwrap();
    let mut taken = BTreeMap::new();
    let mut described = BTreeMap::new();

    for (path, operations) in description["paths"].as_object().unwrap() {
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let request = served.strange(method.clone(), &example_of(path)).header("X-API-Key", &served.key);
            let response = request.send().await.unwrap();
            let status = response.status().as_u16();
            let is_taken = ![404, 405].contains(&status) || response.text().await.unwrap().contains(NO_FILE);
            taken.insert((path.clone(), method.to_string()), is_taken);
            let is_described = operations.get(method.as_str().to_lowercase()).is_some();
            described.insert((path.clone(), method.to_string()), is_described);
        }
    }

    assert_eq!(taken, described);
}

#[tokio::test]
async fn open_paths_are_described_as_open() {
    let description: Value = serde_json::from_str(&server::openapi_json()).unwrap();
    let open: Vec<&String> = description["paths"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, operations)| operations.as_object().unwrap().values().all(|it| it["security"].is_null()))
        .map(|(path, _)| path)
        .collect();

    assert_eq!(open, ["/api/v0/health", "/api/v0/ping", "/health"]);
}
