//! Finds the process that owns the data, or becomes it, so that a command need not know which.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use audio::CardMicrophone;
use jiff::tz::TimeZone;
use llm::Embedder;
use models::{Machine, ModelStore};
use net::Http;
use settings::{Folders, Keychain, SecretStore, Settings, SettingsFile};
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use vocabulary::{Clock, Stage, Trouble};

use crate::data_access::data_service::{
    DataService, DataServiceParts, MemorySource, ModelSource, Responder, execute_models_request, time_zone,
};
use crate::data_access::instance::{Instance, InstanceError};
use crate::data_access::ipc::{Connection, IpcError};
use crate::data_access::requests::{ModelsRequest, Request, Response, SettingsAnswer, SettingsRequest};
use crate::models_in_use::model_library::{ModelLibrary, ModelLibraryParts};
use crate::network::contact_log::ContactLog;
use crate::network::offline::http_client;
use crate::system_clock::SystemClock;

/// Time limit of another process that owns the data: it may be starting, or be a command that ends soon.
const OWNER_TIMEOUT: Duration = Duration::from_secs(5);

/// The pause between two attempts to find it.
const RETRY_EVERY: Duration = Duration::from_millis(50);

/// Why no owner of the data was found.
#[derive(Debug, thiserror::Error)]
pub enum DataOwnerError {
    /// Another process has the data, and does not answer.
    #[error(
        "the data is in use by a Jarvis that does not answer: quit Jarvis first, or let the other command end, and try \
         again"
    )]
    InUse(#[source] IpcError),
    /// The running Jarvis failed to answer.
    #[error(transparent)]
    Ipc(#[from] IpcError),
    /// The data folder cannot be used.
    #[error(transparent)]
    Folder(#[from] InstanceError),
    /// The settings cannot be read.
    #[error(transparent)]
    Settings(#[from] settings::SettingsError),
    /// No network client could be made.
    #[error(transparent)]
    Network(#[from] net::NetError),
}

impl DataOwnerError {
    /// The same for the user's screen.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::Instance, self, "")
    }
}

/// The parts that a command needs to own the data itself.
pub struct DataOwnerParts {
    /// The folders of this user.
    pub folders: Folders,
    /// The keychain.
    pub secrets: Arc<dyn SecretStore>,
    /// The source of the current time.
    pub clock: Arc<dyn Clock>,
    /// In place of the embedding model that the settings name.
    pub embedder: Option<Arc<dyn Embedder>>,
}

impl DataOwnerParts {
    /// The real things, with the data of `folders`.
    pub fn new(folders: Folders) -> Self {
        Self { folders, secrets: Arc::new(Keychain), clock: Arc::new(SystemClock), embedder: None }
    }
}

/// The owner of the data: a running Jarvis, or this process.
pub struct DataOwner {
    owner: Owner,
}

enum Owner {
    Running { data_folder: PathBuf },
    ThisProcess { service: DataService, tasks: TaskTracker, keeps_contacts: DropGuard, _instance: Instance },
}

impl DataOwner {
    /// Finds a running Jarvis; if none runs, claims the data for this process.
    ///
    /// # Errors
    ///
    /// [`DataOwnerError`].
    pub async fn find(parts: DataOwnerParts) -> Result<Self, DataOwnerError> {
        let data_folder = parts.folders.data.clone();
        let began = Instant::now();
        loop {
            match Instance::claim(&data_folder) {
                Ok(instance) => return Self::in_this_process(parts, instance),
                Err(InstanceError::AlreadyRunning) => {}
                Err(error) => return Err(error.into()),
            }
            // A request that changes nothing tells whether the owner answers.
            let probe = Request::Settings(SettingsRequest::Current);
            match Connection::open(&data_folder, &probe).await {
                Ok(_) => return Ok(Self { owner: Owner::Running { data_folder } }),
                Err(error @ IpcError::OtherVersion { .. }) => return Err(error.into()),
                Err(error) if began.elapsed() > OWNER_TIMEOUT => return Err(DataOwnerError::InUse(error)),
                Err(_) => tokio::time::sleep(RETRY_EVERY).await,
            }
        }
    }

    fn in_this_process(parts: DataOwnerParts, instance: Instance) -> Result<Self, DataOwnerError> {
        let DataOwnerParts { folders, secrets, clock, embedder } = parts;
        let settings = Arc::new(SettingsFile::load(&folders.config.join("settings.json"))?.file);
        let tasks = TaskTracker::new();
        let http = http_client(&settings.current())?;
        let contacts = Arc::new(ContactLog::new(&folders.data, http.clone(), true));
        let ended = CancellationToken::new();
        tasks.spawn(contacts.keep(ended.clone()));
        let library = model_library(&folders, settings.subscribe(), http.clone(), &secrets, &tasks);
        let service = DataService::new(DataServiceParts {
            folders,
            secrets,
            settings,
            clock,
            library,
            memory: MemorySource::File,
            models: ModelSource::Settings { embedder, http },
            voices: Arc::default(),
            microphone: Arc::new(|device| Arc::new(CardMicrophone::new(device.to_owned()))),
            secret_changed: Arc::new(Notify::new()),
        });
        let owner =
            Owner::ThisProcess { service, tasks, keeps_contacts: ended.drop_guard(), _instance: instance };
        Ok(Self { owner })
    }

    /// Returns `true` if a running Jarvis owns the data.
    pub fn is_running(&self) -> bool {
        matches!(self.owner, Owner::Running { .. })
    }

    /// Sends a request. Only a running Jarvis answers questions, listens, and raises its window.
    ///
    /// # Errors
    ///
    /// [`IpcError`] when the running Jarvis does not take it.
    pub async fn send(&self, request: Request) -> Result<Responses, IpcError> {
        let source = match &self.owner {
            Owner::Running { data_folder } => Source::Running(Connection::open(data_folder, &request).await?),
            Owner::ThisProcess { service, tasks, .. } => {
                return Ok(Responses::new(service.clone(), request, tasks));
            }
        };
        Ok(Responses { source })
    }

    /// The user's time zone, as the settings name it.
    ///
    /// # Errors
    ///
    /// [`IpcError`] when the running Jarvis does not answer.
    pub async fn time_zone(&self) -> Result<TimeZone, IpcError> {
        let mut responses = self.send(Request::Settings(SettingsRequest::Current)).await?;
        let mut zone = TimeZone::system();
        loop {
            match responses.next().await? {
                Response::Settings(SettingsAnswer::Current { values, .. }) => {
                    zone = time_zone(values["location"]["time_zone"].as_str().unwrap_or_default());
                }
                response if response.is_last() => return Ok(zone),
                _ => {}
            }
        }
    }

    /// Waits until requests of this process are done, and gives the data back.
    pub async fn close(self) {
        if let Owner::ThisProcess { tasks, keeps_contacts, .. } = self.owner {
            drop(keeps_contacts);
            tasks.close();
            tasks.wait().await;
        }
    }
}

/// The answer to a request. Dropping it cancels the request.
pub struct Responses {
    source: Source,
}

enum Source {
    Running(Connection),
    ThisProcess { responses: mpsc::Receiver<Response>, stop: CancellationToken, tasks: TaskTracker },
}

/// Sends a request about model files to a running Jarvis; if none answers, executes it in this process. The data
/// stays free meanwhile, so that Jarvis can start during a long download: model files have locks of their own.
///
/// # Errors
///
/// [`DataOwnerError`].
pub async fn ask_about_models(
    folders: &Folders,
    request: ModelsRequest,
) -> Result<Responses, DataOwnerError> {
    match Connection::open(&folders.data, &Request::Models(request.clone())).await {
        Ok(connection) => return Ok(Responses { source: Source::Running(connection) }),
        Err(IpcError::NotRunning(_)) => {}
        Err(error) => return Err(error.into()),
    }
    // Only read: a file that cannot be understood is for the owner of the data to set aside.
    let settings = SettingsFile::peek(&folders.config.join("settings.json"))?;
    let secrets: Arc<dyn SecretStore> = Arc::new(Keychain);
    let tasks = TaskTracker::new();
    let http = http_client(&settings)?;
    let contacts = Arc::new(ContactLog::new(&folders.data, http.clone(), true));
    let library = model_library(folders, watch::channel(settings).1, http, &secrets, &tasks);
    let (responder, responses) = Responder::new();
    let stop = CancellationToken::new();
    let of_task = stop.clone();
    tasks.spawn(async move {
        // Hosts are written while they are contacted: a long download may be killed.
        let ended = CancellationToken::new();
        let executed = async {
            let _guard = ended.clone().drop_guard();
            execute_models_request(&library, request, &responder, &of_task).await
        };
        let (outcome, ()) = tokio::join!(executed, contacts.keep(ended.clone()));
        responder.end(outcome).await;
    });
    Ok(Responses { source: Source::ThisProcess { responses, stop, tasks } })
}

/// The model library of this process, for requests while no Jarvis runs.
pub(crate) fn model_library(
    folders: &Folders,
    settings: watch::Receiver<Settings>,
    http: Http,
    secrets: &Arc<dyn SecretStore>,
    tasks: &TaskTracker,
) -> ModelLibrary {
    ModelLibrary::new(ModelLibraryParts {
        store: ModelStore::following_settings(settings.clone(), folders.models.clone()),
        http,
        machine: Machine::this(),
        settings,
        secrets: Arc::clone(secrets),
        changed: Arc::default(),
        pulled: Arc::default(),
        tasks: tasks.clone(),
        stop: CancellationToken::new(),
    })
}

impl Responses {
    /// The answer of a service in this process.
    pub(crate) fn new(service: DataService, request: Request, tasks: &TaskTracker) -> Self {
        let (responder, responses) = Responder::new();
        let stop = CancellationToken::new();
        let of_task = stop.clone();
        tasks.spawn(async move { service.execute(request, responder, of_task).await });
        Self { source: Source::ThisProcess { responses, stop, tasks: tasks.clone() } }
    }

    /// The next response. Nothing follows one that [is the last](Response::is_last). Cancel-safe.
    ///
    /// # Errors
    ///
    /// [`IpcError`] when the running Jarvis does not answer any more.
    pub async fn next(&mut self) -> Result<Response, IpcError> {
        match &mut self.source {
            Source::Running(connection) => connection.next().await,
            Source::ThisProcess { responses, .. } => responses.recv().await.ok_or(IpcError::HungUp),
        }
    }

    /// Asks to stop early; what is done until then is still answered.
    pub async fn cancel(&mut self) {
        match &mut self.source {
            Source::Running(connection) => {
                if let Err(error) = connection.cancel().await {
                    tracing::info!(%error, "the running Jarvis could not be asked to stop");
                }
            }
            Source::ThisProcess { stop, .. } => stop.cancel(),
        }
    }

    /// Waits until a request of this process has ended, such as the last write of a download that was paused.
    pub async fn close(self) {
        if let Source::ThisProcess { stop, tasks, .. } = &self.source {
            stop.cancel();
            tasks.close();
            tasks.wait().await;
        }
    }
}

impl Drop for Responses {
    fn drop(&mut self) {
        if let Source::ThisProcess { stop, .. } = &self.source {
            stop.cancel();
        }
    }
}
