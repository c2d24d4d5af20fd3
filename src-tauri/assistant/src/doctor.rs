//! `jarvis doctor`: examines every part and says what to do. Changes nothing, and adds what it contacts to the list of contacted
//! hosts.

use std::path::Path;
use std::sync::Arc;

use audio::{AudioError, Capture, CaptureEvent, CardLoudspeaker, CardMicrophone, Loudspeaker, Microphone};
use llm::ProviderState;
use models::{InstallState, Machine, ModelStore, Purpose};
use settings::{Folders, Keychain, SecretStore, Settings};
use speaking::{InstalledVoices, VoiceError, Voices};
use tokio_util::sync::CancellationToken;
use vocabulary::{Stage, Trouble, energy_dbfs};

use crate::data_access::data_owner::{DataOwner, DataOwnerParts};
use crate::data_access::ipc::IpcError;
use crate::data_access::requests::{MemoryRequest, Request, Response, SettingsAnswer, SettingsRequest};
use crate::models_in_use::language_model::provider_reports;
use crate::network::contact_log::ContactWriting;
use crate::network::offline::http_client;
use crate::views::{Finding, Severity};

/// The remedy if a part of the system is stuck.
const RESTART: &str = "Log out and in again, or restart the computer, then run `jarvis doctor` once more.";

/// The frames of a microphone that are measured: one second.
const MEASURED_FRAMES: usize = 50;

/// The frames without sound after which a microphone is muted: three seconds. Some devices deliver zeros while they wake up.
const WAKING_FRAMES: usize = 150;

/// One step of 16 bits: a microphone that is open and not muted has more noise, in decibels relative to full scale.
const MUTED_DBFS: f32 = -90.0;

/// Examines the installation of this user.
pub async fn examine(folders: &Folders) -> Vec<Finding> {
    let (mut findings, settings) = owner_settings_and_memory(folders).await;
    findings.extend(devices(&settings.audio).await);
    match ModelStore::from_settings(&settings.models) {
        Ok(store) => {
            findings.extend(installed_models(&store));
            findings.push(voice(&settings.speaking.voice, &store).await);
            let secrets: Arc<dyn SecretStore> = Arc::new(Keychain);
            findings.extend(providers(&settings, &store, &secrets, &folders.data).await);
        }
        Err(error) => findings.push(Finding::failure(Trouble::from_error(
            Stage::Download,
            &error,
            "Set JARVIS_HOME to a folder that Jarvis may write to.",
        ))),
    }
    findings.push(keychain().await);
    findings
}

/// Examines the running Jarvis, the settings and the memory. A running Jarvis answers for its files.
async fn owner_settings_and_memory(folders: &Folders) -> (Vec<Finding>, Settings) {
    let owner = match DataOwner::find(DataOwnerParts::new(folders.clone())).await {
        Ok(owner) => owner,
        Err(error) => return (vec![Finding::failure(error.trouble())], Settings::default()),
    };
    let message = match owner.is_running() {
        true => "Jarvis is running.".to_owned(),
        false => format!("Data in {}; Jarvis is not running.", folders.data.display()),
    };
    let mut findings = vec![Finding::ok(Stage::Instance, message)];
    let mut settings = Settings::default();
    for request in [Request::Settings(SettingsRequest::Current), Request::Memory(MemoryRequest::Check)] {
        let outcome = collect(&owner, request, &mut findings, &mut settings, folders).await;
        findings.extend(outcome.err().map(|error| Finding::failure(error.trouble())));
    }
    owner.close().await;
    (findings, settings)
}

async fn collect(
    owner: &DataOwner,
    request: Request,
    findings: &mut Vec<Finding>,
    settings: &mut Settings,
    folders: &Folders,
) -> Result<(), IpcError> {
    let mut responses = owner.send(request).await?;
    loop {
        match responses.next().await? {
            Response::Finding(finding) => findings.push(finding),
            Response::Settings(SettingsAnswer::Current { values, bad_values }) => {
                *settings = serde_json::from_value(values)?;
                findings.extend(settings_findings(&bad_values, folders));
            }
            Response::Failed(trouble) => {
                findings.push(Finding::failure(trouble));
                return Ok(());
            }
            Response::Done => return Ok(()),
            _ => {}
        }
    }
}

fn settings_findings(bad_values: &[String], folders: &Folders) -> Vec<Finding> {
    if bad_values.is_empty() {
        let path = folders.config.join("settings.json");
        return vec![Finding::ok(Stage::Settings, format!("Settings at {}.", path.display()))];
    }
    let finding = |bad: &String| {
        let remedy = "Correct it with `jarvis settings set`; until then its default is used.";
        Finding::failure(Trouble::new(Stage::Settings, format!("{bad}."), remedy))
    };
    bad_values.iter().map(finding).collect()
}

