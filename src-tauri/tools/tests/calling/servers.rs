//! Servers of tools: the real ones of `tests/tool_servers`, and programs that are none.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use net::Http;
use parking_lot::Mutex;
use rstest::rstest;
use serde_json::{Value, json};
use settings::ServerSettings;
use testkit::{InMemoryPermissions, ScriptedApproval};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::servers::{Connections, Fingerprint, PinStore, ServerPhase, ServerStatus, ToolServers};
use tools::{Permission, Permissions, Taint, ToolRegistry, ToolResult, ToolRunner};

use crate::support::{call, config, context};

#[derive(Default)]
struct Pins(Mutex<BTreeMap<String, Fingerprint>>);

impl PinStore for Pins {
    fn pinned(&self, tool: &str) -> Option<Fingerprint> {
        self.0.lock().get(tool).cloned()
    }

    fn pin(&self, tool: &str, fingerprint: Fingerprint) {
        self.0.lock().insert(tool.to_owned(), fingerprint);
    }
}

struct Fixture {
    servers: ToolServers,
    registry: Arc<ToolRegistry>,
    permissions: Arc<Permissions>,
    pins: Arc<Pins>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Fixture {
    fn new() -> Self {
        let registry = Arc::new(ToolRegistry::new());
        let config = config(|settings| {
            settings.tools.allowed = ["everything", "files", "memory"].map(str::to_owned).to_vec();
        });
        let permissions = Arc::new(Permissions::new(config, Arc::new(InMemoryPermissions::default())));
        let (pins, tasks, stop) = (Arc::new(Pins::default()), TaskTracker::new(), CancellationToken::new());
        let servers = ToolServers::new(
            Arc::clone(&registry),
            Arc::clone(&permissions),
            Arc::clone(&pins) as Arc<dyn PinStore>,
            Connections { http: Http::new().unwrap() },
            &tasks,
            stop.clone(),
        );
        Self { servers, registry, permissions, pins, tasks, stop }
    }

    /// The same with these servers, whose tools were listed.
    async fn with(servers: &[(&str, ServerSettings)]) -> Self {
        let fixture = Self::new();
        fixture.configure(servers).await;
        fixture
    }

    async fn configure(&self, servers: &[(&str, ServerSettings)]) -> Vec<ServerStatus> {
        let servers = servers.iter().map(|(name, server)| ((*name).to_owned(), server.clone())).collect();
        self.servers.configure(&servers, &|_| None);
        let mut changes = self.servers.subscribe();
        let statuses = self.servers.refresh().await;
        // The registry is changed by a task of its own.
        tokio::time::timeout(Duration::from_secs(10), async {
            while self
                .servers
                .statuses()
                .iter()
                .any(|server| server.phase == ServerPhase::Running && server.tools.is_empty())
            {
                changes.changed().await.unwrap();
            }
        })
        .await
        .unwrap();
        if statuses.is_empty() { statuses } else { self.servers.statuses() }
    }

    /// Calls a tool through the choke point. The servers of the tests are allowed.
    async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        let runner = ToolRunner::new(Arc::clone(&self.registry), Arc::clone(&self.permissions));
        let call = call(tool, arguments);
        runner.run(&call, Taint::Clean, &context(), &mut ScriptedApproval::default()).await.result
    }

    async fn end(self) {
        self.stop.cancel();
        self.tasks.close();
        tokio::time::timeout(Duration::from_secs(30), self.tasks.wait()).await.unwrap();
    }
}

/// A server of `tests/tool_servers`, which `cargo xtask test` installs.
fn installed(package: &str, arguments: &[&str]) -> ServerSettings {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/tool_servers/node_modules");
    let script = root.join("@modelcontextprotocol").join(package).join("dist/index.js");
    assert!(script.is_file(), "{} is missing: run `npm ci` in tests/tool_servers", script.display());
    let script = script.to_string_lossy().into_owned();
    let args = [script].into_iter().chain(arguments.iter().map(|text| (*text).to_owned())).collect();
    ServerSettings { command: "node".into(), args, ..ServerSettings::default() }
}

