import type { ServerPromptView } from "../api/types/ServerPromptView";

/** What is typed to use a prompt of a server. */
export const commandOf = ({ server, name }: ServerPromptView): string => `/${server}:${name}`;

/** The prompts that the text can become. None when it leaves no choice: it is a whole command, or no command. */
export function promptsFor(prompts: readonly ServerPromptView[], text: string): readonly ServerPromptView[] {
  if (!text.startsWith("/")) return [];
  const typed = text.slice(1).toLowerCase();
  const fitting = prompts.filter((prompt) => commandOf(prompt).toLowerCase().includes(typed));
  return fitting.some((prompt) => fitting.length > 1 || commandOf(prompt) !== text) ? fitting : [];
}

/** The prompt that the text begins with. Names may have spaces, so the longest one counts. */
export const promptIn = (prompts: readonly ServerPromptView[], text: string): ServerPromptView | undefined =>
  prompts
    .filter((prompt) => `${text} `.startsWith(`${commandOf(prompt)} `))
    .sort((one, other) => other.name.length - one.name.length)[0];

/** The values that a prompt takes; empty if it takes none. Each name is isolated: it may be written from right to left. */
export const argumentWords = (prompt: ServerPromptView | undefined): string =>
  (prompt?.arguments ?? [])
    .map(({ name, isRequired }) => `\u2068${name}\u2069${isRequired ? "" : " (optional)"}`)
    .join(", ");