/// Opens both devices for a moment: some systems list devices that cannot be opened.
async fn devices(settings: &settings::AudioSettings) -> Vec<Finding> {
    let (microphone, speaker) =
        (CardMicrophone::new(settings.microphone.clone()), CardLoudspeaker::new(settings.speaker.clone()));
    let opened = tokio::task::spawn_blocking(move || {
        let heard = microphone.open().and_then(loudest);
        let spoken = speaker.open();
        [
            heard.map(|dbfs| microphone_finding(&microphone.name(), dbfs)),
            spoken.map(|_| Finding::ok(Stage::Loudspeaker, format!("{} can be opened.", speaker.name()))),
        ]
    });
    let Ok(opened) = opened.await else {
        let trouble = Trouble::new(Stage::Microphone, "The sound system did not answer.", RESTART);
        return vec![Finding::failure(trouble)];
    };
    let finding = |opened: Result<Finding, AudioError>| {
        opened.unwrap_or_else(|error| Finding::failure(error.trouble()))
    };
    opened.into_iter().map(finding).collect()
}

/// The loudest frame of the second from the first sound on, in decibels relative to full scale. Blocks for that time; without
/// a sound it gives up after [`WAKING_FRAMES`].
fn loudest(mut capture: Capture) -> Result<f32, AudioError> {
    let mut loudest = f32::NEG_INFINITY;
    let mut frames_left = WAKING_FRAMES;
    while frames_left > 0 {
        match capture.frames.blocking_recv() {
            Some(CaptureEvent::Frame(frame)) => {
                let was_silent = loudest < MUTED_DBFS;
                loudest = loudest.max(energy_dbfs(&frame.samples).expect("a frame has samples"));
                let is_awake = was_silent && loudest >= MUTED_DBFS;
                if is_awake {
                    frames_left = MEASURED_FRAMES;
                }
                frames_left -= 1;
            }
            Some(CaptureEvent::Lost(error)) => return Err(error),
            None => break,
        }
    }
    Ok(loudest)
}

/// The finding about a microphone whose loudest sound had this level.
fn microphone_finding(name: &str, dbfs: f32) -> Finding {
    if dbfs >= MUTED_DBFS {
        let message = format!("{name} can be opened; its loudest sound within a second had {dbfs:.0} dB.");
        return Finding::ok(Stage::Microphone, message);
    }
    let trouble = Trouble::new(
        Stage::Microphone,
        format!("{name} can be opened, but no sound comes from it."),
        "Unmute it in the sound settings of the system, or choose another one under Settings, Sound.",
    );
    Finding::new(trouble, Severity::Warning)
}

fn installed_models(store: &ModelStore) -> Vec<Finding> {
    let machine = Machine::this();
    [
        (Stage::Recognition, Purpose::SpeechToText, Severity::Failure),
        (Stage::Voice, Purpose::Voice, Severity::Warning),
        (Stage::Voice, Purpose::Runtime, Severity::Warning),
    ]
    .into_iter()
    .map(|(stage, purpose, severity)| match store.best_installed(purpose, &machine) {
        Some(entry) => Finding::ok(stage, format!("{} is installed.", entry.label)),
        None => {
            let wanted = store.catalogue().default_for(purpose, &machine);
            let damaged = wanted
                .is_some_and(|entry| store.install_state(&entry.id).ok() == Some(InstallState::Corrupt));
            let label = wanted.map_or("A model", |entry| entry.label.as_str());
            // Without a name, the command downloads what this machine needs.
            let name = wanted.map_or_else(String::new, |entry| format!(" {}", entry.id));
            let what = if damaged { "is damaged" } else { "is not installed" };
            let trouble = Trouble::new(
                stage,
                format!("{label} {what}."),
                format!("Download it with `jarvis models fetch{name}`, or under Models in the settings."),
            );
            Finding::new(trouble, severity)
        }
    })
    .collect()
}

/// Speaks one word with the voice of the settings, without a loudspeaker: a voice that is installed may need a program that
/// is not.
async fn voice(setting: &str, store: &ModelStore) -> Finding {
    let (voices, setting) = (InstalledVoices::new(store.clone(), Machine::this(), 1), setting.to_owned());
    let spoken = tokio::task::spawn_blocking(move || {
        let voice = voices.load(&setting)?;
        voice.synthesise("Hello.", 1.0, &CancellationToken::new()).map(|_| voice.name())
    });
    match spoken.await {
        Ok(Ok(name)) => Finding::ok(Stage::Voice, format!("{name} can speak.")),
        Ok(Err(error)) => Finding::failure(error.trouble()),
        Err(panic) => Finding::failure(VoiceError::Engine(panic.into()).trouble()),
    }
}

