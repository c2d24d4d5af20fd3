import type { PullStatus } from "../../api/types/PullStatus";
import type { PullView } from "../../api/types/PullView";
import { progressWords, quarterAnnouncement } from "./words";

export const isUnderWay = ({ type }: PullStatus) =>
  type === "lookingUp" || type === "downloading" || type === "checking";

export const isSamePull = (one: PullView, other: PullView) =>
  one.model === other.model && one.address === other.address;

/** The text beside a pull. */
export function pullWords(status: PullStatus): string[] {
  switch (status.type) {
    case "lookingUp":
      return ["Looking it up"];
    case "downloading":
      return progressWords(status);
    case "checking":
      return ["Checking"];
    case "done":
      return ["Pulled. It can be chosen above."];
    case "cancelled":
      return [];
    case "failed":
      return [`${status.what} ${status.remedy}`];
  }
}

/** The share for the bar; `null` while it is unknown. */
export const pullPercent = (status: PullStatus): number | null =>
  status.type === "downloading" ? status.percent : null;

/** What to announce when a pull went from one status to the next: each quarter, and the end. One that is new may have ended. */
export function pullAnnouncement(before: PullView | undefined, now: PullView): string {
  if (!isUnderWay(now.status) && before?.status.type === now.status.type) return "";
  if (now.status.type === "done") return `${now.model} was pulled.`;
  if (now.status.type === "failed") return `${now.model}: ${now.status.what} ${now.status.remedy}`;
  const from = before ? pullPercent(before.status) : null;
  return quarterAnnouncement(now.model, from, pullPercent(now.status), "pulled");
}

/** The pulls after one of them got further. One that was cancelled is gone, and so is what ended before on this server. */
export function withPull(pulls: readonly PullView[], pull: PullView): PullView[] {
  const others = pulls.filter(
    (known) => !isSamePull(known, pull) && (known.address !== pull.address || isUnderWay(known.status)),
  );
  if (pull.status.type === "cancelled") return others;
  const at = pulls.findIndex((known) => isSamePull(known, pull));
  return at < 0 ? [...others, pull] : [...others.slice(0, at), pull, ...others.slice(at)];
}

/** The pulls of a new list. Lists leave out what is done, which is told until the next pull. */
export const withListed = (known: readonly PullView[], listed: readonly PullView[]): PullView[] => [
  ...listed,
  ...known.filter((pull) => pull.status.type === "done" && !listed.some((other) => other.address === pull.address)),
];
