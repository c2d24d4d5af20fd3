import * as api from "../api";
import type { EventView } from "../api/types/EventView";
import { rememberAppearance, rememberAppearanceIn } from "./theme";

/** Hidden windows draw no frames; their events are applied at this interval. */
const HIDDEN_MS = 250;

type ApplyEvents<State> = (state: State, events: readonly EventView[]) => State;

/**
 * The state of a window: a snapshot, and the events since. Events are applied at most once a frame,
 * so a fast reply costs one redraw however many pieces it came in.
 */
export class Feed<State> {
  current = $state.raw() as State;
  readonly #applyEvents: ApplyEvents<State>;
  #waiting: EventView[] = [];
  #isScheduled = false;
  #isOpen = false;

  constructor(initial: State, applyEvents: ApplyEvents<State>) {
    this.current = initial;
    this.#applyEvents = applyEvents;
  }

  /** Subscribes before it loads, so that no event is missed in between. */
  async open(load: () => Promise<State>): Promise<void> {
    await api.subscribe((events) => {
      rememberAppearanceIn(events);
      this.#waiting.push(...events);
      this.#schedule();
    });
    try {
      this.current = await load();
    } finally {
      this.#isOpen = true;
      this.#schedule();
    }
    rememberAppearance((await api.settings()).fields);
  }

  update(change: (state: State) => State): void {
    this.current = change(this.current);
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#isOpen) return;
    this.#isScheduled = true;
    const frame = requestAnimationFrame(() => this.#takeIn(frame, timer));
    const timer = setTimeout(() => this.#takeIn(frame, timer), HIDDEN_MS);
  }

  #takeIn(frame: number, timer: ReturnType<typeof setTimeout>): void {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    const events = this.#waiting;
    this.#waiting = [];
    this.#isScheduled = false;
    this.current = this.#applyEvents(this.current, events);
  }
}
