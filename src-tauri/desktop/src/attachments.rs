//! The files of replies: kept while the window may show or save them.

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use parking_lot::Mutex;
use vocabulary::{Attachment, AttachmentKind, ReplyId};

/// The most bytes that are kept: those of two replies with as many files as they may have.
const MAX_KEPT_BYTES: usize = 200 << 20;

/// The largest picture that is drawn in the conversation, in bytes. The page gets it as a text a third longer.
const MAX_PICTURE_BYTES: usize = 10 << 20;

/// Pictures that the page draws. None of them can hold a program.
const PICTURES: [&str; 6] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"];

/// The number of names that are tried for a file: then the folder is full of files of this name.
const MAX_NAMES: usize = 10_000;

/// The files of the newest replies.
#[derive(Default)]
pub struct KeptAttachments(Mutex<VecDeque<(ReplyId, Vec<Attachment>)>>);

impl KeptAttachments {
    /// Keeps the files of a reply. The oldest replies make room for it.
    pub fn keep(&self, reply: ReplyId, attachments: &[Attachment]) {
        let mut kept = self.0.lock();
        if attachments.is_empty() || kept.iter().any(|(known, _)| *known == reply) {
            return;
        }
        kept.push_back((reply, attachments.to_vec()));
        while kept.len() > 1 && bytes_of(&kept) > MAX_KEPT_BYTES {
            kept.pop_front();
        }
    }

    /// The file at this place of a reply, if it is still kept.
    pub fn get(&self, reply: ReplyId, index: usize) -> Option<Attachment> {
        let kept = self.0.lock();
        let (_, attachments) = kept.iter().find(|(known, _)| *known == reply)?;
        attachments.get(index).cloned()
    }
}

fn bytes_of(kept: &VecDeque<(ReplyId, Vec<Attachment>)>) -> usize {
    kept.iter().flat_map(|(_, attachments)| attachments).map(|attachment| attachment.bytes.len()).sum()
}

/// Returns `true` if the page draws it in place; else it is a file to save.
pub fn is_drawn(attachment: &Attachment) -> bool {
    attachment.kind == AttachmentKind::Image
        && PICTURES.contains(&attachment.mime_type.as_str())
        && attachment.bytes.len() <= MAX_PICTURE_BYTES
}

/// The picture as an address that contains it; `None` for anything that is not drawn.
pub fn data_url(attachment: &Attachment) -> Option<String> {
    let encoded = is_drawn(attachment).then(|| BASE64_STANDARD.encode(&**attachment.bytes))?;
    Some(format!("data:{};base64,{encoded}", attachment.mime_type))
}

/// Writes the file into the folder, under its name or the next one that is free. Returns where it is.
///
/// # Errors
///
/// When the folder cannot be written to.
pub fn save(attachment: &Attachment, folder: &Path) -> io::Result<PathBuf> {
    let name = Path::new(&attachment.filename).file_name().unwrap_or("file".as_ref());
    let name = Path::new(name);
    for number in 0..MAX_NAMES {
        let path = folder.join(numbered(name, number));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                let written = file.write_all(&attachment.bytes).and_then(|()| file.sync_all());
                if written.is_err() {
                    // Half a file is of no use.
                    let _ = std::fs::remove_file(&path);
                }
                return written.map(|()| path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The name with a number before its ending: `map (2).png`.
fn numbered(name: &Path, number: usize) -> String {
    if number == 0 {
        return name.to_string_lossy().into_owned();
    }
    let stem = name.file_stem().unwrap_or_default().to_string_lossy();
    match name.extension() {
        Some(ending) => format!("{stem} ({number}).{}", ending.to_string_lossy()),
        None => format!("{stem} ({number})"),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use vocabulary::Private;

    use super::*;

    fn attachment(kind: AttachmentKind, mime_type: &str, bytes: usize) -> Attachment {
        let (filename, mime_type) = ("map.png".to_owned(), mime_type.to_owned());
        Attachment { kind, filename, mime_type, bytes: Private(vec![7; bytes].into()), caption: None }
    }

    fn names(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[rstest]
    #[case::picture(AttachmentKind::Image, "image/png", 3, Some("data:image/png;base64,BwcH"))]
    #[case::file(AttachmentKind::Document, "image/png", 3, None)]
    #[case::vector_graphic(AttachmentKind::Image, "image/svg+xml", 3, None)]
    #[case::page(AttachmentKind::Image, "text/html", 3, None)]
    #[case::huge_picture(AttachmentKind::Image, "image/png", MAX_PICTURE_BYTES + 1, None)]
    fn only_pictures_of_points_are_drawn(
        #[case] kind: AttachmentKind,
        #[case] mime_type: &str,
        #[case] bytes: usize,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(data_url(&attachment(kind, mime_type, bytes)).as_deref(), expected);
    }

    #[test]
    fn file_is_saved_beside_those_of_the_same_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = attachment(AttachmentKind::Document, "image/png", 3);

        let paths: Vec<PathBuf> = (0..3).map(|_| save(&file, folder.path()).unwrap()).collect();

        assert_eq!(names(folder.path()), ["map (1).png", "map (2).png", "map.png"]);
        assert_eq!(std::fs::read(&paths[2]).unwrap(), [7, 7, 7]);
    }

    #[test]
    fn file_never_leaves_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = attachment(AttachmentKind::Document, "image/png", 1);

        save(&Attachment { filename: "../../map.png".into(), ..file.clone() }, folder.path()).unwrap();
        save(&Attachment { filename: "..".into(), ..file }, folder.path()).unwrap();

        assert_eq!(names(folder.path()), ["file", "map.png"]);
    }

    #[test]
    fn oldest_files_make_room() {
        let kept = KeptAttachments::default();
        let file = attachment(AttachmentKind::Document, "image/png", MAX_KEPT_BYTES);

        kept.keep(ReplyId(1), &[attachment(AttachmentKind::Image, "image/png", 3)]);
        let was_kept = kept.get(ReplyId(1), 0).is_some();
        kept.keep(ReplyId(2), &[file]);

        assert!(was_kept && kept.get(ReplyId(1), 0).is_none());
        assert!(kept.get(ReplyId(2), 0).is_some() && kept.get(ReplyId(2), 1).is_none());
    }
}
