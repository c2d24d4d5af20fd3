import entries from "./catalogue.json";
import type { Servers, ServerSettings } from "./servers";

/** Something that has to be known before a server can be added. */
export type Question = { key: string; label: string; example?: string; isSecret?: boolean };

/** A server that is offered, at one version. `{key}` stands for the answer to a question. */
export type CatalogueEntry = {
  name: string;
  title: string;
  about: string;
  /** What it may do, in sentences without a full stop. */
  may: readonly string[];
  /** The program that must be installed. */
  needs: "node" | "uv";
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  questions?: readonly Question[];
};

export const CATALOGUE = entries as readonly CatalogueEntry[];

export const NEEDS: Record<CatalogueEntry["needs"], string> = { node: "Node (npx)", uv: "uv (uvx)" };

export type Answers = Readonly<Record<string, string>>;
export type Secret = { name: string; value: string };

/** The first key without an answer. */
export const unanswered = ({ questions = [] }: CatalogueEntry, answers: Answers): string | undefined =>
  questions.find(({ key }) => (answers[key] ?? "").trim() === "")?.key;

/** A name for the server that no other one has. */
export function freeName({ name }: CatalogueEntry, servers: Servers): string {
  let free = name;
  for (let number = 2; free in servers; number += 1) free = `${name}-${number}`;
  return free;
}

/** The server with the answers filled in, and the secrets to store before it is added. */
export function fromCatalogue(
  entry: CatalogueEntry,
  name: string,
  answers: Answers,
): { server: ServerSettings; secrets: Secret[] } {
  const questions = entry.questions ?? [];
  const secretOf = (key: string) => `${name}.${key}`;
  const value = ({ key, isSecret }: Question) =>
    isSecret ? `\${secret:${secretOf(key)}}` : (answers[key] ?? "").trim();
  // At once: an answer that contains braces is not filled again.
  const filled = (text: string) =>
    text.replace(/\{(\w+)\}/g, (whole, key: string) => {
      const question = questions.find((question) => question.key === key);
      return question ? value(question) : whole;
    });
  const env = Object.fromEntries(Object.entries(entry.env ?? {}).map(([name, text]) => [name, filled(text)]));
  const server = { command: entry.command, args: entry.args.map(filled), ...(entry.env ? { env } : {}) };
  const secrets = questions
    .filter(({ isSecret }) => isSecret)
    .map(({ key }) => ({ name: secretOf(key), value: (answers[key] ?? "").trim() }));
  return { server, secrets };
}
