/** The one place that knows how Rust is reached: a line for each command. */
import { Channel, invoke } from "@tauri-apps/api/core";
import type { ContactView } from "./types/ContactView";
import type { ConversationView } from "./types/ConversationView";
import type { DevicesView } from "./types/DevicesView";
import type { EventView } from "./types/EventView";
import type { FieldView } from "./types/FieldView";
import type { HistoryView } from "./types/HistoryView";
import type { LocationView } from "./types/LocationView";
import type { LoggedCallView } from "./types/LoggedCallView";
import type { ModelsView } from "./types/ModelsView";
import type { ModelView } from "./types/ModelView";
import type { PermissionName } from "./types/PermissionName";
import type { PlaceView } from "./types/PlaceView";
import type { PullView } from "./types/PullView";
import type { ToolPermissionView } from "./types/ToolPermissionView";
import type { ToolServerView } from "./types/ToolServerView";
import type { TraceView } from "./types/TraceView";
import type { ServerPromptView } from "./types/ServerPromptView";
import type { StatusView } from "./types/StatusView";
import type { SettingsView } from "./types/SettingsView";

/** Delivers batches of events from now on. */
export const subscribe = (onBatch: (events: EventView[]) => void) =>
  invoke<void>("subscribe", { onEvent: new Channel<EventView[]>(onBatch) });

export const status = () => invoke<StatusView>("status");
export const conversation = () => invoke<ConversationView>("conversation");
export const history = (before: number) => invoke<HistoryView>("history", { before });
/** How the stored reply of this id was made; `null` if it is not known. */
export const replyTrace = (at: number) => invoke<TraceView | null>("reply_trace", { at });
/** Asks a question; with `replacesPrevious` in place of the one before, which is taken back with its reply. */
export const ask = (text: string, replacesPrevious = false) =>
  invoke<number>("ask", replacesPrevious ? { text, replacesPrevious } : { text });
export const answer = (question: number, text: string) => invoke<void>("answer", { question, text });
export const stopRing = (appointment: number) => invoke<void>("stop_ring", { appointment });
export const snoozeRing = (appointment: number) => invoke<void>("snooze_ring", { appointment });
export const stop = () => invoke<void>("stop");
export const setMuted = (isMuted: boolean) => invoke<void>("set_muted", { isMuted });
export const talk = () => invoke<void>("talk");
export const readAloud = (text: string) => invoke<void>("read_aloud", { text });
/** The address of a picture of a reply, with the picture in it. */
export const picture = (reply: number, index: number) => invoke<string>("picture", { reply, index });
/** Saves a file of a reply in the folder for downloads; returns where it is. */
export const saveAttachment = (reply: number, index: number) => invoke<string>("save_attachment", { reply, index });
export const openWindow = (window: "conversation" | "settings") => invoke<void>("open_window", { window });
export const zoom = (zoom: "in" | "out" | "reset") => invoke<void>("zoom", { zoom });
export const letClicksThrough = (isThrough: boolean) => invoke<void>("let_clicks_through", { isThrough });
export const openLink = (url: string) => invoke<void>("open_link", { url });

export const settings = () => invoke<SettingsView>("settings");
export const setSetting = (path: string, value: unknown) => invoke<FieldView>("set_setting", { path, value });
export const resetSetting = (path: string) => invoke<FieldView>("reset_setting", { path });
export const devices = () => invoke<DevicesView>("devices");
export const previewVoice = () => invoke<void>("preview_voice");
export const checkHotkey = (keys: string) => invoke<void>("check_hotkey", { keys });

export const places = (query: string) => invoke<PlaceView[]>("places", { query });
export const contextLine = () => invoke<string>("context_line");
/** The place of this computer, as the desktop tells it. */
export const location = () => invoke<LocationView>("location");
export const lookForLocation = () => invoke<void>("look_for_location");

/** What the tool servers offer to be typed as `/server:name`. */
export const serverPrompts = () => invoke<ServerPromptView[]>("server_prompts");
export const toolServers = () => invoke<ToolServerView[]>("tool_servers");
/** Keeps a secret that the settings of a server name as `${secret:name}` in the keychain. */
export const setToolServerSecret = (name: string, secret: string) =>
  invoke<void>("set_tool_server_secret", { name, secret });
/** Opens the page of a server in the browser, and waits until the user is signed in. */
export const signInToolServer = (name: string) => invoke<void>("sign_in_tool_server", { name });
export const signOutToolServer = (name: string) => invoke<void>("sign_out_tool_server", { name });
export const refreshToolServers = () => invoke<ToolServerView[]>("refresh_tool_servers");

export const addProgram = (name: string, may: string[]) => invoke<string>("add_program", { name, may });
export const revokeProgram = (name: string) => invoke<void>("revoke_program", { name });
export const toolPermissions = () => invoke<ToolPermissionView[]>("tool_permissions");
/** Sets the permission of a tool or a server; `null` removes it. */
export const setToolPermission = (name: string, permission: PermissionName | null) =>
  invoke<ToolPermissionView[]>("set_tool_permission", { name, permission });
/** Agrees to the new description of a tool; `shown` is its `newDescription`. */
export const agreeToToolDescription = (name: string, shown: string) =>
  invoke<ToolPermissionView[]>("agree_to_tool_description", { name, shown });
/** The newest calls that fit, before the one of this id. */
export const toolCalls = (filter: { tool: string | null; outcome: string | null; before: number | null }) =>
  invoke<LoggedCallView[]>("tool_calls", filter);

export const hostsContacted = () => invoke<ContactView[]>("hosts_contacted");
/** Empties the list, and returns it. */
export const forgetHostsContacted = () => invoke<ContactView[]>("forget_hosts_contacted");

export const models = () => invoke<ModelsView>("models");
export const downloadModel = (id: string) => invoke<ModelView>("download_model", { id });
export const pauseDownload = (id: string) => invoke<ModelView>("pause_download", { id });
/** Lets the Ollama server at this address fetch a model; events tell how far it is. */
export const pullModel = (model: string, address: string) => invoke<PullView>("pull_model", { model, address });
export const cancelPull = (model: string, address: string) => invoke<void>("cancel_pull", { model, address });
export const deleteModel = (id: string) => invoke<ModelView>("delete_model", { id });
export const useModel = (id: string) => invoke<ModelsView>("use_model", { id });
export const testModel = (id: string) => invoke<string>("test_model", { id });
export const useProvider = (provider: string, address: string, model: string) =>
  invoke<ModelsView>("use_provider", { provider, address, model });

export const reportFault = (fault: string) => invoke<void>("report_fault", { fault });
