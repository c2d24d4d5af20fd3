//! The settings of a server, checked once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use settings::ServerSettings;
use url::Url;

use super::command::Platform;
use super::secrets::{Secrets, is_secret_name, shown_address, shown_text};
use super::sign_in::KnownClient;

/// The longest name, in characters: it is a part of the names of tools, which models write.
const MAX_NAME_CHARS: usize = 40;
/// The prefix of the name of a secret in `${…}`.
const SECRET_PREFIX: &str = "secret:";

/// The port to what stands in `${…}`: a variable of the environment, or a secret of the keychain as `secret:name`.
pub trait ServerValues: Send + Sync {
    /// The value of this name, now. May take as long as a keychain does.
    fn value(&self, name: &str) -> Option<String>;
}

/// The way to a server. Its `Debug` shows no values of variables and headers.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Transport {
    /// A program of this machine, over its standard input and output.
    Program {
        /// The program, as the user wrote it.
        command: String,
        /// The arguments of the command.
        arguments: Vec<String>,
        /// Variables of its environment besides ours.
        environment: BTreeMap<String, String>,
        /// Its working folder; `None` is ours.
        folder: Option<PathBuf>,
    },
    /// A server elsewhere, over streamable HTTP.
    Http {
        /// Its address.
        url: Url,
        /// Headers of each request.
        headers: BTreeMap<String, String>,
    },
}

/// A server of tools, with all values filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerConfig {
    /// The way to it.
    pub transport: Transport,
    /// The values that must not be shown.
    pub secrets: Secrets,
    /// It may ask the language model, each time with the consent of the user.
    pub may_ask_model: bool,
    /// The user is signed in at the server, by a browser.
    pub is_signed_in: bool,
    /// The client as which the user signs in; `None` lets the server register one.
    pub client: Option<KnownClient>,
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program { command, arguments, environment, folder } => f
                .debug_struct("Program")
                .field("command", command)
                .field("arguments", &arguments.len())
                .field("environment", &environment.keys())
                .field("folder", folder)
                .finish(),
            Self::Http { url, headers } => f
                .debug_struct("Http")
                .field("url", &shown_address(url))
                .field("headers", &headers.keys())
                .finish(),
        }
    }
}

/// An error in the settings of a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerConfigError {
    /// The name cannot be a part of the name of a tool.
    #[error(
        "the name of the server {0:?} must have letters, digits, - and single _ only, and at most 40 of them"
    )]
    Name(String),
    /// There is neither a command nor an address.
    #[error("the server {0} needs a command or an address")]
    NothingToStart(String),
    /// The address is none.
    #[error("the address of the server {name} is {url:?}: use one such as https://example.org/mcp")]
    Address {
        /// The server.
        name: String,
        /// The address, without what may be secret in it.
        url: String,
    },
    /// Another server has a name that is the same for a model.
    #[error("the name of the server {name} is too much like {other}: rename one of them")]
    SameName {
        /// The server.
        name: String,
        /// The other one.
        other: String,
    },
    /// A value names a variable that does not exist.
    #[error("the server {name} needs {missing}, which is not set")]
    Missing {
        /// The server.
        name: String,
        /// The variable.
        missing: String,
    },
    /// A value names a secret that is not stored.
    #[error(
        "the secret `{secret}` of the server {name} is not stored: run `jarvis settings secret 'mcp.{secret}'` and type it"
    )]
    MissingSecret {
        /// The server.
        name: String,
        /// The name behind `secret:` in the settings of the server; the keychain has it behind `mcp.`.
        secret: String,
    },
}

/// Checks what can be checked of a server without its values.
///
/// # Errors
///
/// Names what is wrong.
pub(super) fn check(name: &str, settings: &ServerSettings) -> Result<(), ServerConfigError> {
    if !is_name(name) {
        return Err(ServerConfigError::Name(name.to_owned()));
    }
    if settings.command.trim().is_empty() && settings.url.trim().is_empty() {
        return Err(ServerConfigError::NothingToStart(name.to_owned()));
    }
    Ok(())
}

/// The idle time after which a server is ended; `None` lets it run.
pub(super) fn idle_timeout(settings: &ServerSettings) -> Option<Duration> {
    let seconds = settings.idle_timeout_secs.max(0.0);
    // A time that is too long for the clock never comes.
    Duration::try_from_secs_f64(seconds).ok().filter(|timeout| !timeout.is_zero())
}

