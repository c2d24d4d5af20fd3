//! The checksum that a hub publishes for a file.

use net::{Http, NetError, Response, Url};
use serde::Deserialize;

/// What the hub that sent `answer` says the file at `url` has to be: SHA-256 in lower-case hexadecimal digits.
///
/// Hugging Face sends it with the redirect to its storage, in `x-linked-etag`; GitHub keeps it with the release.
pub(super) async fn checksum(http: &Http, url: &Url, answer: &Response) -> Result<Option<String>, NetError> {
    if let Some(sum) = answer.header_on_the_way("x-linked-etag").and_then(sha256_in) {
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
        sha256_in(asset.digest?.strip_prefix("sha256:")?)
    }
}

/// The description of the GitHub release that `url` is an asset of, and the asset's name.
fn release_of(url: &Url) -> Option<(Url, String)> {
    if url.host_str() != Some("github.com") {
        return None;
    }
    let path: Vec<_> = url.path().trim_start_matches('/').split('/').collect();
    let [owner, repository, "releases", "download", tag, asset] = path[..] else { return None };
    let address = format!("https://api.github.com/repos/{owner}/{repository}/releases/tags/{tag}");
    Some((Url::parse(&address).ok()?, asset.to_owned()))
}

/// A SHA-256 as headers write it: perhaps quoted, perhaps marked as weak. Other tags are no checksums.
fn sha256_in(text: &str) -> Option<String> {
    let digits = text.trim().trim_start_matches("W/").trim_matches('"').to_ascii_lowercase();
    (digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit())).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: &str = "c577b9a86e7e048a0b7eada054f4dd79a56bbfa911fbdacf900ac5b567cbb7d9";

    #[test]
    fn reads_a_checksum_as_headers_write_it_and_nothing_else() {
        assert_eq!(sha256_in(&format!("\"{SUM}\"")).as_deref(), Some(SUM));
        assert_eq!(sha256_in(&format!("W/\"{}\"", SUM.to_uppercase())).as_deref(), Some(SUM));
        assert_eq!(sha256_in("\"5f2c8d\""), None);
    }

    #[test]
    fn finds_the_release_of_an_asset() {
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
    fn finds_the_digest_of_an_asset_in_its_release() {
        let release = |text: String| serde_json::from_str::<Release>(&text).unwrap();
        let text = format!(r#"{{"assets": [{{"name": "a"}}, {{"name": "b", "digest": "sha256:{SUM}"}}]}}"#);

        assert_eq!(release(text.clone()).digest_of("b").as_deref(), Some(SUM));
        assert_eq!(release(text.clone()).digest_of("a"), None);
        assert_eq!(release(text).digest_of("c"), None);
    }
}
