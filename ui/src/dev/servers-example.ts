import type { ToolServerView } from "../api/types/ToolServerView";
import { isOn, type Servers } from "../settings/servers/servers";

export const servers = (): Servers => ({
  browser: { command: "npx", args: ["-y", "browser-server", "--profile", "Default User"], enabled: false },
  calendar: { command: "calendar-server" },
  files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/ann/Documents"] },
  drawings: { url: "https://drawings.example/mcp" },
  issues: { url: "https://issues.example/mcp", headers: { "X-Team": "blue" }, client_id: "jarvis-desktop" },
});

const named = (server: string, tools: readonly string[]) => tools.map((tool) => `${server}__${tool}`);

const STATUSES: Record<string, Omit<ToolServerView, "name">> = {
  browser: {
    state: { type: "asleep" },
    isSignedIn: false,
    tools: named("browser", ["open_page", "read_page"]),
    changedTools: [],
    lastLines: [],
  },
  calendar: {
    state: { type: "failed", why: "the server could not be reached: connection closed: initialize response" },
    isSignedIn: false,
    tools: [],
    changedTools: [],
    lastLines: [
      "Traceback (most recent call last):",
      '  File "calendar-server", line 12, in <module>',
      "KeyError: 'CALENDAR_URL'",
    ],
  },
  drawings: { state: { type: "signInNeeded" }, isSignedIn: false, tools: [], changedTools: [], lastLines: [] },
  files: {
    state: { type: "running" },
    isSignedIn: false,
    tools: named("files", [
      "create_directory",
      "edit_file",
      "list_directory",
      "move_file",
      "read_text_file",
      "search_files",
      "write_file",
    ]),
    changedTools: named("files", ["move_file", "write_file"]),
    lastLines: ["Secure MCP Filesystem Server running on stdio"],
  },
  issues: {
    state: { type: "asleep" },
    isSignedIn: true,
    tools: named("issues", ["create_issue", "search_issues"]),
    changedTools: [],
    lastLines: [],
  },
};

/** The status of a server that is added in the example: first it starts, then it runs. */
const added = (name: string, isStarted: boolean): ToolServerView =>
  isStarted
    ? {
        name,
        state: { type: "running" },
        isSignedIn: false,
        tools: named(name, ["look_up"]),
        changedTools: [],
        lastLines: [],
      }
    : { name, state: { type: "starting" }, isSignedIn: false, tools: [], changedTools: [], lastLines: [] };

/** The servers that are switched on, as the Rust side lists them. */
export const statuses = (servers: Servers, isStarted: boolean): ToolServerView[] =>
  Object.entries(servers)
    .filter(([, server]) => isOn(server))
    .map(([name]) => (STATUSES[name] ? { name, ...STATUSES[name] } : added(name, isStarted)));
