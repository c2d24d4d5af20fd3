//! Which tools there are, at this moment.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tokio::sync::watch;

use crate::arguments::ArgumentSchema;
use crate::tool::{Declaration, Effect, Tool};

/// The tools by name. They come and go while Jarvis runs: servers start, stop, and change what they offer.
pub struct ToolRegistry {
    catalogue: watch::Sender<Arc<Catalogue>>,
}

/// All tools at one moment, in the order of their names.
#[derive(Default)]
pub struct Catalogue {
    tools: BTreeMap<Arc<str>, Arc<RegisteredTool>>,
    version: u64,
}

/// A tool and the compiled schema of its arguments.
pub struct RegisteredTool {
    tool: Arc<dyn Tool>,
    /// Compiled at the first call: most tools of a large catalogue are never called.
    schema: OnceLock<ArgumentSchema>,
}

/// Why a tool was not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// Another tool has this name.
    #[error("a tool named {name} exists already")]
    NameTaken {
        /// The name that is refused.
        name: String,
    },
    /// Models cannot call a tool of this name.
    #[error("{name:?} is no name for a tool: use up to 128 letters, digits, _ and -")]
    InvalidName {
        /// The name that is refused.
        name: String,
    },
}

/// The longest name that the providers of models accept.
const MAX_NAME_CHARS: usize = 128;

impl ToolRegistry {
    /// A registry without tools.
    pub fn new() -> Self {
        Self { catalogue: watch::Sender::new(Arc::default()) }
    }

    /// Adds tools in one change: all of them, or none.
    ///
    /// # Errors
    ///
    /// A name is taken, or is none that models can call.
    pub fn add(&self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<(), RegistryError> {
        self.replace(&[], tools)
    }

    /// Removes the tools of these names and adds others in one change: all of it, or nothing.
    ///
    /// # Errors
    ///
    /// As for [`ToolRegistry::add`].
    pub fn replace(
        &self,
        gone: &[&str],
        tools: impl IntoIterator<Item = Arc<dyn Tool>>,
    ) -> Result<(), RegistryError> {
        let tools: Vec<Arc<dyn Tool>> = tools.into_iter().collect();
        let mut outcome = Ok(());
        self.catalogue.send_if_modified(|catalogue| match catalogue.with(gone, tools) {
            Ok(changed) => {
                *catalogue = Arc::new(changed);
                true
            }
            Err(error) => {
                outcome = Err(error);
                false
            }
        });
        outcome
    }

    /// Removes the tools of these names in one change. Names of no tool are passed over; calls under way go on.
    pub fn remove(&self, names: &[&str]) {
        self.catalogue.send_if_modified(|catalogue| {
            let has_any = names.iter().any(|name| catalogue.tools.contains_key(*name));
            if has_any {
                let mut tools = catalogue.tools.clone();
                tools.retain(|name, _| !names.contains(&&**name));
                *catalogue = Arc::new(Catalogue { tools, version: catalogue.version + 1 });
            }
            has_any
        });
    }

    /// A registry of its own with the tools of this one that `keeps` says, and more. A name that is taken is left out.
    pub fn scoped(
        &self,
        keeps: impl Fn(&Declaration) -> bool,
        more: impl IntoIterator<Item = Arc<dyn Tool>>,
    ) -> Self {
        let catalogue = self.catalogue();
        let mut tools = catalogue.tools.clone();
        tools.retain(|_, tool| keeps(tool.declaration()));
        let mut scoped = Catalogue { tools, version: catalogue.version + 1 };
        for tool in more {
            match scoped.with(&[], vec![tool]) {
                Ok(with) => scoped = Catalogue { version: catalogue.version + 1, ..with },
                Err(error) => tracing::warn!(%error, "a tool of a calling program is left out"),
            }
        }
        Self { catalogue: watch::Sender::new(Arc::new(scoped)) }
    }

    /// The tools at this moment. Cheap.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.borrow().clone()
    }

    /// Wakes at every change.
    pub fn watch(&self) -> watch::Receiver<Arc<Catalogue>> {
        self.catalogue.subscribe()
    }
}

impl Default for ToolRegistry {
    fn default() -> Self {
        Self::new()
    }
}

impl Catalogue {
    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.tools.get(name)
    }

    /// All tools, in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<RegisteredTool>> {
        self.tools.values()
    }

    /// Returns the declarations of all tools, in the order of their names.
    pub fn declarations(&self) -> impl ExactSizeIterator<Item = &Declaration> {
        self.tools.values().map(|tool| tool.declaration())
    }

    /// Number of tools.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Returns `true` if there are no tools.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Counts the changes: catalogues of one registry with the same version are equal.
    pub fn version(&self) -> u64 {
        self.version
    }

    fn with(&self, gone: &[&str], added: Vec<Arc<dyn Tool>>) -> Result<Self, RegistryError> {
        let mut tools = self.tools.clone();
        for name in gone {
            tools.remove(*name);
        }
        for tool in added {
            let name: Arc<str> = tool.declaration().name.as_str().into();
            if !is_callable(&name) {
                return Err(RegistryError::InvalidName { name: name.to_string() });
            }
            let registered = Arc::new(RegisteredTool { tool, schema: OnceLock::new() });
            if tools.insert(name.clone(), registered).is_some() {
                return Err(RegistryError::NameTaken { name: name.to_string() });
            }
        }
        Ok(Self { tools, version: self.version + 1 })
    }
}

impl RegisteredTool {
    /// The declaration, for models and users.
    pub fn declaration(&self) -> &Declaration {
        self.tool.declaration()
    }

    /// The effect of a call with these arguments. Arguments that are no object are taken for the most serious ones.
    pub fn effect_of(&self, arguments: &Value) -> Effect {
        let repaired = self.schema().repaired(arguments);
        repaired.map_or(self.declaration().effect, |arguments| self.tool.effect(&arguments))
    }

    /// The tool itself.
    pub(crate) fn tool(&self) -> &dyn Tool {
        &*self.tool
    }

    /// The compiled schema of its arguments. Compiles it at the first call.
    pub(crate) fn schema(&self) -> &ArgumentSchema {
        self.schema.get_or_init(|| ArgumentSchema::new(&self.declaration().parameters))
    }
}

fn is_callable(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !name.is_empty() && name.len() <= MAX_NAME_CHARS && name.chars().all(fits)
}
