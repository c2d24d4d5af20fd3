import type { EventView } from "../api/types/EventView";
import type { StateName } from "../api/types/StateName";

/** The moments after a spoken reply in which no name is needed. */
export type FollowUp = {
  /** The voice has ended, so the next window to open waits for a follow-up. */
  isDue: boolean;
  /** How long the window that is open lasts; `null` while none is. */
  secs: number | null;
};

export const NO_FOLLOW_UP: FollowUp = { isDue: false, secs: null };

/** The talk key and a bare name open the window too, but then nothing was said yet that could be followed up. */
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

/** A follow-up is waited for, and nobody has begun one yet. */
export function awaitsFollowUp({ state, draft, followUp }: Goings): boolean {
  return state === "listening" && followUp.secs !== null && !draft?.text;
}
