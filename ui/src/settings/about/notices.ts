/** The notices that `cargo xtask notices` writes, packed in with the pages. */
export type Notice = { kind: string; name: string; version: string; licence: string; texts: number[] };
export type Notices = { components: Notice[]; texts: string[] };
/** As they are written: a column for each field. Texts name their paragraphs by number, because many share most of them. */
export type NoticesFile = {
  kinds: string[];
  names: string[];
  versions: string[];
  licences: string[];
  texts_of: number[][];
  texts: number[][];
  paragraphs: string[];
};

export function fromFile(file: NoticesFile): Notices {
  return {
    components: file.texts_of.map((texts, row) => ({
      kind: file.kinds[row] ?? "",
      name: file.names[row] ?? "",
      version: file.versions[row] ?? "",
      licence: file.licences[row] ?? "",
      texts,
    })),
    texts: file.texts.map((text) => text.map((number) => file.paragraphs[number]).join("\n\n")),
  };
}

/** @throws when the file is not there or is not what it should be. */
export async function loadNotices(): Promise<Notices> {
  const response = await fetch("/notices.json");
  if (!response.ok) throw new Error(`The notices could not be read (${response.status}). Install Jarvis again.`);
  return fromFile((await response.json()) as NoticesFile);
}

export type NoticeGroup = { kind: string; title: string; notices: Notice[] };

const TITLES: [kind: string, title: string][] = [
  ["model", "Models, downloaded on request"],
  ["library", "Libraries"],
  ["data", "Data and pictures"],
  ["package", "Packages of the windows"],
  ["crate", "Rust crates"],
  ["system", "Used of your system, not part of Jarvis"],
];

/** The notices by what they are about, those that people ask for first. A new kind comes last, so that none is lost. */
export function groupNotices(notices: readonly Notice[]): NoticeGroup[] {
  const known = new Set(TITLES.map(([kind]) => kind));
  const groups = TITLES.map(([kind, title]) => ({
    kind,
    title,
    notices: notices.filter((notice) => notice.kind === kind),
  }));
  const rest = { kind: "other", title: "Other", notices: notices.filter(({ kind }) => !known.has(kind)) };
  return [...groups, rest].filter(({ notices }) => notices.length > 0);
}

/** Name and version. */
export const noticeName = ({ name, version }: Notice): string => `${name} ${version}`.trim();
