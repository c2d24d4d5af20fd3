import type { FieldView } from "../../api/types/FieldView";

/** The setting that holds the routines. */
export const ROUTINES = "routines.list";

export type Routine = { phrases: readonly string[]; commands: readonly string[] };
export type Routines = Readonly<Record<string, Routine>>;

/** The settings check the value before it comes here. */
export const routinesOf = (fields: readonly FieldView[]): Routines =>
  (fields.find(({ path }) => path === ROUTINES)?.value ?? {}) as Routines;

export function without(routines: Routines, name: string): Routines {
  const { [name]: _, ...others } = routines;
  return others;
}

/** What is typed to add or change a routine: phrases and commands have a line each. */
export type Draft = { name: string; phrases: string; commands: string };
export const EMPTY_DRAFT: Draft = { name: "", phrases: "", commands: "" };

export const draftOf = (name: string, { phrases, commands }: Routine): Draft => ({
  name,
  phrases: phrases.join("\n"),
  commands: commands.join("\n"),
});

export type DraftErrors = Partial<Record<keyof Draft, string | undefined>>;

const MAX_NAME_LETTERS = 40;
const MAX_COMMANDS = 20;

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The routine that a draft describes, or what is wrong with it. `changed` is the name of the routine that is changed. */
export function readDraft(
  draft: Draft,
  routines: Routines,
  changed?: string,
): { routine: Routine } | { errors: DraftErrors } {
  const [name, phrases, commands] = [draft.name.trim(), linesOf(draft.phrases), linesOf(draft.commands)];
  const errors: DraftErrors = {};
  if (name === "") errors.name = "Give it a name.";
  else if (name.length > MAX_NAME_LETTERS) errors.name = `Use at most ${MAX_NAME_LETTERS} letters.`;
  else if (name !== changed && name in routines)
    errors.name = `There is a routine named ${name} already. Choose another name.`;
  if (phrases.length === 0) errors.phrases = "Write what you will say.";
  else errors.phrases = wordless(phrases) ?? taken(phrases, without(routines, changed ?? ""));
  if (commands.length === 0) errors.commands = "Write what Jarvis shall do.";
  else if (commands.length > MAX_COMMANDS) errors.commands = `Use at most ${MAX_COMMANDS} lines.`;
  else errors.commands = wordless(commands);
  return Object.values(errors).some((error) => error !== undefined) ? { errors } : { routine: { phrases, commands } };
}

function wordless(lines: readonly string[]): string | undefined {
  const line = lines.find((text) => !/[\p{L}\p{N}]/u.test(text));
  return line === undefined ? undefined : `“${line}” has no words.`;
}

function taken(phrases: readonly string[], others: Routines): string | undefined {
  const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  for (const [name, routine] of Object.entries(others)) {
    const phrase = phrases.find((text) => routine.phrases.some((other) => same(text, other)));
    if (phrase !== undefined) return `“${phrase}” starts ${name} already.`;
  }
  return undefined;
}
