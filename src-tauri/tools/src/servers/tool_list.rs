//! The tools of one server in the registry.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::Tool as Described;
use tokio::sync::mpsc;

use super::claimed_effect::Hints;
use super::listing::Listing;
use super::neutral::neutral_declaration;
use super::pins::{Comparison, Pin, PinStore};
use super::remote_tool::{ServerTool, Target, declaration_of, prompts_declaration, resources_declaration};
use super::request::ServerRequest;
use crate::permissions::Permissions;
use crate::registry::{Catalogue, ToolRegistry};
use crate::{Declaration, Tool};

/// The tools of one server, as they stand in the registry.
#[derive(Default)]
pub(super) struct ToolList {
    declared: BTreeMap<String, Declaration>,
    /// Tools that the server describes otherwise than when they were allowed.
    pub changed: Vec<String>,
    /// The last list, while it has such tools.
    waiting: Option<Listing>,
}

/// The place of the tools of a server, and what the user knows of them.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub registry: &'a ToolRegistry,
    pub permissions: &'a Permissions,
    pub pins: &'a dyn PinStore,
    /// The way to the server.
    pub requests: &'a mpsc::Sender<ServerRequest>,
}

impl ToolList {
    /// Full names of the tools.
    pub fn names(&self) -> Vec<String> {
        self.declared.keys().cloned().collect()
    }

    /// Puts the tools that a server named into the registry, in place of those before. A tool that is described otherwise than
    /// the user knows it asks again, and is told of in the words before. Returns the descriptions to be remembered.
    pub fn enter(&mut self, listing: Listing, around: Surroundings) -> Vec<(String, Pin)> {
        self.changed.clear();
        let mut to_pin = Vec::new();
        let mut offered: BTreeMap<String, (Declaration, Target)> = BTreeMap::new();
        for (name, (described, target)) in self.found(&listing, &around.registry.catalogue()) {
            let declaration = match target {
                Target::Tool { hints, .. } => self.known(described, hints, around, &mut to_pin),
                // The words are ours.
                Target::Resources | Target::Prompts => described,
            };
            offered.insert(name, (declaration, target));
        }
        self.register(&listing.server, offered, around);
        self.waiting = (!self.changed.is_empty()).then_some(listing);
        to_pin
    }

    /// Enters the last list again after the user agreed to a description. Returns the descriptions to be remembered.
    pub fn enter_again(&mut self, around: Surroundings) -> Vec<(String, Pin)> {
        self.waiting.take().map(|listing| self.enter(listing, around)).unwrap_or_default()
    }

    /// The tools that a server named, with our own for its resources and prompts.
    fn found(&self, listing: &Listing, catalogue: &Catalogue) -> BTreeMap<String, (Declaration, Target)> {
        let mut found = BTreeMap::new();
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
        found
    }

    /// The declaration in words that the user knows. Suspends the tool if the server has others for it.
    fn known(
        &mut self,
        described: Declaration,
        hints: Hints,
        around: Surroundings,
        to_pin: &mut Vec<(String, Pin)>,
    ) -> Declaration {
        let (name, permissions) = (described.name.clone(), around.permissions);
        let agreed = permissions.agreed_to(&name);
        match Pin::compare(&described, hints, around.pins.pinned(&name), agreed.as_ref()) {
            Comparison::Changed(known) => {
                let neutral = neutral_declaration(&described, &known);
                if permissions.suspend(described) {
                    tracing::warn!(
                        tool = name,
                        "a server describes its tool otherwise than before; it asks again"
                    );
                }
                self.changed.push(name);
                return neutral;
            }
            Comparison::ToPin(pin) => to_pin.push((name.clone(), pin)),
            Comparison::Known => {}
        }
        permissions.resume(&name);
        described
    }

    fn register(
        &mut self,
        server: &str,
        offered: BTreeMap<String, (Declaration, Target)>,
        around: Surroundings,
    ) {
        let is_same = offered.len() == self.declared.len()
            && offered.iter().all(|(name, (declaration, _))| self.declared.get(name) == Some(declaration));
        // Most lists change nothing, and the index need not be made anew for them.
        if is_same {
            return;
        }
        let before = std::mem::take(&mut self.declared);
        let before: Vec<&str> = before.keys().map(String::as_str).collect();
        self.declared =
            offered.iter().map(|(name, (declared, _))| (name.clone(), declared.clone())).collect();
        let tools = offered.into_values().map(|(declaration, target)| {
            Arc::new(ServerTool::new(declaration, target, around.requests.clone())) as Arc<dyn Tool>
        });
        if let Err(error) = around.registry.replace(&before, tools) {
            tracing::warn!(server, %error, "the tools of a server were not registered");
            around.registry.remove(&before);
            self.declared.clear();
        }
    }

    /// Takes the tools out of the registry.
    pub fn leave(&mut self, registry: &ToolRegistry) {
        let before: Vec<&str> = self.declared.keys().map(String::as_str).collect();
        registry.remove(&before);
        self.declared.clear();
        self.waiting = None;
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
        Some((declaration?, Target::Tool { name: tool.name.to_string(), hints: Hints::from(tool) }))
    };
    let mut tools: Vec<(Declaration, Target)> = listing.tools.iter().filter_map(declared).collect();
    tools.sort_by_key(
        |(declaration, target)| matches!(target, Target::Tool { name, .. } if !declaration.name.ends_with(name.as_str())),
    );
    tools
}

#[cfg(test)]
mod tests;
