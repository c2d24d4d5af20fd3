use serde_json::Map;

use super::*;

struct NoValues;

impl ServerValues for NoValues {
    fn value(&self, _: &str) -> Option<String> {
        None
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
async fn call_whose_caller_is_gone_does_not_start_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("started");
    let settings = ServerSettings {
        command: "touch".into(),
        args: vec![mark.to_string_lossy().into_owned()],
        ..ServerSettings::default()
    };
    let (requests, asked) = mpsc::channel(16);
    for _ in 0..16 {
        let (answer, _) = oneshot::channel();
        let tool = AskedOperation::Tool { name: "write".into(), arguments: Map::new() };
        let inquiries = crate::Inquiries::default();
        let asker = Asker { server: "files".into(), language: None, inquiries };
        let call = ServerRequest::Call { asked: tool, asker, can_repeat: true, answer };
        assert!(requests.try_send(call).is_ok());
    }
    drop(requests);
    let (phase, phases) = watch::channel(ServerPhase::Asleep);
    let (listed, _lists) = mpsc::channel(1);
    let (values_changed, lines, is_signed_in) = (Arc::default(), LastLines::default(), Arc::default());
    let (wanted_rights, prompts) = (Arc::default(), watch::Sender::default());
    let outside = ServerLines {
        requests: asked,
        values_changed,
        phase,
        lines,
        is_signed_in,
        wanted_rights,
        prompts,
        listed,
    };
    let connections = Connections {
        http: net::Http::new().unwrap(),
        limits: crate::servers::CallLimits::default(),
        sign_ins: Arc::new(NoSignIns),
        model: None,
    };
    let task = ServerTask::new(("files".to_owned(), 0), settings, Arc::new(NoValues), connections, outside);

    task.run(CancellationToken::new()).await;

    assert_eq!((mark.exists(), phases.borrow().clone()), (false, ServerPhase::Asleep));
}
