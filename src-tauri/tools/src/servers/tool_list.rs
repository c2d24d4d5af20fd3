//! The tools of one server in the registry.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::Tool as Described;
use tokio::sync::mpsc;

use super::listing::Listing;
use super::pins::{Fingerprint, PinStore, fingerprint};
use super::remote_tool::{ServerTool, Target, declaration_of, prompts_declaration, resources_declaration};
use super::request::ServerRequest;
use crate::permissions::Permissions;
use crate::registry::ToolRegistry;
use crate::{Declaration, Tool};

/// The tools of one server, as they stand in the registry.
#[derive(Default)]
pub(super) struct ToolList {
    declared: BTreeMap<String, Declaration>,
    /// Tools that the server describes otherwise than when they were allowed.
    pub changed: Vec<String>,
}

impl ToolList {
    /// Full names of the tools.
    pub fn names(&self) -> Vec<String> {
        self.declared.keys().cloned().collect()
    }

    /// Lets tools ask again that are described otherwise than before. Returns the fingerprints of those that are new.
    pub fn check_pins(
        &mut self,
        listing: &Listing,
        pins: &dyn PinStore,
        permissions: &Permissions,
    ) -> Vec<(String, Fingerprint)> {
        let mut new = Vec::new();
        self.changed.clear();
        for (declaration, _) in declared(listing) {
            let (now, name) = (fingerprint(&declaration), declaration.name);
            match pins.pinned(&name) {
                Some(before) if before != now => {
                    tracing::warn!(
                        tool = name,
                        "a server describes its tool otherwise than before; it asks again"
                    );
                    permissions.suspend(&name);
                    self.changed.push(name);
                }
                Some(_) => {}
                None => new.push((name, now)),
            }
        }
        new
    }

    /// Puts the tools that a server named into the registry, in place of those before.
    pub fn enter(
        &mut self,
        listing: &Listing,
        registry: &ToolRegistry,
        requests: &mpsc::Sender<ServerRequest>,
    ) {
        let catalogue = registry.catalogue();
        let mut found: BTreeMap<String, (Declaration, Target)> = BTreeMap::new();
        let resources = (resources_declaration(&listing.server), Target::Resources);
        let prompts = (prompts_declaration(&listing.server), Target::Prompts);
        let own = listing.has_resources.then_some(resources).into_iter();
        let own = own.chain(listing.has_prompts.then_some(prompts));
        for (declaration, target) in declared(listing).into_iter().chain(own) {
            let name = declaration.name.clone();
            let is_taken = !self.declared.contains_key(&name) && catalogue.get(&name).is_some();
            // Of two tools with one name the first counts.
            if is_taken || found.contains_key(&name) {
                tracing::warn!(server = listing.server, "a tool of the server has the name of another one");
                continue;
            }
            found.insert(name, (declaration, target));
        }
        let is_same = found.len() == self.declared.len()
            && found.iter().all(|(name, (declaration, _))| self.declared.get(name) == Some(declaration));
        // Most lists change nothing, and the index need not be made anew for them.
        if is_same {
            return;
        }
        self.leave(registry);
        self.declared = found.iter().map(|(name, (declared, _))| (name.clone(), declared.clone())).collect();
        let tools = found.into_values().map(|(declaration, target)| {
            Arc::new(ServerTool::new(declaration, target, requests.clone())) as Arc<dyn Tool>
        });
        if let Err(error) = registry.add(tools) {
            tracing::warn!(server = listing.server, %error, "the tools of a server were not registered");
            self.declared.clear();
        }
    }

    /// Takes the tools out of the registry.
    pub fn leave(&mut self, registry: &ToolRegistry) {
        let before: Vec<&str> = self.declared.keys().map(String::as_str).collect();
        registry.remove(&before);
        self.declared.clear();
    }
}

/// The declarations of the tools that a server named. Those whose names stay as they are come first: a name that had to
/// be changed must not take the place of another one.
fn declared(listing: &Listing) -> Vec<(Declaration, Target)> {
    let declared = |tool: &Described| {
        let declaration = declaration_of(&listing.server, tool);
        if declaration.is_none() {
            tracing::warn!(
                server = listing.server,
                "a tool of the server cannot be offered: its name or its arguments are unusable"
            );
        }
        Some((declaration?, Target::Tool(tool.name.to_string())))
    };
    let mut tools: Vec<(Declaration, Target)> = listing.tools.iter().filter_map(declared).collect();
    tools.sort_by_key(
        |(declaration, target)| matches!(target, Target::Tool(name) if !declaration.name.ends_with(name.as_str())),
    );
    tools
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn listing(names: &[&str], has_resources: bool) -> Listing {
        let tools = names.iter().enumerate().map(|(n, name)| {
            let described = json!({ "name": name, "description": format!("tool {n}"), "inputSchema": { "type": "object" } });
            serde_json::from_value(described).unwrap()
        });
        Listing {
            server: "files".to_owned(),
            generation: 0,
            tools: tools.collect(),
            has_resources,
            has_prompts: false,
        }
    }

    fn entered(listings: &[Listing]) -> Vec<(String, String)> {
        let (registry, mut list) = (ToolRegistry::new(), ToolList::default());
        let (requests, _) = mpsc::channel(1);
        for listing in listings {
            list.enter(listing, &registry, &requests);
        }
        let catalogue = registry.catalogue();
        let names: Vec<String> = catalogue.declarations().map(|tool| tool.name.clone()).collect();
        assert_eq!(list.names(), names);
        catalogue.declarations().map(|tool| (tool.name.clone(), tool.description.clone())).collect()
    }

    fn pair(name: &str, description: &str) -> (String, String) {
        (name.to_owned(), description.to_owned())
    }

    #[test]
    fn of_tools_with_one_name_the_first_exact_one_is_kept() {
        let tools = entered(&[listing(&["read", "read", "a b", "a_b", "", "日本"], false)]);

        assert_eq!(tools, [pair("files__a_b", "tool 3"), pair("files__read", "tool 0")]);
    }

    #[test]
    fn later_list_takes_the_place_of_the_one_before() {
        let tools = entered(&[listing(&["read", "write"], true), listing(&["write"], false)]);

        assert_eq!(tools, [pair("files__write", "tool 0")]);
    }

    #[test]
    fn same_list_changes_nothing_in_the_registry() {
        let (registry, mut list) = (ToolRegistry::new(), ToolList::default());
        let (requests, _) = mpsc::channel(1);

        list.enter(&listing(&["read"], true), &registry, &requests);
        let version = registry.catalogue().version();
        list.enter(&listing(&["read"], true), &registry, &requests);

        assert_eq!(list.names(), ["files__read", "files__readServerResource"]);
        assert_eq!(registry.catalogue().version(), version);
    }

    #[test]
    fn tool_of_the_server_goes_before_ours_of_the_same_name() {
        let tools = entered(&[listing(&["readServerResource"], true)]);

        assert_eq!(tools, [pair("files__readServerResource", "tool 0")]);
    }
}
