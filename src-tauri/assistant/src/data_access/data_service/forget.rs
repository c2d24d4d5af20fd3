//! Forgetting and undo.

use memory::{Forget, Memory, Undo, quarantined};

use super::failure::Failure;
use super::memory_source::OpenMemory;
use super::parts::DataService;
use super::responder::Responder;
use super::show::no_such;
use super::views::all;
use crate::data_access::requests::{ForgetPreview, ForgetScope, MemoryAnswer};

impl DataService {
    pub(super) async fn preview_forget(
        &self,
        memory: &Memory,
        scope: ForgetScope,
        responder: &Responder,
    ) -> Result<(), Failure> {
        if let ForgetScope::Items(ids) = &scope {
            for id in ids {
                memory.item(*id).await?.ok_or_else(|| no_such(*id))?;
            }
        }
        let what = self.resolved(scope)?;
        let calls = memory.would_forget_calls(what.clone(), self.now_micros()).await?;
        let items = all(memory.would_forget(what, self.now_micros()).await?);
        let place = memory.store().location().clone();
        // Reads the files to their ends.
        let quarantined = tokio::task::spawn_blocking(move || quarantined(place)).await?;
        let has_copies = !memory.backups().is_empty() || !quarantined.is_empty();
        let unreadable = quarantined.into_iter().filter(|file| !file.is_sound);
        let unreadable_copies = unreadable.map(|file| file.path).collect();
        let preview = ForgetPreview { items, calls, unreadable_copies, has_copies };
        responder.memory(MemoryAnswer::ForgetPreview(preview)).await
    }

    pub(super) async fn forget(
        &self,
        opened: &OpenMemory,
        scope: ForgetScope,
        is_for_good: bool,
        responder: &Responder,
    ) -> Result<(), Failure> {
        let undo = if is_for_good { Undo::Never } else { Undo::Possible };
        let forgotten = opened.forget(self.resolved(scope)?, undo, self.now_micros()).await?;
        responder.memory(MemoryAnswer::Forgotten(forgotten.into())).await
    }

    fn resolved(&self, scope: ForgetScope) -> Result<Forget, Failure> {
        Ok(match scope {
            ForgetScope::Items(ids) => Forget::Items(ids),
            ForgetScope::Words(words) => Forget::Words(words),
            ForgetScope::LastThing => Forget::LastThing,
            ForgetScope::Days(range) => {
                let span = self.days(range).span(&self.zone());
                Forget::Span(span.ok_or_else(|| Failure::refused("name the first day or the last one"))?)
            }
            ForgetScope::Conversation(name) => Forget::Conversation(name),
        })
    }

    pub(super) async fn undo(&self, opened: &OpenMemory, responder: &Responder) -> Result<(), Failure> {
        let ids = opened.undo(None, self.now_micros()).await?;
        opened.reload_dialogue().await?;
        let mut items = Vec::new();
        for id in ids {
            items.extend(opened.item(id).await?.map(Into::into));
        }
        responder.memory(MemoryAnswer::Undone(items)).await
    }
}
