import type { FieldView } from "../../api/types/FieldView";
import { splitCommand } from "./command-line";

/** The setting that names the tool servers. */
export const SERVERS = "mcp.servers";

/** A tool server in the settings. What is absent has its default. */
export type ServerSettings = {
  enabled?: boolean;
  /** It may ask the language model, each time with the consent of the user. */
  sampling?: boolean;
  command?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  url?: string;
  headers?: Readonly<Record<string, string>>;
  /** The id under which the server knows Jarvis, or the address of a document that describes it. */
  client_id?: string;
  client_secret?: string;
};
export type Servers = Readonly<Record<string, ServerSettings>>;

/** The settings check the value before it comes here. */
export const serversOf = (fields: readonly FieldView[]): Servers =>
  (fields.find(({ path }) => path === SERVERS)?.value ?? {}) as Servers;

export const isOn = ({ enabled }: ServerSettings): boolean => enabled !== false;

export const withServer = (servers: Servers, name: string, server: ServerSettings): Servers => ({
  ...servers,
  [name]: server,
});

export function withSwitch(servers: Servers, name: string, enabled: boolean): Servers {
  const server = servers[name];
  return server ? withServer(servers, name, { ...server, enabled }) : servers;
}

export function withSampling(servers: Servers, name: string, sampling: boolean): Servers {
  const server = servers[name];
  return server ? withServer(servers, name, { ...server, sampling }) : servers;
}

/** The server with another sign-in client; an empty one is none. */
export function withClient(servers: Servers, name: string, clientId: string): Servers {
  const { client_id: _, ...server } = servers[name] ?? {};
  if (!(name in servers)) return servers;
  return withServer(servers, name, clientId === "" ? server : { ...server, client_id: clientId });
}

export function without(servers: Servers, name: string): Servers {
  const { [name]: _, ...others } = servers;
  return others;
}

/** What is typed to add a server. */
export type Draft = { name: string; target: string; extras: string; clientId: string; clientSecret: string };
export const EMPTY_DRAFT: Draft = { name: "", target: "", extras: "", clientId: "", clientSecret: "" };

export type DraftErrors = Partial<Record<keyof Draft, string>>;

const MAX_NAME_LETTERS = 40;

/** The beginning of an address; everything else is a command. */
export const isAddress = (target: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(target.trim());

/** The server that a draft describes, or what is wrong with it. */
export function readDraft(draft: Draft, servers: Servers): { server: ServerSettings } | { errors: DraftErrors } {
  const name = nameError(draft.name.trim(), servers);
  const target = isAddress(draft.target) ? readAddress(draft.target.trim()) : readCommand(draft.target);
  const extras = readExtras(draft.extras, isAddress(draft.target) ? ":" : "=");
  const client = isAddress(draft.target) ? readClient(draft) : { values: {} };
  const errors: DraftErrors = {
    ...(name === "" ? {} : { name }),
    ...("error" in target ? { target: target.error } : {}),
    ...("error" in extras ? { extras: extras.error } : {}),
    ...("error" in client ? { clientSecret: client.error } : {}),
  };
  if ("error" in target || "error" in extras || "error" in client || name !== "") return { errors };
  const server = { ...target.server, ...client.values };
  if (Object.keys(extras.values).length === 0) return { server };
  return { server: { ...server, [isAddress(draft.target) ? "headers" : "env"]: extras.values } };
}

function readClient({
  clientId,
  clientSecret,
}: Draft): { values: Pick<ServerSettings, "client_id" | "client_secret"> } | { error: string } {
  const [id, secret] = [clientId.trim(), clientSecret.trim()];
  if (id === "") return secret === "" ? { values: {} } : { error: "Type the client ID that belongs to it." };
  return { values: { client_id: id, ...(secret === "" ? {} : { client_secret: secret }) } };
}

/** The names of tools begin with it, so it has the letters that those may have. */
function nameError(name: string, servers: Servers): string {
  if (name === "") return "Give it a name.";
  if (name in servers) return `There is a server named ${name} already. Choose another name.`;
  if (name.length > MAX_NAME_LETTERS) return `Use at most ${MAX_NAME_LETTERS} letters.`;
  return /^[a-z0-9-]+(_[a-z0-9-]+)*$/i.test(name)
    ? ""
    : "Use letters from A to Z, digits, - and single _ between them.";
}

type Target = { server: ServerSettings } | { error: string };

function readAddress(url: string): Target {
  const scheme = URL.canParse(url) ? new URL(url).protocol : "";
  const fits = scheme === "http:" || scheme === "https:";
  return fits ? { server: { url } } : { error: "That is no address. Use one such as https://example.org/mcp." };
}

function readCommand(line: string): Target {
  const pieces = splitCommand(line);
  if (pieces === null) return { error: "A quote is not closed." };
  const [command = "", ...args] = pieces;
  if (command.trim() === "") return { error: "Type a command or an address." };
  if (/^\w+=/.test(command)) return { error: `${command} is a variable. Write it below, and the program here.` };
  return { server: args.length > 0 ? { command, args } : { command } };
}

function readExtras(text: string, sign: string): { values: Record<string, string> } | { error: string } {
  const values: Record<string, string> = {};
  for (const line of text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")) {
    const at = line.indexOf(sign);
    const name = line.slice(0, Math.max(at, 0)).trim();
    // The line itself may be a secret, so it is not repeated.
    if (name === "" || /\s/.test(name)) return { error: `Each line needs a name, then ${sign} and a value.` };
    values[name] = line.slice(at + 1).trim();
  }
  return { values };
}
