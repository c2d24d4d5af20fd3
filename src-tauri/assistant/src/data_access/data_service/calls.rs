//! The log of tool calls.

use memory::{CallFilter, Memory};

use super::failure::Failure;
use super::parts::DataService;
use super::responder::Responder;
use crate::data_access::requests::{DayRange, MemoryAnswer};

impl DataService {
    pub(super) async fn list_calls(
        &self,
        memory: &Memory,
        filter: CallFilter,
        days: DayRange,
        limit: usize,
        responder: &Responder,
    ) -> Result<(), Failure> {
        let span = self.days(days).span(&self.zone());
        for call in memory.calls(CallFilter { span, ..filter }, limit).await? {
            responder.memory(MemoryAnswer::Call(call)).await?;
        }
        Ok(())
    }
}
