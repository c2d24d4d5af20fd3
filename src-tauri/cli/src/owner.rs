//! Requests to the owner of the data, as verbs send them.

use std::io::{self, Write};
use std::path::Path;

use ::settings::{Folders, Settings};
use anyhow::bail;
use assistant::{
    DataOwner, DataOwnerError, DataOwnerParts, Instance, InstanceError, Request, Response, SettingsAnswer,
    SettingsRequest,
};
use vocabulary::Trouble;

/// Finds the owner of this user's data: a running Jarvis, or else this process.
pub(crate) async fn find() -> anyhow::Result<DataOwner> {
    let folders = Folders::from_environment()?;
    DataOwner::find(DataOwnerParts::new(folders)).await.map_err(explained)
}

/// Makes this process the owner of this user's data.
///
/// # Errors
///
/// A Jarvis runs already, or the folder cannot be used; with what to do then.
pub(crate) fn claim(data: &Path) -> anyhow::Result<Instance> {
    Instance::claim(data).map_err(unclaimed)
}

/// The reason why the data could not be claimed, with its remedy.
pub(crate) fn unclaimed(error: InstanceError) -> anyhow::Error {
    anyhow::anyhow!("{}", error.trouble())
}

/// Sends a request and hands on its responses, but for notices, which go to standard error. Ctrl-C cancels the request.
///
/// # Errors
///
/// Sends a request to the owner; fails with its reason.
pub(crate) async fn request(
    owner: &DataOwner,
    request: Request,
    mut take: impl FnMut(Response) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    // One future for the whole request: an interrupt between two responses must not be lost.
    let interrupt = tokio::signal::ctrl_c();
    tokio::pin!(interrupt);
    let mut responses = owner.send(request).await?;
    let mut is_cancelled = false;
    loop {
        let response = tokio::select! {
            response = responses.next() => response?,
            _ = &mut interrupt, if !is_cancelled => {
                is_cancelled = true;
                responses.cancel().await;
                continue;
            }
        };
        match response {
            Response::Notice(text) => writeln!(io::stderr(), "jarvis: {text}")?,
            Response::Done => return Ok(()),
            Response::Failed(trouble) => bail!(in_words(&trouble)),
            response => take(response)?,
        }
    }
}

/// The settings as they hold now.
///
/// # Errors
///
/// As [`request`].
pub(crate) async fn settings(owner: &DataOwner) -> anyhow::Result<Settings> {
    let mut settings = Settings::default();
    let take = |response| {
        if let Response::Settings(SettingsAnswer::Current { values, .. }) = response {
            settings = serde_json::from_value(values)?;
        }
        Ok(())
    };
    request(owner, Request::Settings(SettingsRequest::Current), take).await?;
    Ok(settings)
}

/// A trouble for standard error: without a remedy, its message says everything.
fn in_words(trouble: &Trouble) -> String {
    if trouble.remedy.is_empty() { trouble.message.clone() } else { trouble.to_string() }
}

fn explained(error: DataOwnerError) -> anyhow::Error {
    match error {
        DataOwnerError::Folder(error) => unclaimed(error),
        DataOwnerError::Settings(error) => anyhow::anyhow!("{}", error.trouble()),
        error => error.into(),
    }
}
