import type { FieldView } from "../api/types/FieldView";

const CHOICES: Record<string, string> = {
  auto: "Automatic",
  openai: "A server like OpenAI’s",
  embedded: "Jarvis itself",
  newest_message: "With the question",
  system_top: "At the start",
  local: "With its own model",
  provider: "With the provider",
};

/** A stored choice as people read it. One without words of its own keeps its name: `more` becomes "More". */
export function choiceLabel(choice: string): string {
  const known = CHOICES[choice];
  if (known !== undefined) return known;
  const words = choice.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value in words, for the reset button. */
export function valueWords({ kind, defaultValue }: Pick<FieldView, "kind" | "defaultValue">): string {
  switch (kind.type) {
    case "toggle":
      return defaultValue === true ? "on" : "off";
    case "whole":
    case "number":
      return `${String(defaultValue)} ${kind.unit}`.trim();
    case "choice":
      return choiceLabel(String(defaultValue));
    case "words":
      return Array.isArray(defaultValue) && defaultValue.length > 0 ? defaultValue.join(", ") : "nothing";
    default:
      return defaultValue === "" ? "the usual" : String(defaultValue);
  }
}

/** How many settings were found. */
export function foundWords(count: number, query: string, total: number): string {
  if (count === 0) return `Nothing about “${query}” in ${total} settings.`;
  return count === 1 ? `1 setting about “${query}”.` : `${count} settings about “${query}”.`;
}
