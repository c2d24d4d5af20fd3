//! `jarvis talk`: the talk key for desktops that let no program take one.

use ::settings::Folders;
use assistant::{Call, Line, ReplyView};

/// Makes the running Jarvis listen.
pub(crate) async fn run() -> anyhow::Result<()> {
    let folders = Folders::of_this_user()?;
    let mut line = Line::call(&folders.data, &Call::Talk)
        .await
        .map_err(|_| anyhow::anyhow!("Jarvis is not running: start it with `jarvis`"))?;
    match line.next().await? {
        Some(ReplyView::Trouble(trouble)) => anyhow::bail!("{} {}", trouble.message, trouble.remedy),
        _ => Ok(()),
    }
}
