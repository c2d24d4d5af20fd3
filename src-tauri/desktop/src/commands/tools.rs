//! The commands about tools, their servers, and the programs that may use them.

use assistant::{CallFilter, PermissionName, ServerPromptView, ToolPermissionView, ToolServerView};
use settings::Scope;
use tauri::State;
use vocabulary::Private;

use crate::door::Door;
use crate::error::CommandError;
use crate::views::LoggedCallView;

/// Calls that one request returns.
const CALLS: usize = 100;

type Outcome<T> = Result<T, CommandError>;

#[tauri::command]
pub async fn server_prompts(door: State<'_, Door>) -> Outcome<Vec<ServerPromptView>> {
    Ok(door.assistant.server_prompts())
}

#[tauri::command]
pub async fn tool_servers(door: State<'_, Door>) -> Outcome<Vec<ToolServerView>> {
    Ok(door.assistant.tool_servers())
}

#[tauri::command]
pub async fn refresh_tool_servers(door: State<'_, Door>) -> Outcome<Vec<ToolServerView>> {
    Ok(door.assistant.refresh_tool_servers().await)
}

/// Signs in at a server in the browser of the user, and waits for that.
#[tauri::command]
pub async fn sign_in_tool_server(door: State<'_, Door>, name: String) -> Outcome<()> {
    let open = |page: &url::Url| open::that_detached(page.as_str()).map_err(|error| error.to_string());
    Ok(door.assistant.sign_in_tool_server(&name, &open).await?)
}

/// Forgets the sign-in at a server.
#[tauri::command]
pub async fn sign_out_tool_server(door: State<'_, Door>, name: String) -> Outcome<()> {
    Ok(door.assistant.sign_out_tool_server(&name).await?)
}

/// Keeps a secret that the settings of a server name in the keychain.
#[tauri::command]
pub async fn set_tool_server_secret(
    door: State<'_, Door>,
    name: String,
    secret: Private<String>,
) -> Outcome<()> {
    Ok(door.assistant.set_tool_server_secret(&name, secret).await?)
}

#[tauri::command]
pub async fn add_program(door: State<'_, Door>, name: String, may: Vec<Scope>) -> Outcome<String> {
    let assistant = door.assistant.clone();
    let added = tauri::async_runtime::spawn_blocking(move || assistant.add_program(&name, &may)).await?;
    Ok(added?.0)
}

#[tauri::command]
pub async fn revoke_program(door: State<'_, Door>, name: String) -> Outcome<()> {
    let assistant = door.assistant.clone();
    Ok(tauri::async_runtime::spawn_blocking(move || assistant.revoke_program(&name)).await??)
}

/// All tools, and what the user allows of them.
#[tauri::command]
pub async fn tool_permissions(door: State<'_, Door>) -> Outcome<Vec<ToolPermissionView>> {
    Ok(door.assistant.tool_permissions())
}

/// Sets the permission of a tool or a server; without one, it is removed.
#[tauri::command]
pub async fn set_tool_permission(
    door: State<'_, Door>,
    name: String,
    permission: Option<PermissionName>,
) -> Outcome<Vec<ToolPermissionView>> {
    door.assistant.set_tool_permission(&name, permission).await?;
    tool_permissions(door).await
}

/// Agrees to the new description of a tool, as the page showed it.
#[tauri::command]
pub async fn agree_to_tool_description(
    door: State<'_, Door>,
    name: String,
    shown: String,
) -> Outcome<Vec<ToolPermissionView>> {
    door.assistant.agree_to_tool_description(&name, &shown)?;
    tool_permissions(door).await
}

/// A page of the log of calls, the newest first. `before` is the number of a call.
#[tauri::command]
pub async fn tool_calls(
    door: State<'_, Door>,
    tool: Option<String>,
    outcome: Option<String>,
    before: Option<i64>,
) -> Outcome<Vec<LoggedCallView>> {
    let filter = CallFilter { tool, outcome, before, span: None };
    let calls = door.assistant.tool_calls(filter, CALLS).await?;
    Ok(calls.into_iter().map(LoggedCallView::from).collect())
}
