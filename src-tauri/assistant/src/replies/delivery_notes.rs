//! Notes to the user about a delivery, in the language of the reply.

use languages::messages::Messages;
use routing::DeliveryNote;
use vocabulary::Language;

/// The words of a note.
pub(super) fn in_words(note: &DeliveryNote, language: Option<&Language>) -> String {
    let messages = Messages::for_language(language);
    match note {
        DeliveryNote::VoiceQuota => messages.voice_quota().to_owned(),
        DeliveryNote::VoiceUnavailable => messages.voice_unavailable().to_owned(),
        DeliveryNote::NotShown(name) => messages.file_not_shown(name),
    }
}
