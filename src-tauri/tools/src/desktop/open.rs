//! The tools that open links and programs.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use url::Url;

use super::applications::{Application, ApplicationFolders};
use super::command::{DesktopCommand, System};
use super::programs::{Programs, run_first};
use crate::builtin::declaration::{declaration, run};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// The kinds of address that are opened. Others start programs with orders of their own.
const SCHEMES: [&str; 3] = ["https", "http", "mailto"];

/// The most programs that are named where several fit.
const MAX_NAMED: usize = 5;

#[derive(Deserialize, JsonSchema)]
struct LinkArguments {
    /// Address of a web page, or an e-mail address after mailto:.
    url: String,
}

/// The tool `openLink`.
pub struct OpenLink {
    declaration: Declaration,
    programs: Arc<dyn Programs>,
    system: System,
    is_offline: watch::Receiver<bool>,
}

impl OpenLink {
    /// The tool, with these programs. `is_offline` while the user wants nobody contacted.
    pub fn new(programs: Arc<dyn Programs>, system: System, is_offline: watch::Receiver<bool>) -> Self {
        let declaration = declaration::<LinkArguments>(
            "openLink",
            Effect::Writes,
            "Opens a web page in the browser of the user, so that the user sees it. You do not get its text.",
            "open link url address web site page browser show website visit go",
            &[
                ("open wikipedia.org", json!({"url": "https://wikipedia.org"})),
                ("show me example.com in the browser", json!({"url": "https://example.com"})),
            ],
        );
        Self { declaration, programs, system, is_offline }
    }

    async fn open(&self, url: &str) -> Result<ToolResult, ToolResult> {
        let url = address(url).map_err(ToolResult::failed)?;
        if *self.is_offline.borrow() && url.scheme() != "mailto" {
            return Err(ToolResult::failed(
                "Jarvis is set to work offline, so no page was opened. The user can change that in the settings \
                 (web.offline).",
            ));
        }
        start(&*self.programs, &self.system.open_link(&url)).await?;
        Ok(ToolResult::done(format!("Opened {url}.")))
    }
}

/// The address as it is opened, or the reason why it is not.
fn address(written: &str) -> Result<Url, String> {
    let written = written.trim();
    let has_scheme = written.contains("://") || written.to_ascii_lowercase().starts_with("mailto:");
    let whole = if has_scheme { written.to_owned() } else { format!("https://{written}") };
    let url = Url::parse(&whole).map_err(|_| format!("\"{written}\" is no address."))?;
    if !SCHEMES.contains(&url.scheme()) {
        return Err(format!(
            "Addresses that begin with {}: are not opened, only web pages and mailto:.",
            url.scheme()
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("Addresses with a name or password in them are not opened.".to_owned());
    }
    let is_whole = url.scheme() == "mailto"
        || url.host_str().is_some_and(|host| host.contains('.') || host == "localhost");
    if is_whole {
        Ok(url)
    } else {
        Err(format!("\"{written}\" is no whole address. Use one such as https://example.com."))
    }
}

#[async_trait]
impl Tool for OpenLink {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, _: &ToolContext) -> ToolResult {
        run(arguments, |arguments: LinkArguments| async move { self.open(&arguments.url).await }).await
    }
}

#[derive(Deserialize, JsonSchema)]
struct ApplicationArguments {
    /// Name of the program, such as Firefox or Calculator.
    name: String,
}

/// The tool `openApplication`.
pub struct OpenApplication {
    declaration: Declaration,
    programs: Arc<dyn Programs>,
    system: System,
    folders: ApplicationFolders,
}

impl OpenApplication {
    /// The tool, with these programs and the menu in these folders.
    pub fn new(programs: Arc<dyn Programs>, system: System, folders: ApplicationFolders) -> Self {
        let declaration = declaration::<ApplicationArguments>(
            "openApplication",
            Effect::Writes,
            "Opens a program that is installed on this computer, such as the browser or the calculator.",
            "open start launch run application app program software browser calculator editor terminal settings",
            &[
                ("open Firefox", json!({"name": "Firefox"})),
                ("start the calculator", json!({"name": "Calculator"})),
            ],
        );
        Self { declaration, programs, system, folders }
    }

    async fn open(&self, name: String) -> Result<ToolResult, ToolResult> {
        if name.contains(['/', '\\']) {
            return Err(ToolResult::failed(
                "Only programs of the applications menu are opened, by their names.",
            ));
        }
        let by_name = self.system.open_by_name(&name);
        if !by_name.is_empty() {
            start(&*self.programs, &by_name).await?;
            return Ok(ToolResult::done(format!("Opened {name}.")));
        }
        let (folders, wanted) = (self.folders.clone(), name.clone());
        let found = match tokio::task::spawn_blocking(move || folders.find(&wanted)).await {
            Ok(found) => found,
            Err(failure) => std::panic::resume_unwind(failure.into_panic()),
        };
        let application = only(&name, &found).map_err(ToolResult::failed)?;
        start(&*self.programs, &self.system.open_entry(&application.entry)).await?;
        Ok(ToolResult::done(format!("Opened {}.", application.name)))
    }
}

fn only<'a>(name: &str, found: &'a [Application]) -> Result<&'a Application, String> {
    match found {
        [] => Err(format!("No program of the applications menu is called {name}.")),
        [application] => Ok(application),
        several => {
            let names: Vec<&str> =
                several.iter().take(MAX_NAMED).map(|application| &*application.name).collect();
            Err(format!("Several programs fit: {}. Ask which one.", names.join(", ")))
        }
    }
}

async fn start(programs: &dyn Programs, commands: &[DesktopCommand]) -> Result<(), ToolResult> {
    match run_first(programs, commands).await {
        Ok(_) => Ok(()),
        Err(error) => Err(ToolResult::failed(format!("It could not be opened: {error}."))),
    }
}

#[async_trait]
impl Tool for OpenApplication {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, _: &ToolContext) -> ToolResult {
        run(arguments, |arguments: ApplicationArguments| self.open(arguments.name)).await
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::whole("https://a.example/x", Ok("https://a.example/x"))]
    #[case::without_scheme(" wikipedia.org ", Ok("https://wikipedia.org/"))]
    #[case::mail("mailto:ann@a.example", Ok("mailto:ann@a.example"))]
    #[case::file(
        "file:///etc/passwd",
        Err("Addresses that begin with file: are not opened, only web pages and mailto:.")
    )]
    #[case::script(
        "javascript://a.example/%0aalert(1)",
        Err("Addresses that begin with javascript: are not opened, only web pages and mailto:.")
    )]
    #[case::password(
        "https://ann:secret@a.example",
        Err("Addresses with a name or password in them are not opened.")
    )]
    #[case::a_word("firefox", Err("\"firefox\" is no whole address. Use one such as https://example.com."))]
    #[case::option("--help", Err("\"--help\" is no whole address. Use one such as https://example.com."))]
    #[case::nothing("", Err("\"\" is no address."))]
    fn web_pages_and_mail_are_opened_alone(#[case] written: &str, #[case] expected: Result<&str, &str>) {
        let read = address(written);

        assert_eq!(read.as_ref().map(Url::as_str).map_err(String::as_str), expected);
    }
}
