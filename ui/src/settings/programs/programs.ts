import type { FieldView } from "../../api/types/FieldView";

/** The setting that holds the keys. They are made and revoked by commands, never typed. */
export const KEYS = "programs.keys";

export const SCOPES = ["ask", "tools", "memory", "audio"] as const;
export type Scope = (typeof SCOPES)[number];

export type Program = { name: string; may: readonly string[] };

/** The programs with a key, in the order of their names. */
export function programsOf(fields: readonly FieldView[]): Program[] {
  const value = fields.find(({ path }) => path === KEYS)?.value;
  const keys =
    typeof value === "object" && value !== null ? Object.entries(value as Record<string, { may?: string[] }>) : [];
  return keys.map(([name, { may = [] }]) => ({ name, may })).sort((one, other) => (one.name < other.name ? -1 : 1));
}

const WORDS: Record<Scope, { label: string; help: string }> = {
  ask: { label: "Ask", help: "Questions and orders, answered by the language model." },
  tools: { label: "Use tools", help: "The tools of Jarvis, such as timers and files." },
  memory: { label: "Read memory", help: "What Jarvis remembers about you." },
  audio: { label: "Hear and speak", help: "Speech to text, and text to speech." },
};

export const scopeWords = (scope: Scope) => WORDS[scope];

/** What a program may do, as one line. */
export function mayWords(may: readonly string[]): string {
  const labels = SCOPES.filter((scope) => may.includes(scope)).map((scope) => WORDS[scope].label.toLowerCase());
  return labels.length === 0 ? "May do nothing" : `May ${labels.join(", ")}`;
}

/** What is wrong with a name; `undefined` if nothing is. */
export function nameError(name: string, programs: readonly Program[]): string | undefined {
  if (name === "") return "Give it a name.";
  if (name.length > 40) return "Use at most 40 letters.";
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return "Use letters from A to Z, digits, - and _.";
  return programs.some((known) => known.name === name)
    ? `There is a program named ${name} already. Choose another name.`
    : undefined;
}
