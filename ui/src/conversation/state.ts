import type { AttachmentView } from "../api/types/AttachmentView";
import type { ConversationView } from "../api/types/ConversationView";
import type { MessageView } from "../api/types/MessageView";
import type { QuestionView } from "../api/types/QuestionView";
import type { RingView } from "../api/types/RingView";
import type { Origin } from "../api/types/Origin";
import type { StateName } from "../api/types/StateName";
import type { TraceView } from "../api/types/TraceView";
import type { TroubleView } from "../api/types/TroubleView";
import { NO_FOLLOW_UP, type FollowUp } from "../shared/follow-up";
import { SILENT_DBFS } from "../shared/level";
import type { ToolUse } from "../shared/tools";

export type UserMessage = {
  key: string;
  role: "user";
  text: string;
  at: string;
  origin: Origin | null;
};

export type ReplyMessage = {
  key: string;
  role: "assistant";
  text: string;
  at: string;
  /** The id of the reply in events; `null` for one of an earlier run. */
  reply: number | null;
  /** Its id in the history; `null` for one that came by events. */
  stored: number | null;
  /** How it was made, where events told it. */
  trace: TraceView | null;
  isRunning: boolean;
  /** It ended before it was complete. */
  isCut: boolean;
  trouble: TroubleView | null;
  tools: readonly ToolUse[];
  /** What takes a while, until words come. */
  progress: string;
  /** What did not reach the user as it should. */
  notes: readonly string[];
  attachments: readonly AttachmentView[];
  /** The questions it asked that are settled; the answer is `null` where none was given. */
  questions: readonly { text: string; answer: string | null }[];
};

/** A question that waits for an answer. */
export type Pending = { reply: number; question: QuestionView };

export type Message = UserMessage | ReplyMessage;

/** Messages that are drawn together. A change inside one page leaves the others untouched. */
export type Page = { key: string; messages: readonly Message[] };

/** Words recognised so far. The first `settled` characters no longer change. */
export type Draft = { utterance: number; text: string; settled: number };

/** A language that no installed voice speaks, and the voice to download for it. */
export type MissingVoice = { language: string; download: string | null };

export type ConversationState = {
  name: string;
  state: StateName;
  isReady: boolean;
  isMuted: boolean;
  canListen: boolean;
  talkKey: string;
  troubles: readonly TroubleView[];
  pages: readonly Page[];
  hasEarlier: boolean;
  /** The id of the oldest loaded message; earlier history ends there. */
  oldest: number | null;
  draft: Draft | null;
  dbfs: number;
  followUp: FollowUp;
  /** The sentence that is being spoken. */
  voiced: { reply: number; text: string } | null;
  /** The reply that was spoken last, in whole or in part. */
  lastSpoken: number | null;
  missingVoice: MissingVoice | null;
  question: Pending | null;
  rings: readonly RingView[];
  /** Grows whenever the tool servers may offer something else. */
  serverChanges: number;
};

export const PAGE_LENGTH = 50;

export const EMPTY: ConversationState = {
  name: "Jarvis",
  state: "idle",
  isReady: false,
  isMuted: false,
  canListen: false,
  talkKey: "",
  troubles: [],
  pages: [],
  hasEarlier: false,
  oldest: null,
  draft: null,
  dbfs: SILENT_DBFS,
  followUp: NO_FOLLOW_UP,
  voiced: null,
  lastSpoken: null,
  missingVoice: null,
  question: null,
  rings: [],
  serverChanges: 0,
};

/** A reply before anything of it came. */
export const NEW_REPLY = {
  isRunning: false,
  isCut: false,
  trouble: null,
  tools: [],
  progress: "",
  notes: [],
  attachments: [],
  questions: [],
  stored: null,
  trace: null,
} as const;

export function fromView(view: ConversationView): ConversationState {
  const { messages, question, ...rest } = view;
  const pending = question && { reply: question[0], question: question[1] };
  return { ...EMPTY, ...rest, question: pending, pages: pagesOf(messages), oldest: messages[0]?.id ?? null };
}

/** The state with a page of earlier history put before it. */
export function withEarlier(
  state: ConversationState,
  messages: readonly MessageView[],
  hasEarlier: boolean,
): ConversationState {
  return {
    ...state,
    pages: [...pagesOf(messages), ...state.pages],
    hasEarlier,
    oldest: messages[0]?.id ?? state.oldest,
  };
}

export function allMessages(state: Pick<ConversationState, "pages">): Message[] {
  return state.pages.flatMap(({ messages }) => messages);
}

export function lastMessage(state: Pick<ConversationState, "pages">): Message | null {
  return state.pages.at(-1)?.messages.at(-1) ?? null;
}

function pagesOf(views: readonly MessageView[]): Page[] {
  const pages: Page[] = [];
  for (let start = 0; start < views.length; start += PAGE_LENGTH) {
    const messages = views.slice(start, start + PAGE_LENGTH).map(messageOf);
    pages.push({ key: `page-${messages[0]?.key}`, messages });
  }
  return pages;
}

function messageOf({ id, role, text, at, origin }: MessageView): Message {
  const key = `stored-${id}`;
  return role === "user"
    ? { key, role, text, at, origin }
    : { key, role, text, at, reply: null, ...NEW_REPLY, stored: id };
}
