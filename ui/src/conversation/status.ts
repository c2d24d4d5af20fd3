import type { StateName } from "../api/types/StateName";
import { awaitsFollowUp } from "../shared/follow-up";
import { stageWords } from "../shared/trouble";
import type { ConversationState, MissingVoice } from "./state";

export type Status = { mark: StateName; label: string };

/** The pill's shape and words. When several apply, the most urgent is shown. */
export function statusOf(state: ConversationState): Status {
  const fault = state.troubles.at(-1);
  if (state.state === "error") {
    return { mark: "error", label: fault ? stageWords(fault.stage).pill : "Fault" };
  }
  if (!state.isReady) {
    return { mark: "idle", label: "Starting" };
  }
  if (awaitsFollowUp(state)) {
    return { mark: "listening", label: "Still listening" };
  }
  if (state.state === "idle" && state.isMuted) {
    return { mark: "muted", label: "Muted" };
  }
  return { mark: state.state, label: LABELS[state.state] };
}

const LABELS: Record<Exclude<StateName, "error">, string> = {
  idle: "Ready",
  listening: "Listening",
  thinking: "Thinking",
  speaking: "Speaking",
  muted: "Muted",
};

/** Whether words are arriving, so that the composer shows them and the level. */
export function isHearing(state: Pick<ConversationState, "state" | "draft" | "followUp">): boolean {
  const isDrafting = state.draft !== null && state.draft.text !== "";
  return isDrafting || (state.state === "listening" && !awaitsFollowUp(state));
}

/** Whether something is under way that the stop button ends. */
export function canStop(state: ConversationState): boolean {
  return state.state === "thinking" || state.state === "speaking" || isReplying(state);
}

export function isReplying({ pages }: Pick<ConversationState, "pages">): boolean {
  const last = pages.at(-1)?.messages.at(-1);
  return last?.role === "assistant" && last.isRunning;
}

/** Troubles for the banners; the one shown beside the reply that met it is left out. */
export function bannersOf(state: ConversationState) {
  const last = state.pages.at(-1)?.messages.at(-1);
  const shown = last?.role === "assistant" ? last.trouble : null;
  return state.troubles.filter(({ stage, what }) => stage !== shown?.stage || what !== shown.what);
}

const LANGUAGE_NAMES = new Intl.DisplayNames(["en"], { type: "language" });

/** The words of the card about a language without a voice. */
export function missingVoiceWords({ language, download }: MissingVoice): { what: string; download: string } {
  const name = LANGUAGE_NAMES.of(language) ?? language;
  const better = download === null ? "" : " A voice made for it sounds better.";
  return {
    what: `No ${name} voice is installed, so the system's voice reads this answer.${better}`,
    download: `Download a voice for ${name}`,
  };
}
