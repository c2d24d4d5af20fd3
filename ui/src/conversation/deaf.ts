import type { ConversationState } from "./state";

/** Why no voice reaches Jarvis; `null` when one does. */
export type Deaf = "off" | "fault" | "muted" | null;

/** Parts without which nothing is heard, or nothing understood. */
const EARS = ["microphone", "recognition"];

export function whyDeaf({ canListen, isMuted, troubles }: Pick<ConversationState, "canListen" | "isMuted" | "troubles">): Deaf {
  if (!canListen) return "off";
  if (troubles.some(({ stage }) => EARS.includes(stage))) return "fault";
  return isMuted ? "muted" : null;
}

/** What an empty conversation says of it. */
export const DEAF_WORDS: Record<Exclude<Deaf, null>, string> = {
  off: "Listening is switched off in the settings; the replies come all the same.",
  fault: "Jarvis cannot hear you yet; the replies come all the same.",
  muted: "The microphone is muted; the replies come all the same.",
};
