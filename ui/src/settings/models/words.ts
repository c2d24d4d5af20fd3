import type { ModelStatus } from "../../api/types/ModelStatus";
import type { ModelView } from "../../api/types/ModelView";
import { bytesWords, percentOf, secondsWords } from "../../shared/format";

export type ModelGroup = { id: string; title: string; purpose: string; models: ModelView[] };

const GROUPS: { id: string; title: string; purpose: string; takes: ModelView["purpose"][] }[] = [
  { id: "language", title: "Language", purpose: "Understands you and writes the replies.", takes: ["language"] },
  {
    id: "hearing",
    title: "Hearing",
    purpose: "Tells speech from noise, turns it into words, and hears when you have finished.",
    takes: ["speech", "voice_activity", "keyword_spotting", "endpoint", "speaker"],
  },
  { id: "speaking", title: "Speaking", purpose: "Reads replies aloud.", takes: ["voice"] },
  { id: "other", title: "Other", purpose: "What the models above need to run.", takes: ["embedding", "runtime"] },
];

export function groupModels(models: readonly ModelView[]): ModelGroup[] {
  return GROUPS.map(({ takes, ...group }) => ({
    ...group,
    models: models.filter(({ purpose }) => takes.includes(purpose)),
  })).filter((group) => group.models.length > 0);
}

/** How far a download is, and at what pace. */
export function progressWords(status: ModelStatus): string[] {
  switch (status.type) {
    case "downloading": {
      const amount = `${bytesWords(status.bytes)} of ${bytesWords(status.total)}`;
      if (status.bytesPerSec <= 0) return [amount, "waiting for the first bytes"];
      const left = (status.total - status.bytes) / status.bytesPerSec;
      return [amount, `${bytesWords(status.bytesPerSec)} a second`, `about ${secondsWords(left)} left`];
    }
    case "paused":
      return [`${bytesWords(status.bytes)} of ${bytesWords(status.total)} kept`];
    default:
      return [];
  }
}

export function progressOf(status: ModelStatus): number | null {
  return status.type === "downloading" || status.type === "paused" ? percentOf(status.bytes, status.total) : null;
}

const STEPS = [25, 50, 75];

/** What to announce when a model went from one status to the next: each quarter, and the end. */
export function progressAnnouncement(before: ModelView | undefined, now: ModelView): string {
  const wasUnderWay = before?.status.type === "downloading" || before?.status.type === "checking";
  if (wasUnderWay && (now.status.type === "ready" || now.status.type === "inUse")) {
    return `${now.name}: 100 % downloaded and checked.`;
  }
  if (wasUnderWay && now.status.type === "failed") {
    return `${now.name}: ${now.status.what} ${now.status.remedy}`;
  }
  if (before?.status.type !== "downloading" || now.status.type !== "downloading") {
    return "";
  }
  return quarterAnnouncement(now.name, progressOf(before.status), progressOf(now.status), "downloaded");
}

/** What to announce when a share in per cent rose beyond a quarter. */
export function quarterAnnouncement(name: string, from: number | null, to: number | null, done: string): string {
  const step = STEPS.findLast((candidate) => (from ?? 0) < candidate && (to ?? 0) >= candidate);
  return step === undefined ? "" : `${name}: ${step} % ${done}.`;
}

/** A licence by its usual name; one without such a name is read on a page of its own. */
export const licenceWords = (licence: string): string =>
  licence.startsWith("https://") ? `licence: ${new URL(licence).hostname}` : licence;
