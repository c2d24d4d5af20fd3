import type { EventView } from "../../api/types/EventView";
import { settledLength } from "../../shared/draft";
import { SILENT_DBFS } from "../../shared/level";

/** Words that were understood, and whether Jarvis itself had said them. */
export type Heard = { text: string; isEcho: boolean };

/** A test of the microphone: what was heard since it started. */
export type Trial = {
  isRunning: boolean;
  draft: { utterance: number; text: string; settled: number } | null;
  /** The newest last. */
  heard: readonly Heard[];
  loudestDbfs: number;
};

export const NO_TRIAL: Trial = { isRunning: false, draft: null, heard: [], loudestDbfs: SILENT_DBFS };

/** A quiet room lies below; a voice at arm's length well above. */
export const SILENCE_DBFS = -50;

/** More lines than this are not read. */
const MOST_HEARD = 4;

export const begun = (): Trial => ({ ...NO_TRIAL, isRunning: true });
export const ended = (trial: Trial): Trial => ({ ...trial, isRunning: false, draft: null });

export function withEvent(trial: Trial, event: EventView): Trial {
  if (!trial.isRunning) return trial;
  switch (event.type) {
    case "level":
      return { ...trial, loudestDbfs: Math.max(trial.loudestDbfs, event.dbfs) };
    case "partial": {
      const before = trial.draft?.utterance === event.utterance ? trial.draft.text : "";
      return {
        ...trial,
        draft: { utterance: event.utterance, text: event.text, settled: settledLength(before, event.text) },
      };
    }
    case "overheard":
      return {
        ...withHeard(trial, event.text, event.isEcho),
        draft: trial.draft?.utterance === event.utterance ? null : trial.draft,
      };
    case "asked":
      return event.origin === "voice" ? { ...withHeard(trial, event.text, false), draft: null } : trial;
    default:
      return trial;
  }
}

function withHeard(trial: Trial, text: string, isEcho: boolean): Trial {
  return text.trim() === "" ? trial : { ...trial, heard: [...trial.heard, { text, isEcho }].slice(-MOST_HEARD) };
}

/** The text of the test. */
export function trialWords({ isRunning, heard, loudestDbfs }: Trial, isLong: boolean): string {
  const isSilent = loudestDbfs <= SILENCE_DBFS;
  if (isLong && isSilent) return "Nothing is heard. Is the right microphone chosen, and not muted in the system?";
  if (heard.length > 0) return isRunning ? "" : "The microphone works.";
  if (isRunning) return "Say something.";
  return isSilent ? "" : "No words were understood. Try again, a little closer.";
}
