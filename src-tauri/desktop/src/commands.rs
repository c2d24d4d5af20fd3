//! The commands of the pages. Each calls the assistant and translates the result.

mod tools; // tools, their servers, and the programs that may use them

use assistant::sound_devices::{self, DeviceInfo};
use assistant::{Assistant, ChoiceView, LocationView, ModelView, ModelsView, PullView};
use serde_json::Value;
use settings::{Key, Settings, SettingsError};
use tauri::ipc::{Channel, Invoke};
use tauri::{AppHandle, Manager, Runtime, State, WebviewWindow};
use vocabulary::{Answer, Attachment, QuestionId, ReplyId};

use crate::attachments;
use crate::door::Door;
use crate::error::CommandError;
use crate::talk_key;
use crate::views::{
    ContactView, ConversationView, DevicesView, EventView, FieldView, HistoryView, MessageView, PlaceView,
    RingView, SettingsView, StatusView, TraceView, TroubleView,
};
use crate::windows::{self, WindowKind, Zoom};

/// Messages that one request returns.
const PAGE: usize = 100;

/// Places that are suggested for a typed text.
const PLACES: usize = 8;

/// Length at which a page's error text is cut off in the log, in characters.
const MAX_FAULT_CHARS: usize = 500;

/// The sample text for a voice.
const PREVIEW: &str = "This is how I sound. Ask me anything, at any time.";

type Outcome<T> = Result<T, CommandError>;

/// Makes the handler of these commands, and the list that tests compare with the permissions.
macro_rules! commands {
    ($($($path:ident)::+),+) => {
        /// Executes all commands.
        pub fn handler<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
            tauri::generate_handler![$($($path)::+),+]
        }

        /// The paths of all commands.
        #[cfg(test)]
        pub(crate) const PATHS: &[&str] = &[$(stringify!($($path)::+)),+];
    };
}

commands![
    subscribe,
    status,
    conversation,
    history,
    reply_trace,
    ask,
    answer,
    stop_ring,
    snooze_ring,
    stop,
    set_muted,
    talk,
    read_aloud,
    picture,
    save_attachment,
    open_window,
    open_link,
    settings,
    set_setting,
    reset_setting,
    devices,
    preview_voice,
    check_hotkey,
    models,
    download_model,
    pause_download,
    pull_model,
    cancel_pull,
    delete_model,
    use_model,
    test_model,
    use_provider,
    places,
    context_line,
    location,
    look_for_location,
    hosts_contacted,
    forget_hosts_contacted,
    tools::server_prompts,
    tools::tool_servers,
    tools::refresh_tool_servers,
    tools::set_tool_server_secret,
    tools::sign_in_tool_server,
    tools::sign_out_tool_server,
    tools::add_program,
    tools::revoke_program,
    tools::tool_permissions,
    tools::set_tool_permission,
    tools::agree_to_tool_description,
    tools::tool_calls,
    let_clicks_through,
    zoom,
    report_fault
];

#[tauri::command]
pub async fn subscribe<R: Runtime>(
    window: WebviewWindow<R>,
    door: State<'_, Door>,
    on_event: Channel<Vec<EventView>>,
) -> Outcome<()> {
    door.feeds.begin(window.label(), &door.assistant, door.page_events.subscribe(), on_event);
    Ok(())
}

#[tauri::command]
pub async fn status<R: Runtime>(window: WebviewWindow<R>, door: State<'_, Door>) -> Outcome<StatusView> {
    tracing::info!(window = window.label(), "the page is loaded");
    let assistant = &door.assistant;
    Ok(StatusView {
        state: assistant.state().into(),
        is_muted: assistant.is_muted(),
        can_listen: assistant.settings().current().listening.enabled,
        troubles: door.troubles(),
        rings: rings(assistant),
    })
}

