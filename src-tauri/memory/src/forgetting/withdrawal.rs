//! Withdrawing messages: a reply that is stopped early takes back what was said in it.

use rusqlite::params;

use super::deletion::delete_scope;
use super::scope::ForgetScope;
use crate::MemoryError;
use crate::memory::Memory;

impl Memory {
    /// Deletes the messages that were said in a conversation at or after a time, with all that was made of them: search rows,
    /// vectors, diary entries, facts. It cannot be undone. Backups are not searched: a message is withdrawn within seconds.
    /// Returns the number of messages.
    pub async fn withdraw_messages(
        &self,
        conversation: &str,
        since_micros: i64,
    ) -> Result<usize, MemoryError> {
        let conversation = conversation.to_owned();
        self.change(move |changing| {
            let messages = {
                let sql = "SELECT id FROM messages WHERE conversation = ?1 AND said_at >= ?2";
                let mut select = changing.prepare_cached(sql)?;
                let rows = select.query_map(params![conversation, since_micros], |row| row.get(0))?;
                rows.collect::<rusqlite::Result<_>>()?
            };
            let scope = ForgetScope::from_messages(changing, messages)?;
            // Nodes that lose facts get the time of the messages as their change time: there is no clock here.
            delete_scope(changing, &scope, since_micros)?;
            Ok(scope.messages.len())
        })
        .await
    }
}
