import type { ConversationState } from "./state";

/** Why Jarvis hears nothing; `null` when it does. */
export type MicrophoneUnavailable = "off" | "fault" | "muted" | null;

/** Stages whose trouble keeps speech from being recognised. */
const HEARING_STAGES = ["microphone", "recognition"];

export function whyUnavailable({
  canListen,
  isMuted,
  troubles,
}: Pick<ConversationState, "canListen" | "isMuted" | "troubles">): MicrophoneUnavailable {
  if (!canListen) return "off";
  if (troubles.some(({ stage }) => HEARING_STAGES.includes(stage))) return "fault";
  return isMuted ? "muted" : null;
}

/** The reason as an empty conversation shows it. */
export const UNAVAILABLE_WORDS: Record<Exclude<MicrophoneUnavailable, null>, string> = {
  off: "Listening is switched off in the settings; the replies come all the same.",
  fault: "Jarvis cannot hear you yet; the replies come all the same.",
  muted: "The microphone is muted; the replies come all the same.",
};
