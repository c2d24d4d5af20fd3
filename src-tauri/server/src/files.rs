//! Files and pictures of answers, kept for the program that asked until it fetches them.

use std::time::Duration;

use command_center::WireAttachment;
use parking_lot::Mutex;
use tokio::time::Instant;
use vocabulary::{Attachment, AttachmentKind};

use crate::ids::{FileId, fresh_id};

/// The time that a file is kept. Source: the life of a conversation in the protocol of Command Centers.
const KEPT: Duration = Duration::from_secs(600);

/// The most bytes that are kept, the oldest go first. Our own choice: as much as one reply may have.
const MAX_BYTES: usize = 100 << 20;

/// Files that wait to be fetched, the oldest first.
#[derive(Default)]
pub(crate) struct Files(Mutex<Vec<KeptFile>>);

struct KeptFile {
    id: FileId,
    program: String,
    since: Instant,
    file: Attachment,
}

impl Files {
    /// Keeps the files of an answer for the program, and says where it gets them.
    pub fn keep(&self, program: &str, files: Vec<Attachment>) -> Vec<WireAttachment> {
        let mut kept = self.0.lock();
        let mut described = Vec::with_capacity(files.len());
        for file in files {
            let id = FileId(fresh_id());
            described.push(described_as(&file, &id));
            kept.push(KeptFile { id, program: program.to_owned(), since: Instant::now(), file });
        }
        let mut bytes: usize = kept.iter().map(|kept| kept.file.bytes.len()).sum();
        while bytes > MAX_BYTES {
            bytes -= kept.remove(0).file.bytes.len();
        }
        described
    }

    /// Takes a file of this program: nobody gets it once more.
    pub fn take(&self, program: &str, id: &FileId) -> Option<Attachment> {
        let mut kept = self.0.lock();
        let at = kept.iter().position(|kept| kept.id == *id && kept.program == program)?;
        Some(kept.remove(at).file)
    }

    /// Gives up files that nobody fetched.
    pub fn forget_old(&self, now: Instant) {
        let mut kept = self.0.lock();
        kept.retain(|kept| now.saturating_duration_since(kept.since) < KEPT);
        if kept.is_empty() {
            kept.shrink_to_fit();
        }
    }
}

fn described_as(file: &Attachment, FileId(id): &FileId) -> WireAttachment {
    let kind = match file.kind {
        AttachmentKind::Image => "image",
        AttachmentKind::Document => "file",
    };
    WireAttachment {
        kind: kind.to_owned(),
        filename: file.filename.clone(),
        mime_type: file.mime_type.clone(),
        size: file.bytes.len(),
        caption: file.caption.clone(),
        path: format!("/attachments/{id}"),
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::Private;

    use super::*;

    fn file(bytes: usize) -> Attachment {
        Attachment {
            kind: AttachmentKind::Document,
            filename: "notes.txt".to_owned(),
            mime_type: "text/plain".to_owned(),
            bytes: Private(vec![1; bytes].into()),
            caption: None,
        }
    }

    fn id(described: &[WireAttachment]) -> FileId {
        FileId(described[0].path.strip_prefix("/attachments/").unwrap().to_owned())
    }

    #[test]
    fn file_is_taken_once_and_by_its_program_alone() {
        let files = Files::default();
        let kept = files.keep("bot", vec![file(3)]);

        assert!(files.take("node", &id(&kept)).is_none());
        assert!(files.take("bot", &FileId("guessed".to_owned())).is_none());
        assert_eq!(files.take("bot", &id(&kept)), Some(file(3)));
        assert!(files.take("bot", &id(&kept)).is_none());
    }

    #[test]
    fn oldest_file_goes_when_there_are_too_many_bytes() {
        let files = Files::default();
        let first = files.keep("bot", vec![file(MAX_BYTES / 2)]);
        let second = files.keep("bot", vec![file(MAX_BYTES / 2), file(1)]);

        assert!(files.take("bot", &id(&first)).is_none());
        assert!(files.take("bot", &id(&second)).is_some());
    }

    #[test]
    fn file_that_nobody_fetches_is_given_up() {
        let files = Files::default();
        let kept = files.keep("bot", vec![file(3)]);

        files.forget_old(Instant::now() + KEPT);

        assert!(files.take("bot", &id(&kept)).is_none());
    }
}