async fn providers(
    settings: &Settings,
    store: &ModelStore,
    secrets: &Arc<dyn SecretStore>,
    data: &Path,
) -> Vec<Finding> {
    let http = match http_client(settings) {
        Ok(http) => http,
        Err(error) => {
            let trouble =
                Trouble::from_error(Stage::LanguageModel, &error, "Install the system's certificates.");
            return vec![Finding::failure(trouble)];
        }
    };
    let contacts = ContactWriting::start(data, http.clone());
    let reports = provider_reports(settings, store, secrets, &http).await;
    contacts.end().await;
    let reports = match reports {
        Ok(reports) => reports,
        Err(trouble) => return vec![Finding::failure(trouble)],
    };
    let is_any_chosen = reports.iter().any(|report| report.is_chosen);
    reports
        .into_iter()
        .map(|report| {
            let chosen = if report.is_chosen { " It is the one that answers." } else { "" };
            match report.state {
                ProviderState::Ready { models, .. } => Finding::ok(
                    Stage::LanguageModel,
                    format!("{} at {}: {}.{chosen}", report.provider, report.place, models.join(", ")),
                ),
                ProviderState::NotReady { problem, remedy } => {
                    let message = format!("{} at {}: {problem}.", report.provider, report.place);
                    let severity = if is_any_chosen { Severity::Warning } else { Severity::Failure };
                    Finding::new(Trouble::new(Stage::LanguageModel, message, remedy), severity)
                }
            }
        })
        .collect()
}

async fn keychain() -> Finding {
    let probed = tokio::task::spawn_blocking(|| Arc::new(Keychain).probe()).await;
    match probed {
        Ok(Ok(())) => Finding::ok(Stage::Keychain, "Keys and passwords can be stored."),
        // Only providers with a key need the keychain.
        Ok(Err(error)) => Finding::new(error.trouble(), Severity::Warning),
        Err(_) => Finding::new(
            Trouble::new(Stage::Keychain, "The keychain did not answer.", RESTART),
            Severity::Warning,
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use rstest::rstest;
    use settings::Provider;
    use testkit::{InMemorySecrets, OllamaServer, ServerScript};
    use vocabulary::{FRAME_SAMPLES, Frame};

    use super::*;
    use crate::network::contact_log::ContactLog;

    #[rstest]
    #[case::a_voice(0, 0.1, Severity::Ok, "had -20 dB")]
    #[case::a_quiet_room(0, 0.001, Severity::Ok, "had -60 dB")]
    #[case::a_device_that_wakes_up(2 * MEASURED_FRAMES, 0.1, Severity::Ok, "had -20 dB")]
    #[case::muted(0, 0.0, Severity::Warning, "no sound comes from it")]
    fn level_of_the_microphone_is_told(
        #[case] zeros: usize,
        #[case] sample: f32,
        #[case] severity: Severity,
        #[case] expected: &str,
    ) {
        let (sender, frames) = audio::frame_queue();
        let device = std::thread::spawn(move || {
            let frame = |number: usize| if number < zeros { 0.0 } else { sample };
            // A device delivers frames as long as it is open.
            (0..).map(frame).take_while(|sample| sender.send_blocking(frame_of(*sample))).count()
        });

        let finding = microphone_finding("Desk", loudest(Capture::new(frames, ())).unwrap());

        assert!(finding.severity == severity && finding.message.contains(expected), "{finding:?}");
        device.join().unwrap();
    }

    fn frame_of(sample: f32) -> Frame {
        Frame::new([sample; FRAME_SAMPLES], Instant::now())
    }

    #[test]
    fn loudest_sound_of_the_second_after_waking_up_is_measured() {
        let (sender, frames) = audio::frame_queue();
        for sample in [0.0, 0.001, 0.1, 0.01] {
            sender.send(frame_of(sample));
        }
        drop(sender);

        assert_eq!(loudest(Capture::new(frames, ())).unwrap().round(), -20.0);
    }

    #[test]
    fn microphone_that_is_lost_meanwhile_is_a_failure() {
        let (sender, frames) = audio::frame_queue();
        sender.send(Frame::silence(Instant::now()));
        sender.fail(AudioError::Closed);

        assert!(matches!(loudest(Capture::new(frames, ())), Err(AudioError::Closed)));
    }

    #[tokio::test]
    async fn servers_that_were_examined_are_in_the_list_of_contacted_hosts() {
        let (data, server) = (tempfile::tempdir().unwrap(), OllamaServer::start(ServerScript::new([])));
        let mut settings = Settings::default();
        settings.llm.provider = Provider::Ollama;
        settings.llm.base_url = server.url();
        let store = ModelStore::new(data.path().join("models"));
        let secrets: Arc<dyn SecretStore> = Arc::new(InMemorySecrets::default());

        let findings = providers(&settings, &store, &secrets, data.path()).await;

        let host = server.url().replace("http://", "");
        let listed = ContactLog::new(data.path(), http_client(&settings).unwrap(), true).list();
        assert!(findings.iter().any(|finding| finding.message.contains(&host)), "{findings:?}");
        assert!(listed.iter().any(|contact| contact.host == host), "{listed:?}");
    }
}
