import type { LoggedCallView } from "../api/types/LoggedCallView";
import type { PermissionName } from "../api/types/PermissionName";
import type { ToolPermissionView } from "../api/types/ToolPermissionView";

const tool = (name: string, purpose: string, more: Partial<ToolPermissionView>): ToolPermissionView => ({
  name,
  isServer: false,
  isKnown: true,
  purpose,
  server: null,
  effect: "readOnly",
  chosen: null,
  usual: "allow",
  newDescription: null,
  ...more,
});

const plain = (name: string, more: Partial<ToolPermissionView>) =>
  tool(name, "", { effect: null, usual: null, ...more });

export const permissions = (): ToolPermissionView[] => [
  tool("getTime", "The time now, here or in a town.", {}),
  tool("localFiles", "Lists, reads, writes and deletes files of the user.", { effect: "destructive", usual: "ask" }),
  tool("setTimer", "Sets a timer.", { effect: "writes", chosen: "ask" }),
  tool("webSearch", "Searches the web.", { effect: "network", chosen: "deny" }),
  plain("files", { isServer: true }),
  tool("files__write_file", "Creates a file or replaces it.", {
    effect: "writes",
    server: "files",
    chosen: "allow",
    usual: "ask",
    newDescription: "f00d",
  }),
  plain("oldTool", { isKnown: false, chosen: "allow" }),
];

/** The list after a choice. A name that nothing has leaves it with its rule. */
export const withChoice = (entries: readonly ToolPermissionView[], name: unknown, chosen: PermissionName | null) =>
  entries
    .map((entry) => (entry.name === name ? { ...entry, chosen } : entry))
    .filter(({ isKnown, chosen }) => isKnown || chosen !== null);

const call = (id: number, tool: string, more: Partial<LoggedCallView>): LoggedCallView => ({
  id,
  at: "2026-03-14T09:26:53Z",
  tool,
  effect: "read_only",
  arguments: "",
  decision: "allowed",
  grounds: "effect",
  outcome: "done",
  origin: "voice",
  conversation: "main",
  program: null,
  tookMs: 4,
  ...more,
});

/** The newest first. */
export const calls = (): LoggedCallView[] => [
  call(4, "files__write_file", {
    effect: "writes",
    arguments: "path: notes.txt, content: milk",
    decision: "declined",
    grounds: "untrusted",
    outcome: "declined",
    origin: "typed",
    tookMs: 0,
  }),
  call(3, "webSearch", {
    effect: "network",
    arguments: "search_query: tide tables",
    decision: "denied",
    grounds: "setting",
    outcome: "denied",
    origin: "program",
    conversation: "temporary-3-of-kitchen",
    program: "kitchen",
    tookMs: 0,
  }),
  call(2, "setTimer", {
    effect: "writes",
    arguments: "label: tea, minutes: 4",
    decision: "approved",
    grounds: "setting",
  }),
  call(1, "getTime", {}),
];
