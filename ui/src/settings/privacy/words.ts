import type { ContactView } from "../../api/types/ContactView";
import type { HostPurpose } from "../../api/types/HostPurpose";

const PURPOSES: Record<HostPurpose, string> = {
  modelDownload: "downloading a model",
  languageModel: "language model",
  embedding: "finding by meaning",
  providerSearch: "looking for language-model servers",
  webSearch: "searching the web",
  webPage: "reading a page",
  weather: "the weather",
  toolServer: "a tool server",
  commandCenter: "the Command Center",
  satellite: "a satellite in another room",
  other: "other",
};

/** What a host was contacted for, how often, and by which way. */
export function contactWords({ purpose, times, isProxied }: ContactView): string {
  const often = times === 1 ? "once" : `${times} times`;
  return [PURPOSES[purpose], often, ...(isProxied ? ["through your system’s proxy"] : [])].join(", ");
}

/** Hosts elsewhere first: those are what people look for here. */
export function groupContacts(contacts: readonly ContactView[]): { title: string; contacts: ContactView[] }[] {
  return [
    { title: "Other computers", contacts: contacts.filter(({ isThisComputer }) => !isThisComputer) },
    { title: "This computer", contacts: contacts.filter(({ isThisComputer }) => isThisComputer) },
  ].filter(({ contacts }) => contacts.length > 0);
}

/** When, in the words of this system. Today has no date. */
export function whenWords(last: string, now: Date): string {
  const at = new Date(last);
  const isToday = at.toDateString() === now.toDateString();
  return at.toLocaleString(undefined, isToday ? { timeStyle: "medium" } : { dateStyle: "medium", timeStyle: "short" });
}
