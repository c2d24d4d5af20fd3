//! Examination and repair.

use memory::{Memory, MemoryError, StorageError};
use vocabulary::{Stage, Trouble};

use super::failure::Failure;
use super::parts::DataService;
use super::responder::Responder;
use crate::data_access::requests::MemoryAnswer;
use crate::memory_upkeep::memory_files::{database, place};
use crate::memory_upkeep::memory_findings::{
    backup_finding, encryption_finding, findings_of, repaired_finding,
};
use crate::views::{Finding, Severity};

impl DataService {
    /// Examines everything, and repairs it if that is wanted. A memory that cannot be opened is a finding too.
    pub(super) async fn examine(&self, repairs: bool, responder: &Responder) -> Result<(), Failure> {
        let findings = match self.try_to_examine(repairs).await {
            Ok(findings) => findings,
            Err(Failure::Trouble(trouble)) => vec![Finding::failure(trouble)],
            Err(gone) => return Err(gone),
        };
        responder.findings(findings).await
    }

    async fn try_to_examine(&self, repairs: bool) -> Result<Vec<Finding>, Failure> {
        let path = database(&self.parts.folders);
        if !self.is_in_use() {
            if !path.exists() && memory::backups(&path).is_empty() {
                return Ok(vec![Finding::ok(Stage::Memory, "Nothing is remembered yet.")]);
            }
            // Opening a damaged file would replace it.
            if !repairs && let Err(error) = self.check_file().await? {
                return Ok(vec![damage_finding(&error)]);
            }
        }
        let (opened, trouble) = self.try_to_open().await?;
        let mut findings: Vec<Finding> =
            trouble.into_iter().map(|trouble| Finding::new(trouble, Severity::Warning)).collect();
        let examined = self.examine_open(&opened, repairs, &mut findings).await;
        opened.close().await;
        examined?;
        findings.push(encryption_finding(&self.parts.folders));
        findings.push(backup_finding(&path));
        Ok(findings)
    }

    async fn examine_open(
        &self,
        memory: &Memory,
        repairs: bool,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Failure> {
        if repairs {
            let before = memory.repair(self.now_micros()).await?;
            findings.extend(repaired_finding(&before));
        }
        findings.extend(findings_of(&memory.examine(self.now_micros()).await?));
        Ok(())
    }

    /// Checks the memory and counts its messages.
    pub(super) async fn check(&self, responder: &Responder) -> Result<(), Failure> {
        let messages = if self.is_in_use() {
            let (opened, _) = self.try_to_open().await?;
            let conversations = opened.conversations().await?;
            conversations.iter().map(|conversation| conversation.messages).sum()
        } else {
            if !database(&self.parts.folders).exists() {
                let finding = Finding::ok(Stage::Memory, "Nothing is remembered yet.");
                return responder.findings(vec![finding]).await;
            }
            self.check_file().await??
        };
        let finding = Finding::ok(Stage::Memory, format!("The memory is sound: {messages} messages."));
        responder.findings(vec![finding]).await
    }

    async fn check_file(&self) -> Result<Result<i64, MemoryError>, Failure> {
        let place = place(&self.parts.folders, &self.parts.secrets);
        let checked = tokio::task::spawn_blocking(move || memory::check(place)).await?;
        Ok(checked.map_err(MemoryError::from))
    }

    pub(super) async fn maintain(
        &self,
        memory: &Memory,
        is_check_only: bool,
        responder: &Responder,
    ) -> Result<(), Failure> {
        let before = memory.examine(self.now_micros()).await?;
        let findings = findings_of(&before);
        let is_failing = findings.iter().any(|finding| finding.severity == Severity::Failure);
        responder.findings(findings).await?;
        if !before.damage.is_empty() {
            // A copy of a damaged file would push out a sound one.
            return Err(Failure::refused("the memory file is damaged: no backup was made of it"));
        }
        if is_check_only {
            return match is_failing {
                true => {
                    Err(Failure::refused("something needs attention: `jarvis memory maintain` repairs it"))
                }
                false => Ok(()),
            };
        }
        if before.needs_repair() {
            memory.repair(self.now_micros()).await?;
            responder.memory(MemoryAnswer::Repaired).await?;
        }
        memory.expire_undo(self.now_micros()).await?;
        self.back_up(memory, responder).await
    }
}

fn damage_finding(error: &MemoryError) -> Finding {
    let mut trouble: Trouble = error.trouble();
    if matches!(error, MemoryError::Storage(StorageError::Damaged { .. })) {
        trouble.remedy =
            "Quit Jarvis and run `jarvis doctor memory --repair`: it quarantines the file and goes on \
                          from the last backup."
                .to_owned();
    }
    Finding::failure(trouble)
}