#[tauri::command]
pub async fn conversation<R: Runtime>(
    window: WebviewWindow<R>,
    door: State<'_, Door>,
) -> Outcome<ConversationView> {
    tracing::info!(window = window.label(), "the page is loaded");
    let assistant = &door.assistant;
    let page = page(assistant, i64::MAX).await;
    let mut troubles = door.troubles();
    // The window opens even when the database fails, and shows the trouble.
    let HistoryView { messages, has_earlier } = page.unwrap_or_else(|trouble| {
        troubles.push((&trouble).into());
        HistoryView { messages: Vec::new(), has_earlier: false }
    });
    Ok(ConversationView {
        name: assistant.name(),
        state: assistant.state().into(),
        is_ready: true,
        is_muted: assistant.is_muted(),
        can_listen: assistant.settings().current().listening.enabled,
        talk_key: door.talk_key.working(),
        troubles,
        messages,
        has_earlier,
        question: assistant.question().map(|(reply, question)| (reply.0, (&question).into())),
        rings: rings(assistant),
    })
}

fn rings(assistant: &Assistant) -> Vec<RingView> {
    assistant.rings().iter().map(RingView::from).collect()
}

#[tauri::command]
pub async fn history(door: State<'_, Door>, before: i64) -> Outcome<HistoryView> {
    Ok(page(&door.assistant, before).await?)
}

async fn page(assistant: &Assistant, before: i64) -> Result<HistoryView, vocabulary::Trouble> {
    let mut said = assistant.history(before, PAGE + 1).await?;
    let has_earlier = said.len() > PAGE;
    said.drain(..said.len().saturating_sub(PAGE));
    Ok(HistoryView { messages: said.into_iter().map(MessageView::from).collect(), has_earlier })
}

/// The way the stored reply of this time was made; nothing if it is not known.
#[tauri::command]
pub async fn reply_trace(door: State<'_, Door>, at: i64) -> Outcome<Option<TraceView>> {
    Ok(door.assistant.reply_trace(at).await?.as_ref().map(TraceView::from))
}

#[tauri::command]
pub async fn ask(door: State<'_, Door>, text: String, replaces_previous: Option<bool>) -> Outcome<u64> {
    if text.trim().is_empty() {
        return Err(CommandError::new("bad_value", "There is nothing to ask yet. Type a question first."));
    }
    let (text, origin) = (text.trim(), vocabulary::Origin::Typed);
    let reply = match replaces_previous.unwrap_or_default() {
        true => door.assistant.ask_instead(text, origin).await?,
        false => door.assistant.ask(text, origin).await?,
    };
    Ok(reply.0)
}

#[tauri::command]
pub async fn answer(door: State<'_, Door>, question: u64, text: String) -> Outcome<()> {
    let answer = Answer { question: QuestionId(question), text: text.trim().to_owned().into() };
    door.assistant.answer(answer).await?;
    Ok(())
}

#[tauri::command]
pub async fn stop_ring(door: State<'_, Door>, appointment: i64) -> Outcome<()> {
    Ok(door.assistant.stop_ring(appointment).await?)
}

#[tauri::command]
pub async fn snooze_ring(door: State<'_, Door>, appointment: i64) -> Outcome<()> {
    Ok(door.assistant.snooze_ring(appointment).await?)
}

#[tauri::command]
pub async fn stop(door: State<'_, Door>) -> Outcome<()> {
    door.assistant.stop().await;
    Ok(())
}

#[tauri::command]
pub async fn set_muted(door: State<'_, Door>, is_muted: bool) -> Outcome<()> {
    door.mute(is_muted).await;
    Ok(())
}

#[tauri::command]
pub async fn talk(door: State<'_, Door>) -> Outcome<()> {
    door.talk().await
}

impl Door {
    /// The present troubles of the assistant and of this door.
    pub fn troubles(&self) -> Vec<TroubleView> {
        let of_assistant = self.assistant.troubles();
        of_assistant.iter().map(TroubleView::from).chain(self.page_events.troubles()).collect()
    }

    /// Closes or opens the microphone, and informs every page.
    pub async fn mute(&self, is_muted: bool) {
        self.assistant.mute(is_muted).await;
        self.page_events.send(EventView::Muted { is_muted });
    }

    /// Reads a text aloud, unless speech is switched off.
    async fn say(&self, text: &str) -> Outcome<()> {
        if !self.assistant.settings().current().speaking.enabled {
            let why = "Jarvis is silent. Switch on Speak replies in the settings to hear it.";
            return Err(CommandError::new("switched_off", why));
        }
        self.assistant.read_aloud(text).await;
        Ok(())
    }

