//! What the settings say of a server, checked once.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use settings::ServerSettings;
use url::Url;

/// The longest name, in characters: it is a part of the names of tools, which models write.
const MAX_NAME_CHARS: usize = 40;

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// A program of this machine, over its standard input and output.
    Program {
        /// The program, as the user wrote it.
        command: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// Variables of its environment besides ours.
        environment: BTreeMap<String, String>,
    },
    /// A server elsewhere, over streamable HTTP.
    Http {
        /// Its address.
        url: Url,
        /// Headers of each request.
        headers: BTreeMap<String, String>,
    },
}

/// A server of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// Its name, of letters, digits, `-` and single `_`.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// How long it may be idle before it is ended; `None` lets it run.
    pub idle_timeout: Option<Duration>,
}

/// What is wrong with the settings of a server.
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
        /// The address.
        url: String,
    },
    /// A value names a variable or a secret that does not exist.
    #[error("the server {name} needs {missing}, which is not set")]
    Missing {
        /// The server.
        name: String,
        /// The variable, or the secret.
        missing: String,
    },
}

/// Looks a name up that stands in `${…}`: a variable of the environment, or a secret of the keychain as `secret:name`.
pub(super) type Lookup<'l> = &'l dyn Fn(&str) -> Option<String>;

impl ServerConfig {
    /// Checks the settings of a server, and fills what stands in `${…}`.
    ///
    /// # Errors
    ///
    /// Names what is wrong.
    pub(super) fn new(
        name: &str,
        settings: &ServerSettings,
        lookup: Lookup<'_>,
    ) -> Result<Self, ServerConfigError> {
        if !is_name(name) {
            return Err(ServerConfigError::Name(name.to_owned()));
        }
        let filled = |text: &str| expanded(name, text, lookup);
        let all = |values: &BTreeMap<String, String>| -> Result<BTreeMap<String, String>, ServerConfigError> {
            values.iter().map(|(key, value)| Ok((key.clone(), filled(value)?))).collect()
        };
        let (command, address) = (settings.command.trim(), settings.url.trim());
        let transport = if !command.is_empty() {
            Transport::Program {
                command: at_home(&filled(command)?),
                arguments: settings
                    .args
                    .iter()
                    .map(|text| Ok(at_home(&filled(text)?)))
                    .collect::<Result<_, _>>()?,
                environment: all(&settings.env)?,
            }
        } else if !address.is_empty() {
            let address = filled(address)?;
            let url = Url::parse(&address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            let bad = || ServerConfigError::Address { name: name.to_owned(), url: settings.url.clone() };
            Transport::Http { url: url.ok_or_else(bad)?, headers: all(&settings.headers)? }
        } else {
            return Err(ServerConfigError::NothingToStart(name.to_owned()));
        };
        let seconds = settings.idle_timeout_secs.max(0.0);
        let idle_timeout =
            (seconds > 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
        Ok(Self { name: name.to_owned(), transport, idle_timeout })
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

/// The text with each `${name}` replaced. `${name:-other}` takes the other text where nothing is set.
fn expanded(server: &str, text: &str, lookup: Lookup<'_>) -> Result<String, ServerConfigError> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, behind)) = after.split_once('}') else { break };
        let (name, other) = name.split_once(":-").map_or((name, None), |(name, other)| (name, Some(other)));
        filled.push_str(before);
        match lookup(name).or_else(|| other.map(str::to_owned)) {
            Some(value) => filled.push_str(&value),
            None => {
                return Err(ServerConfigError::Missing { name: server.to_owned(), missing: name.to_owned() });
            }
        }
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// A path that begins with `~` with the folder of the user in its place.
fn at_home(text: &str) -> String {
    let rest = match text {
        "~" => "",
        _ => match text.strip_prefix("~/") {
            Some(rest) => rest,
            None => return text.to_owned(),
        },
    };
    std::env::home_dir().map_or_else(|| text.to_owned(), |home| joined(&home, rest))
}

fn joined(home: &Path, rest: &str) -> String {
    home.join(rest).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn lookup(name: &str) -> Option<String> {
        match name {
            "TOKEN" => Some("abc".into()),
            "secret:github" => Some("s3cret".into()),
            _ => None,
        }
    }

    #[rstest]
    #[case::plain("--port=1", Ok("--port=1"))]
    #[case::variable("a-${TOKEN}-b", Ok("a-abc-b"))]
    #[case::secret("${secret:github}", Ok("s3cret"))]
    #[case::other_value("${PORT:-80}", Ok("80"))]
    #[case::open_brace("${TOKEN", Ok("${TOKEN"))]
    #[case::missing("${PORT}", Err("PORT"))]
    fn variables_and_secrets_are_filled_in(#[case] text: &str, #[case] expected: Result<&str, &str>) {
        let settings =
            ServerSettings { command: "run".into(), args: vec![text.into()], ..Default::default() };

        let config = ServerConfig::new("files", &settings, &lookup);

        let expected = expected
            .map(str::to_owned)
            .map_err(|missing| ServerConfigError::Missing { name: "files".into(), missing: missing.into() });
        let argument = config.map(|config| match config.transport {
            Transport::Program { arguments, .. } => arguments[0].clone(),
            Transport::Http { .. } => panic!("it has a command"),
        });
        assert_eq!(argument, expected);
    }

    #[rstest]
    #[case::blanks("my files", "run", "", "the name of the server \"my files\"")]
    #[case::double_line("my__files", "run", "", "the name of the server \"my__files\"")]
    #[case::nothing("files", " ", "", "the server files needs a command or an address")]
    #[case::other_scheme(
        "files",
        "",
        "ftp://example.org",
        "the address of the server files is \"ftp://example.org\""
    )]
    fn bad_settings_are_named(
        #[case] name: &str,
        #[case] command: &str,
        #[case] url: &str,
        #[case] expected: &str,
    ) {
        let settings = ServerSettings { command: command.into(), url: url.into(), ..Default::default() };

        let error = ServerConfig::new(name, &settings, &lookup).unwrap_err();

        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
