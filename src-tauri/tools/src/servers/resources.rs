//! The resources of a server, as a list for the model.

use rmcp::RoleClient;
use rmcp::model::PaginatedRequestParams;
use rmcp::service::{Peer, ServiceError};

/// Resources that are named; a model reads no longer list.
const MAX_RESOURCES: usize = 100;
/// The most pages that are asked for.
const MAX_PAGES: usize = 20;
/// The longest description, in characters.
const DESCRIPTION_CHARS: usize = 200;

/// The resources of a server and the patterns of more, a line each.
pub(super) async fn listed(peer: &Peer<RoleClient>) -> Result<String, ServiceError> {
    let (mut lines, mut cursor) = (Vec::new(), None);
    for _ in 0..MAX_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let listed = peer.list_resources(Some(page)).await?;
        lines.extend(listed.resources.iter().map(|r| line(&r.uri, &r.name, r.description.as_deref())));
        cursor = listed.next_cursor;
        if cursor.is_none() || lines.len() > MAX_RESOURCES {
            break;
        }
    }
    // Many servers have no patterns, and say so with an error.
    if let Ok(patterns) = peer.list_resource_templates(None).await {
        let patterns = patterns.resource_templates;
        lines.extend(patterns.iter().map(|p| line(&p.uri_template, &p.name, p.description.as_deref())));
    }
    if lines.is_empty() {
        return Ok("The server has no resources now.".to_owned());
    }
    let more = lines.len().saturating_sub(MAX_RESOURCES);
    lines.truncate(MAX_RESOURCES);
    if more > 0 {
        lines.push("There are more.".to_owned());
    }
    Ok(lines.join("\n"))
}

fn line(uri: &str, name: &str, description: Option<&str>) -> String {
    let description = description.map(str::trim).filter(|text| !text.is_empty());
    let words = description.map(|text| {
        let text: String = text.chars().take(DESCRIPTION_CHARS).collect();
        format!(": {}", text.replace('\n', " "))
    });
    format!("{uri} ({name}){}", words.unwrap_or_default())
}