    /// Listens: the next words need no wake word.
    pub async fn talk(&self) -> Outcome<()> {
        Ok(self.assistant.talk().await?)
    }
}

#[tauri::command]
pub async fn read_aloud(door: State<'_, Door>, text: String) -> Outcome<()> {
    door.say(&text).await
}

#[tauri::command]
pub async fn picture(door: State<'_, Door>, reply: u64, index: usize) -> Outcome<String> {
    attachments::data_url(&attachment(&door, reply, index)?).ok_or_else(|| {
        CommandError::new("bad_value", "This is no picture that can be shown. Save it instead.")
    })
}

#[tauri::command]
pub async fn save_attachment<R: Runtime>(
    app: AppHandle<R>,
    door: State<'_, Door>,
    reply: u64,
    index: usize,
) -> Outcome<String> {
    let attachment = attachment(&door, reply, index)?;
    // Some machines name no folder for downloads.
    let folder = app.path().download_dir().or_else(|_| app.path().home_dir())?;
    let saving = tokio::task::spawn_blocking(move || attachments::save(&attachment, &folder)).await;
    let saved = saving.unwrap_or_else(|error| Err(std::io::Error::other(error)));
    let path = saved.map_err(|error| {
        CommandError::new(
            "io",
            format!("The file could not be saved: {error}. Check the folder for downloads."),
        )
    })?;
    Ok(path.display().to_string())
}

fn attachment(door: &Door, reply: u64, index: usize) -> Outcome<Attachment> {
    let kept = door.feeds.attachments().get(ReplyId(reply), index);
    kept.ok_or_else(|| CommandError::new("not_found", "This file is not kept any more. Ask for it again."))
}

#[tauri::command]
pub async fn open_window<R: Runtime>(app: AppHandle<R>, window: WindowKind) -> Outcome<()> {
    Ok(windows::open(&app, window)?)
}

#[tauri::command]
pub async fn zoom(door: State<'_, Door>, zoom: Zoom) -> Outcome<()> {
    let after = |settings: &Settings| Ok(zoom.after(settings.appearance.zoom).into());
    Ok(door.assistant.settings().change::<SettingsError>("appearance.zoom", after)?)
}

#[tauri::command]
pub async fn open_link(url: String) -> Outcome<()> {
    let secure = url::Url::parse(&url).ok().filter(|url| url.scheme() == "https");
    let Some(secure) = secure else {
        return Err(CommandError::new("bad_value", "Only secure addresses (https) are opened."));
    };
    open::that_detached(secure.as_str())
        .map_err(|error| CommandError::new("io", format!("No browser could be started: {error}.")))
}

#[tauri::command]
pub async fn settings(door: State<'_, Door>) -> Outcome<SettingsView> {
    Ok(SettingsView::new(&door.assistant.settings().current(), door.troubles()))
}

#[tauri::command]
pub async fn set_setting(door: State<'_, Door>, path: String, value: Value) -> Outcome<FieldView> {
    let key = key_of(&path)?;
    door.assistant.settings().set(&path, value)?;
    Ok(FieldView::new(key, &door.assistant.settings().current()))
}

#[tauri::command]
pub async fn reset_setting(door: State<'_, Door>, path: String) -> Outcome<FieldView> {
    let default = FieldView::new(key_of(&path)?, &Settings::default()).value;
    set_setting(door, path, default).await
}

fn key_of(path: &str) -> Result<&'static Key, SettingsError> {
    Key::from_path(path).ok_or_else(|| SettingsError::UnknownKey { path: path.to_owned() })
}

#[tauri::command]
pub async fn devices(door: State<'_, Door>) -> Outcome<DevicesView> {
    let report = tauri::async_runtime::spawn_blocking(sound_devices::devices).await.unwrap_or_default();
    let choices = |devices: Vec<DeviceInfo>| {
        let system = ChoiceView { id: String::new(), label: "The system's".to_owned() };
        let named =
            devices.into_iter().map(|device| ChoiceView { id: device.name.clone(), label: device.name });
        std::iter::once(system).chain(named).collect()
    };
    Ok(DevicesView {
        microphones: choices(report.microphones),
        speakers: choices(report.speakers),
        voices: door.assistant.model_library().voices(),
    })
}

