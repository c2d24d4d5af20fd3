//! Lets an Ollama server fetch a model. `/api/pull` sends one JSON object per line while it downloads.
//!
//! Source: docs/behaviour/replying.md#model-servers.

mod progress; // what the lines mean
mod error;

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;

use futures::{Stream, StreamExt};
use net::{BodyStream, Http, NetError, Purpose};
use serde_json::{Map, json};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

pub use self::error::PullError;
pub use self::progress::{PullEvent, PullProgress};

use self::progress::PullParser;
use crate::response::LineSplitter;
use crate::servers::client::ServerClient;
use crate::servers::config::{ServerConfig, endpoint};
use crate::servers::server_error::RequestContent;
use crate::{LlmError, ProviderKind};

/// The time that a pull may bring nothing new. The server tries a connection that hangs again after 30 s, so this is four tries.
/// Source: `server/download.go` of Ollama.
const STALL_LIMIT: Duration = Duration::from_secs(120);

/// The time that the server may compare checksums and write: it says nothing meanwhile. Enough for 60 GB from a slow disk.
const CHECK_LIMIT: Duration = Duration::from_secs(900);

/// The longest name that is sent. Source: `types/model/name.go` of Ollama: 350 for the host, 80 for each of three parts.
const MAX_NAME_CHARS: usize = 600;

/// The progress of a pull. The last item is [`PullEvent::Finished`], [`PullEvent::Cancelled`] or an error.
pub type PullStream = Pin<Box<dyn Stream<Item = Result<PullEvent, PullError>> + Send>>;

/// Lets one Ollama server fetch models. They are downloaded by the server and kept there.
pub struct OllamaPuller {
    http: Http,
    config: ServerConfig,
    limits: PullLimits,
}

/// The times that a pull may bring nothing new. A pull as a whole may take as long as it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PullLimits {
    /// While the model is looked up or downloaded.
    pub stall: Duration,
    /// While the server compares checksums and writes.
    pub check: Duration,
}

impl Default for PullLimits {
    fn default() -> Self {
        Self { stall: STALL_LIMIT, check: CHECK_LIMIT }
    }
}

impl OllamaPuller {
    /// A client of the server in `config`. Its address is allowed for the requests of this client only.
    pub fn new(http: &Http, config: ServerConfig) -> Self {
        let http = http.without_allowed_origins().for_purpose(Purpose::ModelDownload);
        Self { http, config, limits: PullLimits::default() }
    }

    /// Sets the times that a pull may bring nothing new.
    #[must_use]
    pub fn with_limits(self, limits: PullLimits) -> Self {
        Self { limits, ..self }
    }

    /// The address of the server, for display.
    pub fn address(&self) -> String {
        self.config.base_url.as_str().trim_end_matches('/').to_owned()
    }

    /// The name of a model as a user wrote it, without blanks around it.
    ///
    /// # Errors
    ///
    /// [`PullError::InvalidName`] if no model can have this name.
    pub fn model_name(written: &str) -> Result<&str, PullError> {
        let name = written.trim();
        let is_fit = !name.is_empty()
            && name.chars().count() <= MAX_NAME_CHARS
            && !name.chars().any(|c| c.is_whitespace() || c.is_control());
        is_fit.then_some(name).ok_or_else(|| PullError::InvalidName {
            name: name.chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect(),
        })
    }

    /// Lets the server fetch `model`, and streams the progress.
    ///
    /// Cancelling `stop` ends the stream with [`PullEvent::Cancelled`]. The server then stops downloading, as it does when
    /// the stream is dropped. The part that it has stays there, and the next pull of the same model continues it.
    ///
    /// # Errors
    ///
    /// [`PullError`] before the first line: the name is none, the server does not answer, or it refuses.
    pub async fn pull(&self, model: &str, stop: CancellationToken) -> Result<PullStream, PullError> {
        let model = Self::model_name(model)?;
        let config = ServerConfig {
            model: model.to_owned(),
            // This client has limits of its own, which count what is new.
            silence_timeout: self.limits.stall.max(self.limits.check),
            ..self.config.clone()
        };
        let client = ServerClient::new(self.http.clone(), config, ProviderKind::Ollama, &[]);
        let url = endpoint(&self.config.base_url, "api/pull");
        let body = Map::from_iter([("model".to_owned(), json!(model)), ("stream".to_owned(), json!(true))]);
        let deadline = Instant::now() + self.limits.stall;
        let content = RequestContent { texts: Vec::new(), has_tools: false };
        let answer = timeout_at(deadline, client.post(&url, body, &content, &stop)).await;
        let place = Place { model: model.to_owned(), address: self.address() };
        let response = match answer {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(place.refused(error)),
            Err(_) => return Err(place.stalled(self.limits.stall)),
        };
        let Some(response) = response else {
            return Ok(Box::pin(futures::stream::iter([Ok(PullEvent::Cancelled)])));
        };
        let pull = Pull {
            body: Some(response.stream()),
            lines: LineSplitter::default(),
            parser: PullParser::default(),
            ready: VecDeque::new(),
            newest: None,
            deadline,
            limits: self.limits,
            place,
            stop,
        };
        Ok(Box::pin(futures::stream::unfold(pull, |mut pull| async move {
            let item = pull.next().await?;
            Some((item, pull))
        })))
    }
}

