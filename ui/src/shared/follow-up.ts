import type { EventView } from "../api/types/EventView";
import type { StateName } from "../api/types/StateName";

/** The moments after a spoken reply in which no name is needed. */
export type FollowUp = {
  /** The voice has ended, so the next hot window is for a follow-up. */
  isDue: boolean;
  /** How long the open hot window lasts; `null` while none is open. */
  secs: number | null;
};

export const NO_FOLLOW_UP: FollowUp = { isDue: false, secs: null };

/** The talk key and the name alone open the window too, but then there is no reply to follow up. */
export function withFollowUp(followUp: FollowUp, event: EventView): FollowUp {
  switch (event.type) {
    case "speechEnded":
      return { ...followUp, isDue: true };
    case "hotWindow":
      return { isDue: false, secs: event.isOpen && (followUp.isDue || followUp.secs !== null) ? event.secs : null };
    case "asked":
      return NO_FOLLOW_UP;
    default:
      return followUp;
  }
}

type Goings = { state: StateName; draft: { text: string } | null; followUp: FollowUp };

/** Whether Jarvis waits for a follow-up that has not started yet. */
export function awaitsFollowUp({ state, draft, followUp }: Goings): boolean {
  return state === "listening" && followUp.secs !== null && !draft?.text;
}
