//! The checksum that a download server publishes for a file.

use net::{Http, NetError, Response, Url};
use serde::Deserialize;

/// The SHA-256 that the server of `response` publishes for the file at `url`, as lower-case hexadecimal digits.
///
/// Hugging Face sends it in the header `x-linked-etag` of the redirect; GitHub lists it in the description of the
/// release.
pub(super) async fn fetch(http: &Http, url: &Url, response: &Response) -> Result<Option<String>, NetError> {
    if let Some(sum) = response.header_of_any_hop("x-linked-etag").and_then(parse_sha256) {
        return Ok(Some(sum));
    }
    let Some((release, asset)) = release_of(url) else { return Ok(None) };
    let release: Release =
        http.get(&release).header("accept", "application/vnd.github+json").send().await?.json().await?;
    Ok(release.digest_of(&asset))
}

#[derive(Deserialize)]
struct Release {
    assets: Vec<Asset>,
}

#[derive(Deserialize)]
struct Asset {
    name: String,
    digest: Option<String>,
}

impl Release {
    fn digest_of(self, asset: &str) -> Option<String> {
        let asset = self.assets.into_iter().find(|candidate| candidate.name == asset)?;
        parse_sha256(asset.digest?.strip_prefix("sha256:")?)
    }
}

/// If `url` is an asset of a GitHub release: the address of the release description, and the name of the asset.
fn release_of(url: &Url) -> Option<(Url, String)> {
    if url.host_str() != Some("github.com") {
        return None;
    }
    let path: Vec<_> = url.path().trim_start_matches('/').split('/').collect();
    let [owner, repository, "releases", "download", tag, asset] = path[..] else { return None };
    let address = format!("https://api.github.com/repos/{owner}/{repository}/releases/tags/{tag}");
    Some((Url::parse(&address).ok()?, asset.to_owned()))
}

/// Parses a SHA-256 from a header value, which may be quoted and marked as weak. `None` for other tags.
fn parse_sha256(text: &str) -> Option<String> {
    let digits = text.trim().trim_start_matches("W/").trim_matches('"').to_ascii_lowercase();
    (digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit())).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: &str = "c577b9a86e7e048a0b7eada054f4dd79a56bbfa911fbdacf900ac5b567cbb7d9";

    #[test]
    fn checksum_is_parsed_from_quoted_and_weak_etags() {
        assert_eq!(parse_sha256(&format!("\"{SUM}\"")).as_deref(), Some(SUM));
        assert_eq!(parse_sha256(&format!("W/\"{}\"", SUM.to_uppercase())).as_deref(), Some(SUM));
        assert_eq!(parse_sha256("\"5f2c8d\""), None);
    }

    #[test]
    fn asset_address_leads_to_its_release_description() {
        let asset = "https://github.com/microsoft/onnxruntime/releases/download/v1.31.1/onnxruntime-linux-x64-1.31.1.tgz";

        let (release, name) = release_of(&Url::parse(asset).unwrap()).unwrap();

        assert_eq!(
            release.as_str(),
            "https://api.github.com/repos/microsoft/onnxruntime/releases/tags/v1.31.1"
        );
        assert_eq!(name, "onnxruntime-linux-x64-1.31.1.tgz");
        assert_eq!(release_of(&Url::parse("https://example.org/a/b/releases/download/v1/x").unwrap()), None);
    }

    #[test]
    fn digest_of_an_asset_is_found_in_its_release() {
        let release = |text: String| serde_json::from_str::<Release>(&text).unwrap();
        let text = format!(r#"{{"assets": [{{"name": "a"}}, {{"name": "b", "digest": "sha256:{SUM}"}}]}}"#);

        assert_eq!(release(text.clone()).digest_of("b").as_deref(), Some(SUM));
        assert_eq!(release(text.clone()).digest_of("a"), None);
        assert_eq!(release(text).digest_of("c"), None);
    }
}
