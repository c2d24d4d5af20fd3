import type { StateName } from "../api/types/StateName";
import { isQuiet } from "../shared/draft";
import { awaitsFollowUp } from "../shared/follow-up";
import { ringLabel } from "../shared/rings";
import { toolName } from "../shared/tools";
import { stageWords } from "../shared/trouble";
import type { OverlayState } from "./state";

/** What the overlay shows: a mark, who speaks, the words, and one thing at the end. */
export type Look = {
  mark: StateName;
  label: string;
  words: string;
  /** How many characters of the words are settled; the rest is drawn faint. */
  settled: number;
  end: "meter" | "stop" | "ring" | "unmute" | "details" | "settle" | "none";
};

export function lookOf(state: OverlayState): Look {
  const fault = state.troubles.at(-1);
  const draft = state.draft?.text ? state.draft : null;

  if (state.failure && isQuiet(state.state)) {
    return look("error", stageWords(state.failure.stage).title, state.failure.what, "details");
  }
  if (state.state === "error" && fault) {
    return look("error", stageWords(fault.stage).title, fault.what, "details");
  }
  if (!state.isReady) {
    return { ...look("idle", "One moment", "Starting the microphone", "none"), settled: 0 };
  }
  if (draft) {
    return { mark: "listening", label: "Listening", words: draft.text, settled: draft.settled, end: "meter" };
  }
  const ring = state.rings.at(-1);
  if (ring) {
    return look("speaking", ringLabel(ring), ring.text, "settle");
  }
  if (state.question !== "") {
    return look(
      "thinking",
      "Jarvis asks",
      state.question,
      awaitsFollowUp(state) || state.followUp.secs !== null ? "ring" : "stop",
    );
  }
  if (awaitsFollowUp(state)) {
    return { ...look("listening", "Still listening", "Anything else?", "ring"), settled: 0 };
  }
  switch (state.state) {
    case "listening":
      return { ...look("listening", "Listening", "Go on", "meter"), settled: 0 };
    case "thinking":
      return look("thinking", "Thinking", toolsUnderWay(state) || state.asked, "stop");
    case "speaking":
      return look("speaking", "Speaking", state.sentence || state.asked, "stop");
    case "error":
      return look("error", "Fault", "Something Jarvis needs does not work.", "details");
    case "muted":
      return look("muted", "Microphone is muted", "Unmute it to talk.", "unmute");
    case "idle":
      return lookOfIdle(state);
  }
}

function toolsUnderWay({ tools }: OverlayState): string {
  const running = tools.filter(({ outcome }) => outcome === null).map(({ tool }) => toolName(tool));
  return running.length === 0 ? "" : `Using: ${running.join(", ")}`;
}

function lookOfIdle({ isMuted, canListen }: OverlayState): Look {
  if (!canListen) return look("muted", "Not listening", "Listen is switched off in the settings.", "details");
  return isMuted
    ? look("muted", "Microphone is muted", "Unmute it to talk.", "unmute")
    : look("idle", "Ready", "Say the name, then ask.", "none");
}

const look = (mark: StateName, label: string, words: string, end: Look["end"]): Look => ({
  mark,
  label,
  words,
  settled: words.length,
  end,
});
