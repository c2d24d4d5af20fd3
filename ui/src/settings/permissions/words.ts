import type { EffectName } from "../../api/types/EffectName";
import type { PermissionName } from "../../api/types/PermissionName";
import type { ToolPermissionView } from "../../api/types/ToolPermissionView";

export const CHOICES: ReadonlyMap<PermissionName, string> = new Map([
  ["allow", "Never ask"],
  ["ask", "Always ask"],
  ["deny", "Never run"],
]);

const USUAL: Record<PermissionName, string> = { allow: "does not ask", ask: "asks first", deny: "never runs" };

/** The choice that leaves a tool to its server, or to its effect. */
export const usualWords = ({ usual }: ToolPermissionView): string =>
  usual === null ? "No rule" : `Usual: ${USUAL[usual]}`;

const EFFECTS: Record<EffectName, string> = {
  readOnly: "Reads your data, or computes",
  network: "Reads from the network",
  writes: "Adds or changes data",
  destructive: "Can delete data",
  executes: "Runs programs",
};

/** What a tool can do, or what else a name is. */
export function effectWords({ effect, isServer, isKnown }: ToolPermissionView): string {
  if (effect !== null) return `${EFFECTS[effect]}.`;
  if (!isKnown) return "There is no tool or server of this name now.";
  return isServer ? "A tool server: the rule holds for its tools that have none of their own." : "";
}

export type PermissionGroup = { title: string; entries: readonly ToolPermissionView[] };

/** The list in groups: our own tools, each server with its tools, and names that nothing has now. */
export function groupPermissions(entries: readonly ToolPermissionView[]): PermissionGroup[] {
  const groups = new Map<string, ToolPermissionView[]>();
  for (const entry of entries) {
    const server = entry.isServer ? entry.name : entry.server;
    const title = !entry.isKnown
      ? "Others in your settings"
      : server === null
        ? "Jarvis’s own tools"
        : `Tool server ${server}`;
    groups.set(title, [...(groups.get(title) ?? []), entry]);
  }
  return [...groups].map(([title, entries]) => ({ title, entries }));
}

/** What the user decided, in the order of the list. */
export const decided = (entries: readonly ToolPermissionView[]) => entries.filter(({ chosen }) => chosen !== null);
