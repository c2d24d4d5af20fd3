//! Files of replies, as the page gets them.

use serde_json::json;
use vocabulary::{Attachment, AttachmentKind, Private, ReplyId};

use super::scene::{Scene, refusal};

#[tokio::test]
async fn page_gets_pictures_of_a_reply_and_no_other_file() {
    let scene = Scene::new().await;
    let file = |mime_type: &str| Attachment {
        kind: AttachmentKind::Image,
        filename: "map.png".into(),
        mime_type: mime_type.into(),
        bytes: Private(vec![7, 7, 7].into()),
        caption: None,
    };
    let files = [file("image/png"), file("image/svg+xml")];
    scene.door().feeds.attachments().keep(ReplyId(1), &files);

    let picture = scene.invoke("picture", json!({"reply": 1, "index": 0})).await;
    let graphic = scene.call("picture", json!({"reply": 1, "index": 1})).await;

    assert_eq!(picture, json!("data:image/png;base64,BwcH"));
    let why = "This is no picture that can be shown. Save it instead.";
    assert_eq!(graphic, refusal("bad_value", why));
}
