use rmcp::model::Tool as Described;
use serde_json::json;

use super::*;
use crate::config::ToolsConfig;
use crate::servers::Pin;

struct Nothing;

impl PinStore for Nothing {
    fn pinned(&self, _: &str) -> Option<Pin> {
        None
    }

    fn pin(&self, _: Vec<(String, Pin)>) {}
}

impl ServerValues for Nothing {
    fn value(&self, _: &str) -> Option<String> {
        None
    }
}

#[async_trait::async_trait]
impl crate::PermissionStore for Nothing {
    async fn allow_always(
        &self,
        _: &crate::Declaration,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

struct NoSignIns;

impl crate::servers::SignInStore for NoSignIns {
    fn load(&self, _: &str) -> Result<Option<vocabulary::Private<String>>, String> {
        Ok(None)
    }

    fn save(&self, _: &str, _: Option<vocabulary::Private<String>>) -> Result<(), String> {
        Ok(())
    }
}

#[tokio::test]
async fn list_of_an_earlier_server_of_the_name_is_dropped() {
    let (registry, tasks, stop) =
        (Arc::new(ToolRegistry::new()), TaskTracker::new(), CancellationToken::new());
    let permissions =
        Arc::new(Permissions::new(ToolsConfig::from(&settings::Settings::default()), Arc::new(Nothing)));
    let connections = Connections {
        http: net::Http::new().unwrap(),
        limits: crate::servers::CallLimits::default(),
        sign_ins: Arc::new(NoSignIns),
        model: None,
    };
    let ports = ServerPorts { pins: Arc::new(Nothing), values: Arc::new(Nothing), connections };
    let servers = ToolServers::new(Arc::clone(&registry), permissions, ports, &tasks, stop.clone());
    let program = |command: &str| {
        let server = ServerSettings { command: command.into(), ..ServerSettings::default() };
        BTreeMap::from([("files".to_owned(), server)])
    };
    let tool = json!({ "name": "read", "inputSchema": { "type": "object" } });
    let tool: Described = serde_json::from_value(tool).unwrap();
    let listing = |generation| Listing {
        server: "files".into(),
        generation,
        tools: vec![tool.clone()],
        has_resources: false,
        has_prompts: false,
    };

    servers.configure(&program("no-such-program-at-all"));
    servers.configure(&program("no-such-program-either"));
    servers.shared.take_over(listing(0));
    assert_eq!(registry.catalogue().len(), 0);

    servers.shared.take_over(listing(1));
    assert_eq!(registry.catalogue().len(), 1);
    stop.cancel();
    tasks.close();
    tasks.wait().await;
}
