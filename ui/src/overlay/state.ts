import type { EventView } from "../api/types/EventView";
import type { RingView } from "../api/types/RingView";
import type { StateName } from "../api/types/StateName";
import type { StatusView } from "../api/types/StatusView";
import type { TroubleView } from "../api/types/TroubleView";
import { isQuiet, settledLength } from "../shared/draft";
import { NO_FOLLOW_UP, withFollowUp, type FollowUp } from "../shared/follow-up";
import { SILENT_DBFS } from "../shared/level";
import { withRing } from "../shared/rings";
import { withFinished, withStarted, type ToolUse } from "../shared/tools";
import { withTrouble, withoutStage } from "../shared/trouble";

export type OverlayState = {
  state: StateName;
  isReady: boolean;
  isMuted: boolean;
  canListen: boolean;
  troubles: readonly TroubleView[];
  draft: { utterance: number; text: string; settled: number } | null;
  /** The question that is being answered. */
  asked: string;
  /** The sentence that is being spoken. */
  sentence: string;
  dbfs: number;
  followUp: FollowUp;
  /** What went wrong with the last reply, or with a button: until something else happens. */
  failure: TroubleView | null;
  /** The question that waits for an answer, with its options. */
  question: string;
  /** The tool calls of the reply under way. */
  tools: readonly ToolUse[];
  rings: readonly RingView[];
};

export const EMPTY: OverlayState = {
  state: "idle",
  isReady: false,
  isMuted: false,
  canListen: true,
  troubles: [],
  draft: null,
  asked: "",
  sentence: "",
  dbfs: SILENT_DBFS,
  followUp: NO_FOLLOW_UP,
  failure: null,
  question: "",
  tools: [],
  rings: [],
};

export const fromView = (view: StatusView): OverlayState => ({ ...EMPTY, ...view, isReady: true });

/** The state of the overlay after these events. */
export function applyEvents(state: OverlayState, events: readonly EventView[]): OverlayState {
  return events.reduce(applyEvent, state);
}

function applyEvent(state: OverlayState, event: EventView): OverlayState {
  switch (event.type) {
    case "state":
      return isQuiet(event.state)
        ? { ...state, state: event.state, draft: null }
        : { ...state, state: event.state, failure: null };
    case "setting":
      return event.path === "listening.enabled" ? { ...state, canListen: event.value === true } : state;
    case "ready":
      return { ...state, isReady: true };
    case "muted":
      return { ...state, isMuted: event.isMuted, failure: null };
    case "level":
      return { ...state, dbfs: event.dbfs };
    case "partial": {
      const before = state.draft?.utterance === event.utterance ? state.draft.text : "";
      return {
        ...state,
        draft: { utterance: event.utterance, text: event.text, settled: settledLength(before, event.text) },
      };
    }
    case "overheard":
      return { ...state, draft: state.draft?.utterance === event.utterance ? null : state.draft };
    case "asked":
      return {
        ...state,
        draft: null,
        asked: event.text,
        sentence: "",
        question: "",
        tools: [],
        followUp: NO_FOLLOW_UP,
        failure: null,
      };
    case "toolStarted":
      return { ...state, tools: withStarted(state.tools, event.call, event.tool) };
    case "toolFinished":
      return { ...state, tools: withFinished(state.tools, event.call, event.outcome) };
    case "question": {
      const { text, options } = event.question;
      return { ...state, question: options.length === 0 ? text : `${text} (${options.join(" / ")})` };
    }
    case "answered":
    case "questionSettled":
      return { ...state, question: "" };
    case "done":
      return { ...state, question: "", tools: [] };
    case "rang":
    case "ringSettled":
    case "rings":
      return { ...state, rings: withRing(state.rings, event) };
    case "sentence":
      return { ...state, sentence: event.text };
    case "hotWindow":
    case "speechEnded":
      return { ...state, followUp: withFollowUp(state.followUp, event) };
    case "failed":
      return withFailure(state, event.trouble);
    case "trouble":
      return { ...state, troubles: withTrouble(state.troubles, event.trouble) };
    case "recovered":
      return {
        ...state,
        troubles: withoutStage(state.troubles, event.stage),
        failure: state.failure?.stage === event.stage ? null : state.failure,
      };
    default:
      return state;
  }
}

/** The state with a passing error, or without it once it was read. */
export const withFailure = (state: OverlayState, failure: TroubleView | null): OverlayState => ({ ...state, failure });
