//! The attachments of one reply.

use vocabulary::Attachment;

/// The most files of one reply. Source: docs/behaviour/routing.md#attachments.
const MAX_FILES: usize = 16;

/// The most bytes of all files of one reply. Source: docs/behaviour/routing.md#attachments.
const MAX_BYTES: usize = 100 << 20;

/// The attachments of one reply, in the order of its calls and within their limits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunAttachments {
    kept: Vec<Attachment>,
    left_out: usize,
}

impl RunAttachments {
    /// Adds files. Those that the limits have no room for are left out.
    pub fn add(&mut self, attachments: impl IntoIterator<Item = Attachment>) {
        for attachment in attachments {
            let bytes: usize = self.kept.iter().map(|kept| kept.bytes.len()).sum();
            if self.kept.len() < MAX_FILES && bytes + attachment.bytes.len() <= MAX_BYTES {
                self.kept.push(attachment);
            } else {
                tracing::warn!("a file of a tool was left out: the reply has too many");
                self.left_out += 1;
            }
        }
    }

    /// Number of files that were left out.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The files that were kept.
    pub fn into_kept(self) -> Vec<Attachment> {
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::{AttachmentKind, Private};

    use super::*;

    fn attachment(name: usize, bytes: usize) -> Attachment {
        Attachment {
            kind: AttachmentKind::Document,
            filename: name.to_string(),
            mime_type: "text/plain".into(),
            bytes: Private(vec![0; bytes].into()),
            caption: None,
        }
    }

    fn names(attachments: RunAttachments) -> Vec<String> {
        attachments.into_kept().into_iter().map(|kept| kept.filename).collect()
    }

    #[test]
    fn seventeenth_file_is_left_out() {
        let mut run = RunAttachments::default();

        run.add((0..17).map(|name| attachment(name, 1)));

        assert_eq!(run.left_out(), 1);
        assert_eq!(names(run).last().map(String::as_str), Some("15"));
    }

    #[test]
    fn file_that_fits_is_kept_after_one_that_does_not() {
        let mut run = RunAttachments::default();

        run.add([attachment(1, MAX_BYTES - 10), attachment(2, 11), attachment(3, 10)]);

        assert_eq!((run.left_out(), names(run)), (1, vec!["1".to_owned(), "3".to_owned()]));
    }
}
