import type { FieldView } from "../api/types/FieldView";
import type { IconName } from "../shared/icons";

export type Section = { id: string; label: string; icon: IconName };

/** The models have a page of their own, which also shows the fields of that section. */
export const MODELS: Section = { id: "models", label: "Models", icon: "cpu" };

/** Pages without fields. */
export const PERMISSIONS: Section = { id: "permissions", label: "Permissions", icon: "key" };
export const TOOL_LOG: Section = { id: "tool-log", label: "Tool log", icon: "list" };
export const PRIVACY: Section = { id: "privacy", label: "Privacy", icon: "shield" };
export const ABOUT: Section = { id: "about", label: "About", icon: "info" };

/** Fields that the permissions page shows, name by name. */
export const RULES: ReadonlySet<string> = new Set(["tools.allowed", "tools.asked", "tools.denied"]);

export const LOCATION = "location";
export const SOUND = "audio";
export const TOOL_SERVERS = "mcp";
export const ROUTINE_LIST = "routines";
export const PROGRAMS = "programs";

const GROUPS: { label: string; sections: string[] }[] = [
  { label: "General", sections: ["appearance", "keys", "startup"] },
  { label: "Voice", sections: ["audio", "hearing", "listening", "speaking"] },
  { label: "Mind", sections: ["models", "llm", "replying", "memory", "location", "web", "command_center"] },
  { label: "Tools", sections: ["tools", ROUTINE_LIST, PERMISSIONS.id, "mcp", PROGRAMS, TOOL_LOG.id] },
];

const ICONS: Record<string, IconName> = {
  appearance: "monitor",
  keys: "command",
  startup: "power",
  audio: "mic",
  hearing: "ear",
  listening: "message",
  speaking: "volume",
  llm: "brain",
  replying: "pencil",
  memory: "book",
  location: "pin",
  web: "search",
  mcp: "wrench",
  routines: "play",
  programs: "plug",
  command_center: "lightbulb",
};

/**
 * The sections of these fields in groups. An unknown section comes last, so that none is lost. Without fields there
 * are no sections: a list that grows under the pointer would be clicked in the wrong place.
 */
export function groupsOf(fields: readonly FieldView[]): { label: string; sections: Section[] }[] {
  if (fields.length === 0) return [];
  const found = new Map<string, Section>(
    [MODELS, PERMISSIONS, TOOL_LOG, PRIVACY, ABOUT].map((page) => [page.id, page]),
  );
  for (const { section, sectionLabel } of fields) {
    if (!found.has(section))
      found.set(section, { id: section, label: sectionLabel, icon: ICONS[section] ?? "sliders" });
  }
  const known = GROUPS.map(({ label, sections }) => ({
    label,
    sections: sections.flatMap((id) => found.get(id) ?? []),
  }));
  const grouped = new Set([...GROUPS.flatMap(({ sections }) => sections), PRIVACY.id, ABOUT.id]);
  const rest = [...found.values()].filter(({ id }) => !grouped.has(id));
  const last = { label: "Jarvis", sections: [PRIVACY, ABOUT] };
  return [...known, { label: "More", sections: rest }, last].filter(({ sections }) => sections.length > 0);
}