/// The model and the server of a pull, for its errors.
struct Place {
    model: String,
    address: String,
}

impl Place {
    /// The server answered with an error, or did not answer.
    fn refused(&self, error: LlmError) -> PullError {
        match error {
            LlmError::ModelMissing { .. } => PullError::NoSuchModel { model: self.model.clone() },
            // The path exists on every Ollama server.
            LlmError::Status { code: 404 | 405, .. } => PullError::Server(LlmError::InvalidResponse {
                what: format!("the program at {} is not an Ollama server", self.address),
            }),
            LlmError::Status { detail, .. } | LlmError::Failed { detail } => self.failed(&detail),
            LlmError::TimedOut { after } => self.stalled(after),
            LlmError::Incomplete => PullError::Incomplete { address: self.address.clone() },
            error => PullError::Server(error),
        }
    }

    fn failed(&self, detail: &str) -> PullError {
        PullError::from_detail(&self.model, detail)
    }

    fn stalled(&self, after: Duration) -> PullError {
        PullError::Stalled { address: self.address.clone(), after }
    }
}

struct Pull {
    /// `None` after the end of the pull.
    body: Option<BodyStream>,
    lines: LineSplitter,
    parser: PullParser,
    ready: VecDeque<Result<PullEvent, PullError>>,
    newest: Option<PullEvent>,
    /// When the pull has stalled, unless something new comes before.
    deadline: Instant,
    limits: PullLimits,
    place: Place,
    stop: CancellationToken,
}

impl Pull {
    async fn next(&mut self) -> Option<Result<PullEvent, PullError>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                if matches!(item, Err(_) | Ok(PullEvent::Finished | PullEvent::Cancelled)) {
                    self.body = None;
                    self.ready.clear();
                }
                return Some(item);
            }
            let body = self.body.as_mut()?;
            tokio::select! {
                biased; // Cancellation must not wait for a fast server.
                () = self.stop.cancelled() => self.ready.push_back(Ok(PullEvent::Cancelled)),
                chunk = timeout_at(self.deadline, body.next()) => match chunk {
                    Ok(chunk) => self.take(chunk),
                    Err(_) => self.ready.push_back(Err(self.place.stalled(self.limit()))),
                },
            }
        }
    }

    fn take(&mut self, chunk: Option<Result<impl AsRef<[u8]>, NetError>>) {
        match chunk {
            Some(Ok(bytes)) => {
                let lines = self.lines.push(bytes.as_ref());
                self.read(lines);
            }
            Some(Err(NetError::TimedOut { silence, .. })) => {
                self.ready.push_back(Err(self.place.stalled(silence)));
            }
            Some(Err(_)) | None => self.end_body(),
        }
    }

    /// Reads lines up to the first error, and queues what is new.
    fn read(&mut self, lines: Result<impl IntoIterator<Item = String>, LlmError>) {
        let lines = match lines {
            Ok(lines) => lines,
            Err(error) => return self.ready.push_back(Err(self.place.refused(error))),
        };
        for line in lines {
            match self.parser.parse_line(&line) {
                Ok(Some(event)) if self.newest != Some(event) => {
                    self.newest = Some(event);
                    self.deadline = Instant::now() + self.limit();
                    self.ready.push_back(Ok(event));
                }
                // The server repeats its lines some times a second, also while nothing comes.
                Ok(_) => {}
                Err(error) => return self.ready.push_back(Err(self.place.refused(error))),
            }
        }
    }

    /// The server is the one who ends the body: too early, unless it said "success".
    fn end_body(&mut self) {
        self.body = None;
        let last = self.lines.finish();
        self.read(last);
        let has_end = self.ready.iter().any(|item| matches!(item, Err(_) | Ok(PullEvent::Finished)));
        if !has_end {
            let address = self.place.address.clone();
            self.ready.push_back(Err(PullError::Incomplete { address }));
        }
    }

    fn limit(&self) -> Duration {
        match self.newest {
            Some(PullEvent::Checking) => self.limits.check,
            _ => self.limits.stall,
        }
    }
}
