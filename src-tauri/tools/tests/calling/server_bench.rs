//! Servers of tools with a registry, and the ports that they need.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use net::Http;
use parking_lot::Mutex;
use serde_json::Value;
use settings::ServerSettings;
use testkit::{
    InMemoryAudit, InMemoryPermissions, InMemoryPins, InMemorySignIns, ScriptedApproval, ScriptedModel, Turn,
};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::servers::{
    CallLimits, Connections, PinStore, ServerPhase, ServerPorts, ServerPrompt, ServerStatus, ServerValues,
    SignInStore, ToolServers,
};
use tools::{CallOutcome, Permissions, Taint, ToolContext, ToolRegistry, ToolResult, ToolRunner};

use crate::support::{call, config, context};

/// Values that a test can change.
#[derive(Default)]
pub struct Values(pub Mutex<BTreeMap<String, String>>);

impl ServerValues for Values {
    fn value(&self, name: &str) -> Option<String> {
        self.0.lock().get(name).cloned()
    }
}

pub struct ServerBench {
    pub servers: ToolServers,
    pub registry: Arc<ToolRegistry>,
    pub permissions: Arc<Permissions>,
    pub pins: Arc<InMemoryPins>,
    pub values: Arc<Values>,
    pub http: Http,
    pub sign_ins: Arc<InMemorySignIns>,
    pub model: Arc<ScriptedModel>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl ServerBench {
    pub fn new() -> Self {
        Self::with_limits(CallLimits::default())
    }

    /// Servers whose calls may take this long.
    pub fn with_limits(limits: CallLimits) -> Self {
        let registry = Arc::new(ToolRegistry::new());
        let config = config(|settings| {
            settings.tools.allowed =
                ["everything", "files", "memory", "scripted", "web"].map(str::to_owned).to_vec();
        });
        let permissions = Arc::new(Permissions::new(config, Arc::new(InMemoryPermissions::default())));
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let (pins, values, http) =
            (Arc::new(InMemoryPins::default()), Arc::new(Values::default()), Http::new().unwrap());
        let sign_ins = Arc::new(InMemorySignIns::default());
        let model = Arc::new(ScriptedModel::new([Turn::says("Four.")]));
        let ports = ServerPorts {
            pins: Arc::clone(&pins) as Arc<dyn PinStore>,
            values: Arc::clone(&values) as Arc<dyn ServerValues>,
            connections: Connections {
                http: http.clone(),
                limits,
                sign_ins: Arc::clone(&sign_ins) as Arc<dyn SignInStore>,
                model: Some(Arc::clone(&model) as Arc<dyn llm::ChatModel>),
            },
        };
        let servers =
            ToolServers::new(Arc::clone(&registry), Arc::clone(&permissions), ports, &tasks, stop.clone());
        Self { servers, registry, permissions, pins, values, http, sign_ins, model, tasks, stop }
    }

    /// The same with these servers, whose tools were listed.
    pub async fn with(servers: &[(&str, ServerSettings)]) -> Self {
        let fixture = Self::new();
        fixture.configure(servers).await;
        fixture
    }

    pub async fn configure(&self, servers: &[(&str, ServerSettings)]) -> Vec<ServerStatus> {
        let servers = servers.iter().map(|(name, server)| ((*name).to_owned(), server.clone())).collect();
        self.servers.configure(&servers);
        self.servers.refresh().await
    }

    /// Calls a tool through the choke point. The servers of the tests are allowed.
    pub async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        self.outcome(tool, arguments, &context()).await.result
    }

    pub async fn outcome(&self, tool: &str, arguments: Value, context: &ToolContext) -> CallOutcome {
        self.outcome_with(tool, arguments, context, &mut ScriptedApproval::default()).await
    }

    pub async fn outcome_with(
        &self,
        tool: &str,
        arguments: Value,
        context: &ToolContext,
        user: &mut ScriptedApproval,
    ) -> CallOutcome {
        self.runner().run(&call(tool, arguments), Taint::Clean, context, user).await
    }

    pub fn runner(&self) -> ToolRunner {
        let (registry, permissions) = (Arc::clone(&self.registry), Arc::clone(&self.permissions));
        ToolRunner::new(registry, permissions, Arc::new(InMemoryAudit::default()))
    }

    /// The words of a server in the answer to a call.
    pub async fn told(&self, tool: &str, arguments: Value) -> String {
        said(&self.call(tool, arguments).await)
    }

    /// The reason why the only server does not work; empty while it works.
    pub fn reason(&self) -> String {
        match self.servers.statuses()[0].phase.clone() {
            ServerPhase::Failed(reason) => reason,
            _ => String::new(),
        }
    }

    /// Waits until the only server stands there.
    pub async fn reaches(&self, phase: &ServerPhase) {
        self.reaches_that(|status| status.phase == *phase).await;
    }

    /// Waits until the only server is as expected.
    pub async fn reaches_that(&self, is_it: impl Fn(&ServerStatus) -> bool) {
        let mut changes = self.servers.subscribe();
        let waiting = async {
            while !is_it(&self.servers.statuses()[0]) {
                changes.changed().await.unwrap();
            }
        };
        tokio::time::timeout(Duration::from_secs(20), waiting).await.unwrap();
    }

    pub async fn end(self) {
        self.stop.cancel();
        self.tasks.close();
        tokio::time::timeout(Duration::from_secs(30), self.tasks.wait()).await.unwrap();
    }
}

/// The prompts that the servers offer, once they are as expected.
pub async fn prompts_that(
    bench: &ServerBench,
    are_they: impl Fn(&[ServerPrompt]) -> bool,
) -> Vec<ServerPrompt> {
    let mut changes = bench.servers.subscribe();
    let waiting = async {
        loop {
            let prompts = bench.servers.prompts();
            if are_they(&prompts) {
                return prompts;
            }
            changes.changed().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.unwrap()
}

pub fn test_servers() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/tool_servers")
}

/// A server of `tests/tool_servers`, which `cargo xtask test` installs.
pub fn installed(package: &str, arguments: &[&str]) -> ServerSettings {
    let root = test_servers().join("node_modules/@modelcontextprotocol");
    let script = root.join(package).join("dist/index.js");
    assert!(script.is_file(), "{} is missing: run `npm ci` in tests/tool_servers", script.display());
    node(&script, arguments)
}

/// The scripted server of `tests/tool_servers`.
pub fn scripted(arguments: &[&str]) -> ServerSettings {
    node(&test_servers().join("scripted.mjs"), arguments)
}

fn node(script: &std::path::Path, arguments: &[&str]) -> ServerSettings {
    let script = script.to_string_lossy().into_owned();
    let args = [script].into_iter().chain(arguments.iter().map(|text| (*text).to_owned())).collect();
    ServerSettings { command: "node".into(), args, ..ServerSettings::default() }
}

pub fn program(command: &str, arguments: &[&str]) -> ServerSettings {
    let args = arguments.iter().map(|text| (*text).to_owned()).collect();
    ServerSettings { command: command.into(), args, ..ServerSettings::default() }
}

/// The words of a server in a result, which stand in a fence and are not trusted.
pub fn said(result: &ToolResult) -> String {
    let text = result.text.as_ref().unwrap();
    assert!(result.is_untrusted, "{}", text.0);
    let (_, inside) = text.split_once("<<<BEGIN UNTRUSTED SERVER RESULT>>>\n").unwrap_or(("", text));
    let (inside, _) = inside.split_once("\n<<<END UNTRUSTED SERVER RESULT>>>").unwrap_or((inside, ""));
    inside.to_owned()
}
