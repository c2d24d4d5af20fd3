//! Sign-ins at servers of tools, in memory.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tools::servers::SignInStore;
use vocabulary::Private;

/// Keeps sign-ins in memory.
#[derive(Default)]
pub struct InMemorySignIns(Mutex<BTreeMap<String, String>>);

impl InMemorySignIns {
    /// The sign-in that is kept for a server.
    pub fn of(&self, server: &str) -> Option<String> {
        self.0.lock().get(server).cloned()
    }
}

impl SignInStore for InMemorySignIns {
    fn load(&self, server: &str) -> Result<Option<Private<String>>, String> {
        Ok(self.of(server).map(Private))
    }

    fn save(&self, server: &str, sign_in: Option<Private<String>>) -> Result<(), String> {
        let mut all = self.0.lock();
        match sign_in {
            Some(Private(text)) => all.insert(server.to_owned(), text),
            None => all.remove(server),
        };
        Ok(())
    }
}
