import type { CommandError } from "./types/CommandError";

export function isCommandError(error: unknown): error is CommandError {
  return typeof error === "object" && error !== null && "message" in error && typeof error.message === "string";
}

/** What to tell people when a command was refused. */
export function sentenceOf(error: unknown): string {
  return isCommandError(error) ? error.message : String(error);
}
