//! The state that all requests share.

use std::sync::Arc;

use assistant::Assistant;
use command_center::{CommandCenterServer, ServerSettings};
use parking_lot::RwLock;
use settings::ProgramsSettings;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::files::Files;
use crate::limiter::Limiter;
use crate::node_replies::NodeReplies;
use crate::open_calls::OpenCalls;
use crate::programs::Programs;

/// The state that all requests share.
pub(crate) struct Door {
    pub assistant: Assistant,
    pub settings: watch::Receiver<ProgramsSettings>,
    pub programs: Arc<RwLock<Programs>>,
    pub limiter: Limiter,
    pub nodes: CommandCenterServer<NodeReplies>,
    pub open_calls: OpenCalls,
    pub files: Arc<Files>,
}

impl Door {
    /// The door of this assistant.
    pub fn new(assistant: Assistant, settings: watch::Receiver<ProgramsSettings>) -> Arc<Self> {
        let programs = Arc::new(RwLock::new(Programs::default()));
        let files = Arc::<Files>::default();
        let replies = NodeReplies::new(assistant.clone(), Arc::clone(&programs), Arc::clone(&files));
        let nodes = CommandCenterServer::new(replies, ServerSettings::default());
        let door = Self {
            assistant,
            settings,
            programs,
            limiter: Limiter::default(),
            nodes,
            open_calls: OpenCalls::default(),
            files,
        };
        door.configure();
        Arc::new(door)
    }

    /// Forgets what no program came back for.
    pub fn forget_old(&self, now: Instant) {
        self.nodes.forget_expired(now.into_std());
        self.nodes.engine().forget_old(now);
        self.open_calls.forget_old(now);
        self.files.forget_old(now);
        self.limiter.forget_old(now);
    }

    /// Takes over changed settings. Conversations go on.
    pub fn configure(&self) {
        let settings = self.settings.borrow().clone();
        let programs = Programs::new(&settings);
        self.nodes.set_clients(programs.clients());
        self.nodes.configure(ServerSettings {
            sends_empty_lists: settings.empty_lists,
            accepts_unstarted: settings.unstarted,
            hosts: settings.hosts,
        });
        *self.programs.write() = programs;
    }
}
