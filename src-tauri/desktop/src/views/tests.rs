use std::path::Path;

use assistant::{
    ChoiceView, EffectName, LocationView, ModelStatus, ModelsView, PermissionName, PromptArgumentView,
    ProviderView, PullStatus, ServerPromptView, ToolPermissionView, ToolServerState, ToolServerView,
};
use settings::{Key, Settings};
use ts_rs::Config;

use super::activity::RingName;
use super::fields::FieldKind;
use super::privacy::HostPurpose;
use super::trace::{DeliveryView, ModelCallView, PartName, ToolCallView};
use super::*;
use crate::error::CommandError;

/// Compares the generated types with the files the pages are built from; `JARVIS_WRITE_TYPES=1` writes them.
#[test]
fn generated_types_of_the_pages_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/api/types");
    let config = Config::new().with_large_int("number");
    macro_rules! up_to_date {
        ($($view:ty),*) => {$(
            let text = <$view>::export_to_string(&config).unwrap();
            let file = folder.join(format!("{}.ts", stringify!($view)));
            if std::env::var_os("JARVIS_WRITE_TYPES").is_some() {
                std::fs::write(&file, &text).unwrap();
            }
            let written = std::fs::read_to_string(&file).unwrap_or_default();
            assert_eq!(written, text, "{}: run this test with JARVIS_WRITE_TYPES=1", file.display());
        )*};
    }
    up_to_date!(
        StateName,
        Origin,
        TroubleView,
        Role,
        MessageView,
        ConversationView,
        StatusView,
        HistoryView,
        QuestionView,
        RingName,
        RingView,
        ToolOutcomeName,
        ModelCallView,
        ToolCallView,
        PartName,
        DeliveryView,
        TraceView,
        AttachmentView,
        EventView,
        FieldKind,
        FieldView,
        SettingsView,
        ChoiceView,
        DevicesView,
        ModelStatus,
        ModelView,
        ProviderView,
        PullStatus,
        PullView,
        ModelsView,
        PlaceView,
        LocationView,
        HostPurpose,
        ContactView,
        ToolServerState,
        ToolServerView,
        PromptArgumentView,
        ServerPromptView,
        PermissionName,
        EffectName,
        ToolPermissionView,
        LoggedCallView,
        CommandError
    );
}

/// Compares the settings that the tests of the pages run on; `JARVIS_WRITE_TYPES=1` writes them.
#[test]
fn settings_of_the_page_tests_are_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/dev/settings.gen.json");
    let fields = SettingsView::new(&Settings::default(), Vec::new()).fields;
    let text = serde_json::to_string_pretty(&fields).unwrap() + "\n";
    if std::env::var_os("JARVIS_WRITE_TYPES").is_some() {
        std::fs::write(&file, &text).unwrap();
    }

    let written = std::fs::read_to_string(&file).unwrap_or_default();

    assert_eq!(written, text, "{}: run this test with JARVIS_WRITE_TYPES=1", file.display());
}

#[test]
fn level_of_silence_is_a_finite_number() {
    let view = EventView::from_event(&AssistantEvent::Level { dbfs: f32::NEG_INFINITY }).unwrap();

    assert_eq!(serde_json::to_string(&view).unwrap(), r#"{"type":"level","dbfs":-120.0}"#);
}

#[test]
fn changed_setting_is_marked_in_its_field() {
    let mut now = Settings::default();
    now.audio.volume = 0.5;

    let field = FieldView::new(Key::from_path("audio.volume").unwrap(), &now);

    assert!(field.is_changed);
    assert_eq!((field.value, field.section_label.as_str()), (Value::from(0.5), "Sound"));
}