fn program(command: &str, arguments: &[&str]) -> ServerSettings {
    let args = arguments.iter().map(|text| (*text).to_owned()).collect();
    ServerSettings { command: command.into(), args, ..ServerSettings::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_of_two_servers_are_called_and_their_results_untrusted() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("note.txt"), "The key is under the mat.").unwrap();
    let path = folder.path().to_str().unwrap();
    let fixture = Fixture::with(&[
        ("files", installed("server-filesystem", &[path])),
        ("everything", installed("server-everything", &[])),
    ])
    .await;

    let echoed = fixture.call("everything__echo", json!({ "message": "hello" })).await;
    let read = fixture.call("files__read_text_file", json!({ "path": format!("{path}/note.txt") })).await;
    let outside = fixture.call("files__read_text_file", json!({ "path": "/etc/passwd" })).await;

    assert!(echoed.success && echoed.is_untrusted && echoed.text.unwrap().contains("hello"));
    assert_eq!(read.text.unwrap().0, "The key is under the mat.");
    assert!(!outside.success && outside.text.unwrap().to_lowercase().contains("access denied"));
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_ends_between_two_calls_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = installed("server-memory", &[]);
    memory
        .env
        .insert("MEMORY_FILE_PATH".into(), folder.path().join("memory.jsonl").to_string_lossy().into_owned());
    memory.idle_timeout_secs = 0.2;
    let fixture = Fixture::with(&[("memory", memory)]).await;
    let entity =
        json!({ "entities": [{ "name": "Ann", "entityType": "person", "observations": ["likes tea"] }] });

    assert!(fixture.call("memory__create_entities", entity).await.success);
    let mut changes = fixture.servers.subscribe();
    tokio::time::timeout(Duration::from_secs(20), async {
        while fixture.servers.statuses()[0].phase != ServerPhase::Asleep {
            changes.changed().await.unwrap();
        }
    })
    .await
    .unwrap();
    let found = fixture.call("memory__search_nodes", json!({ "query": "tea" })).await;

    assert!(found.text.unwrap().contains("Ann"));
    fixture.end().await;
}

#[rstest]
#[case::no_such_program(program("no-such-program-at-all", &[]), "was not found")]
#[case::ends_at_once(program("true", &[]), "could not be reached")]
#[case::writes_no_protocol(program("sh", &["-c", "yes | head -c 1000000; echo trouble >&2"]), "could not be reached")]
#[case::nothing_to_start(ServerSettings::default(), "needs a command or an address")]
#[tokio::test(flavor = "multi_thread")]
async fn server_that_does_not_work_says_why_and_touches_no_other(
    #[case] broken: ServerSettings,
    #[case] reason: &str,
) {
    let fixture = Fixture::new();

    let statuses =
        fixture.configure(&[("broken", broken), ("everything", installed("server-everything", &[]))]).await;

    let ServerPhase::Failed(told) = &statuses[0].phase else { panic!("{statuses:?}") };
    assert!(told.contains(reason), "{told}");
    assert!(fixture.call("everything__echo", json!({ "message": "still here" })).await.success);
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_server_takes_its_tools_along_and_ends() {
    let fixture = Fixture::with(&[("everything", installed("server-everything", &[]))]).await;
    assert!(!fixture.registry.catalogue().is_empty());

    fixture.configure(&[]).await;

    assert!(fixture.registry.catalogue().is_empty());
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_description_asks_again_whatever_was_allowed() {
    let fixture = Fixture::with(&[("everything", installed("server-everything", &[]))]).await;
    let echo = fixture.registry.catalogue().get("everything__echo").unwrap().declaration().clone();
    assert_eq!(fixture.permissions.of(&echo, echo.effect, Taint::Clean), Permission::Allow);

    fixture.pins.pin("everything__echo", "another description".into());
    let statuses = fixture.configure(&[("everything", installed("server-everything", &[]))]).await;

    assert_eq!(statuses[0].changed_tools, ["everything__echo"]);
    assert_eq!(
        fixture.permissions.of(&echo, echo.effect, Taint::Clean),
        Permission::Ask { can_remember: true }
    );
    fixture.end().await;
}