#[tauri::command]
pub async fn preview_voice(door: State<'_, Door>) -> Outcome<()> {
    door.say(PREVIEW).await
}

#[tauri::command]
pub async fn check_hotkey<R: Runtime>(app: AppHandle<R>, door: State<'_, Door>, keys: String) -> Outcome<()> {
    talk_key::check(&app, &door.talk_key, &keys)
}

#[tauri::command]
pub async fn models(door: State<'_, Door>) -> Outcome<ModelsView> {
    Ok(door.assistant.model_library().overview().await?)
}

#[tauri::command]
pub async fn download_model(door: State<'_, Door>, id: String) -> Outcome<ModelView> {
    Ok(door.assistant.model_library().download(&id)?)
}

#[tauri::command]
pub async fn pause_download(door: State<'_, Door>, id: String) -> Outcome<ModelView> {
    Ok(door.assistant.model_library().pause(&id)?)
}

/// Lets the Ollama server at the address fetch a model; events tell how far it is.
#[tauri::command]
pub async fn pull_model(door: State<'_, Door>, model: String, address: String) -> Outcome<PullView> {
    Ok(door.assistant.model_library().pull(&model, Some(&address)).await?.view())
}

#[tauri::command]
pub async fn cancel_pull(door: State<'_, Door>, model: String, address: String) -> Outcome<()> {
    door.assistant.model_library().cancel_pull(&model, &address);
    Ok(())
}

#[tauri::command]
pub async fn delete_model(door: State<'_, Door>, id: String) -> Outcome<ModelView> {
    Ok(door.assistant.model_library().delete(&id).await?)
}

#[tauri::command]
pub async fn use_model(door: State<'_, Door>, id: String) -> Outcome<ModelsView> {
    door.assistant.use_model(&id)?;
    models(door).await
}

#[tauri::command]
pub async fn test_model(door: State<'_, Door>, id: String) -> Outcome<String> {
    Ok(door.assistant.model_library().test(&id).await?)
}

#[tauri::command]
pub async fn use_provider(
    door: State<'_, Door>,
    provider: String,
    address: String,
    model: String,
) -> Outcome<ModelsView> {
    door.assistant.use_provider(&provider, &address, &model)?;
    models(door).await
}

#[tauri::command]
pub async fn places(query: String) -> Outcome<Vec<PlaceView>> {
    // The first search unpacks the list, which takes a while.
    let found = tauri::async_runtime::spawn_blocking(move || assistant::places::find(&query, PLACES)).await?;
    Ok(found.into_iter().map(PlaceView::from).collect())
}

#[tauri::command]
pub async fn context_line(door: State<'_, Door>) -> Outcome<String> {
    Ok(door.assistant.context_line())
}

/// The place of this computer, as the desktop tells it.
#[tauri::command]
pub async fn location(door: State<'_, Door>) -> Outcome<LocationView> {
    Ok(door.assistant.location())
}

/// Asks the desktop for the place once more.
#[tauri::command]
pub async fn look_for_location(door: State<'_, Door>) -> Outcome<()> {
    door.assistant.look_for_location();
    Ok(())
}

#[tauri::command]
pub async fn hosts_contacted(door: State<'_, Door>) -> Outcome<Vec<ContactView>> {
    Ok(door.assistant.hosts_contacted().await.into_iter().map(ContactView::from).collect())
}

/// Empties the list, and returns it.
#[tauri::command]
pub async fn forget_hosts_contacted(door: State<'_, Door>) -> Outcome<Vec<ContactView>> {
    door.assistant.forget_hosts_contacted().await?;
    Ok(door.assistant.hosts_contacted().await.into_iter().map(ContactView::from).collect())
}

#[tauri::command]
pub async fn let_clicks_through<R: Runtime>(window: WebviewWindow<R>, is_through: bool) -> Outcome<()> {
    Ok(window.set_ignore_cursor_events(is_through)?)
}

#[tauri::command]
pub async fn report_fault<R: Runtime>(window: WebviewWindow<R>, fault: String) -> Outcome<()> {
    let fault = assistant::redact(&fault, MAX_FAULT_CHARS);
    tracing::error!(window = window.label(), fault, "a page is at fault");
    Ok(())
}