impl ServerConfig {
    /// Fills what stands in `${…}`.
    ///
    /// # Errors
    ///
    /// Names what is wrong.
    pub fn new(
        name: &str,
        settings: &ServerSettings,
        values: &dyn ServerValues,
    ) -> Result<Self, ServerConfigError> {
        check(name, settings)?;
        let secrets = RefCell::new(Secrets::default());
        let lookup = |asked: &str| {
            let value = values.value(asked)?;
            if asked.starts_with(SECRET_PREFIX) || is_secret_name(asked) {
                secrets.borrow_mut().add(&value);
            }
            Some(value)
        };
        let filled = |text: &str| expanded(name, text, &lookup);
        let all = |values: &BTreeMap<String, String>| -> Result<BTreeMap<String, String>, ServerConfigError> {
            values.iter().map(|(key, value)| Ok((key.clone(), filled(value)?))).collect()
        };
        let (command, address) = (settings.command.trim(), settings.url.trim());
        let transport = if command.is_empty() {
            let address = filled(address)?;
            let url = Url::parse(&address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            let bad = || ServerConfigError::Address { name: name.to_owned(), url: shown_text(&settings.url) };
            Transport::Http { url: url.ok_or_else(bad)?, headers: all(&settings.headers)? }
        } else {
            Transport::Program {
                command: at_home(&filled(command)?),
                arguments: settings
                    .args
                    .iter()
                    .map(|text| Ok(at_home(&filled(text)?)))
                    .collect::<Result<_, _>>()?,
                environment: all(&settings.env)?,
                folder: match settings.cwd.trim() {
                    "" => None,
                    folder => Some(at_home(&filled(folder)?).into()),
                },
            }
        };
        let client = KnownClient::new(&filled(&settings.client_id)?, &filled(&settings.client_secret)?);
        let mut secrets = secrets.into_inner();
        if let Some(secret) = client.as_ref().and_then(|client| client.secret.as_ref()) {
            secrets.add(secret);
        }
        note_secrets(&transport, &mut secrets);
        Ok(Self { transport, secrets, may_ask_model: settings.sampling, is_signed_in: false, client })
    }
}

impl ServerConfig {
    /// The address at which the user can sign in by a browser; `None` for programs, and if a header does it.
    pub fn sign_in_address(&self) -> Option<&Url> {
        match &self.transport {
            Transport::Http { url, headers } => {
                let is_own = headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"));
                (!is_own).then_some(url)
            }
            Transport::Program { .. } => None,
        }
    }
}

/// Notes what of the settings of a server must not be shown.
fn note_secrets(transport: &Transport, secrets: &mut Secrets) {
    match transport {
        Transport::Program { environment, .. } => {
            let secret = environment.iter().filter(|(name, _)| is_secret_name(name));
            secret.for_each(|(_, value)| secrets.add(value));
        }
        Transport::Http { url, headers } => {
            secrets.add_address(url);
            let secret = headers.iter().filter(|(name, _)| is_secret_name(name));
            secret.for_each(|(_, value)| secrets.add_header(value));
        }
    }
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty()
        && name.chars().all(fits)
        && name.chars().count() <= MAX_NAME_CHARS
        && !name.contains("__")
        && !name.starts_with('_')
        && !name.ends_with('_')
}

/// The text with each `${name}` replaced. `${name:-other}` takes the other text if nothing is set.
fn expanded(
    server: &str,
    text: &str,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<String, ServerConfigError> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, behind)) = after.split_once('}') else { break };
        let (name, other) = name.split_once(":-").map_or((name, None), |(name, other)| (name, Some(other)));
        filled.push_str(before);
        match lookup(name).or_else(|| other.map(str::to_owned)) {
            Some(value) => filled.push_str(&value),
            None => return Err(missing(server, name)),
        }
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled)
}

fn missing(server: &str, name: &str) -> ServerConfigError {
    match name.strip_prefix(SECRET_PREFIX) {
        Some(secret) => {
            ServerConfigError::MissingSecret { name: server.to_owned(), secret: secret.to_owned() }
        }
        None => ServerConfigError::Missing { name: server.to_owned(), missing: name.to_owned() },
    }
}

/// A path that begins with `~` with the folder of the user in its place.
fn at_home(text: &str) -> String {
    below_home(text, std::env::home_dir().as_deref(), Platform::this())
}

fn below_home(text: &str, home: Option<&Path>, platform: Platform) -> String {
    let separators: &[char] = if platform == Platform::Windows { &['/', '\\'] } else { &['/'] };
    let rest = match text.strip_prefix('~') {
        Some("") => Some(""),
        Some(rest) => rest.strip_prefix(separators),
        None => None,
    };
    let (Some(rest), Some(home)) = (rest, home) else { return text.to_owned() };
    home.join(rest).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
