import type { EventView } from "../api/types/EventView";
import type { RingView } from "../api/types/RingView";

type RingEvent = Extract<EventView, { type: "rang" | "ringSettled" | "rings" }>;

const LABELS = { timer: "Timer", alarm: "Alarm", reminder: "Reminder" } as const;

export const ringLabel = ({ kind, isMissed }: RingView) => (isMissed ? `Missed ${kind}` : LABELS[kind]);

/** What rings after this event, oldest first. */
export function withRing(rings: readonly RingView[], event: RingEvent): readonly RingView[] {
  switch (event.type) {
    case "rang":
      return [...rings.filter(({ appointment }) => appointment !== event.ring.appointment), event.ring];
    case "ringSettled":
      return rings.filter(({ appointment }) => appointment !== event.appointment);
    case "rings":
      return event.rings;
  }
}
