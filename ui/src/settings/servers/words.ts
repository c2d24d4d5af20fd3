import type { ToolServerView } from "../../api/types/ToolServerView";
import { joinCommand } from "./command-line";
import { isOn, type ServerSettings } from "./servers";

export const toolsWords = (count: number): string =>
  count === 0 ? "no tools" : count === 1 ? "1 tool" : `${count} tools`;

/** Where a server stands. It has no status while it is switched off, or before Jarvis took its settings over. */
export function stateWords(server: ServerSettings, status: ToolServerView | undefined): string {
  if (!isOn(server)) return "Switched off";
  switch (status?.state.type) {
    case "running":
      return `Running, ${toolsWords(status.tools.length)}`;
    case "asleep":
      return "Asleep until a tool is needed";
    case "signInNeeded":
      return "Needs you to sign in";
    case "failed":
      return `Does not work: ${status.state.why}.`;
    case "starting":
    case undefined:
      return "Starting";
  }
}

export const CLIENT_HELP =
  "Only if the provider gave you one for signing in, or the https address of a document that describes the client.";

/** About tools that are described differently than before; empty when there are none. */
export function changedWords(tools: readonly string[]): string {
  if (tools.length === 0) return "";
  return tools.length === 1
    ? "It describes 1 tool differently than before: it asks again."
    : `It describes ${tools.length} tools differently than before: they ask again.`;
}

/** The command line or the address of a server. */
export function targetWords({ command = "", args = [], url = "" }: ServerSettings): string {
  return command !== "" ? joinCommand([command, ...args]) : shownAddress(url);
}

/** The address without user, password, query and fragment: keys stand there. */
function shownAddress(url: string): string {
  return url.replace(/[?#].*$/s, "").replace(/^(\w+:\/\/)[^/]*@/, "$1");
}

/** What to announce when states changed: where each server has arrived. Starting is on the way to somewhere. */
export function announcement(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string {
  const arrived = [...now].filter(
    ([name, words]) => before.has(name) && before.get(name) !== words && words !== "Starting",
  );
  return arrived.map(([name, words]) => `${name}: ${words}${words.endsWith(".") ? "" : "."}`).join(" ");
}
