import type { EventView } from "../api/types/EventView";
import { withTrouble, withoutStage } from "../shared/trouble";
import { isQuiet, settledLength } from "../shared/draft";
import { NO_FOLLOW_UP, withFollowUp } from "../shared/follow-up";
import { withRing } from "../shared/rings";
import { withFinished, withStarted } from "../shared/tools";
import { lastMessage, NEW_REPLY, PAGE_LENGTH, type ConversationState, type Message, type ReplyMessage } from "./state";

/** The state of the conversation after these events. Every change of state goes through here. */
export function applyEvents(state: ConversationState, events: readonly EventView[]): ConversationState {
  return events.reduce(applyEvent, state);
}

function applyEvent(state: ConversationState, event: EventView): ConversationState {
  switch (event.type) {
    case "state":
      return {
        ...state,
        state: event.state,
        voiced: event.state === "speaking" ? state.voiced : null,
        draft: isQuiet(event.state) ? null : state.draft,
      };
    case "ready":
      return { ...state, isReady: true };
    case "muted":
      return { ...state, isMuted: event.isMuted, draft: event.isMuted ? null : state.draft };
    case "level":
      return { ...state, dbfs: event.dbfs };
    case "partial":
      return { ...state, draft: draftOf(state, event) };
    case "overheard":
      return { ...state, draft: state.draft?.utterance === event.utterance ? null : state.draft };
    case "asked":
      return asked(state, event);
    case "delta":
      return changeReply(state, event.reply, (reply) => ({ ...reply, text: reply.text + event.text, progress: "" }));
    case "progress":
      return changeReply(state, event.reply, (reply) => ({ ...reply, progress: event.text }));
    case "note":
      return changeReply(state, event.reply, (reply) => ({ ...reply, notes: [...reply.notes, event.text] }));
    case "toolStarted":
      return changeReply(state, event.reply, (reply) => ({
        ...reply,
        tools: withStarted(reply.tools, event.call, event.tool),
      }));
    case "toolFinished":
      return changeReply(state, event.reply, (reply) => ({
        ...reply,
        tools: withFinished(reply.tools, event.call, event.outcome),
        progress: "",
      }));
    case "question":
      return { ...state, question: { reply: event.reply, question: event.question } };
    case "answered":
      return settled(state, event.reply, event.question, event.text);
    case "questionSettled":
      return settled(state, event.reply, event.question, null);
    case "traced":
      return changeReply(state, event.reply, (reply) => ({ ...reply, trace: event.trace }));
    case "rang":
    case "ringSettled":
    case "rings":
      return { ...state, rings: withRing(state.rings, event) };
    case "sentence":
      return { ...state, voiced: { reply: event.reply, text: event.text }, lastSpoken: event.reply };
    case "speechEnded":
      return {
        ...state,
        voiced: state.voiced?.reply === event.reply ? null : state.voiced,
        followUp: withFollowUp(state.followUp, event),
      };
    case "failed":
      return changeReply(state, event.reply, (reply) => ({
        ...reply,
        isRunning: false,
        isCut: reply.text !== "",
        trouble: event.trouble,
      }));
    case "done":
      return done(state, event);
    case "hotWindow":
      return { ...state, followUp: withFollowUp(state.followUp, event) };
    case "voiceMissing":
      return { ...state, missingVoice: { language: event.language, download: event.download } };
    case "trouble":
      return { ...state, troubles: withTrouble(state.troubles, event.trouble) };
    case "recovered":
      return { ...state, troubles: withoutStage(state.troubles, event.stage) };
    case "talkKey":
      return { ...state, talkKey: event.name };
    case "setting":
      return withSetting(state, event);
    case "toolServersChanged":
      return { ...state, serverChanges: state.serverChanges + 1 };
    case "model":
    case "pull":
      return state;
  }
}

/** The question becomes one line of its reply. */
function settled(state: ConversationState, reply: number, id: number, answer: string | null): ConversationState {
  const pending = state.question;
  if (pending?.reply !== reply || pending.question.id !== id) return state;
  const asked = { text: pending.question.text, answer };
  return changeReply({ ...state, question: null }, reply, (message) => ({
    ...message,
    questions: [...message.questions, asked],
  }));
}

type EventOf<Type extends EventView["type"]> = Extract<EventView, { type: Type }>;

function withSetting(state: ConversationState, { path, value }: EventOf<"setting">): ConversationState {
  switch (path) {
    case "listening.enabled":
      return { ...state, canListen: value === true };
    case "listening.wake_word":
      return { ...state, name: nameOf(String(value)) };
    default:
      return state;
  }
}

/** The wake word as a name, the way the snapshot writes it. */
function nameOf(wakeWord: string): string {
  const [first = "", ...rest] = wakeWord.trim();
  return first.toUpperCase() + rest.join("");
}

function draftOf({ draft }: ConversationState, { utterance, text }: EventOf<"partial">) {
  const before = draft?.utterance === utterance ? draft.text : "";
  return { utterance, text, settled: settledLength(before, text) };
}

/** The same question, asked again, comes later than this: the answer has to be read first. */
const MOMENTS_MS = 1000;

function asked(before: ConversationState, event: EventOf<"asked">): ConversationState {
  const { reply, text, origin, at, replacesPrevious } = event;
  const state = replacesPrevious ? withoutLastExchange(before) : before;
  const last = lastMessage(state);
  // The snapshot may already contain words whose event arrives later. They were stored moments before or after.
  const isKnown =
    last?.role === "user" && last.text === text && Math.abs(Date.parse(last.at) - Date.parse(at)) < MOMENTS_MS;
  const words: Message = { key: `asked-${reply}`, role: "user", text, at, origin };

  const withWords = isKnown ? state : append(state, words);
  return { ...append(withWords, emptyReply(reply, at)), draft: null, followUp: NO_FOLLOW_UP };
}

/** Without the newest words of the user, and all that was said to them. */
function withoutLastExchange(state: ConversationState): ConversationState {
  for (let index = state.pages.length - 1; index >= 0; index -= 1) {
    const page = state.pages[index];
    const place = page?.messages.findLastIndex(({ role }) => role === "user") ?? -1;
    if (page && place >= 0) {
      const messages = page.messages.slice(0, place);
      const kept = messages.length > 0 ? [{ ...page, messages }] : [];
      return { ...state, pages: [...state.pages.slice(0, index), ...kept] };
    }
  }
  return state;
}

function done(state: ConversationState, { reply: number, text, attachments }: EventOf<"done">): ConversationState {
  const last = lastMessage(state);
  if (last?.role === "assistant" && last.reply === null && last.text === text) {
    return state;
  }
  const pending = state.question;
  const rest = pending?.reply === number ? settled(state, number, pending.question.id, null) : state;
  return changeReply(rest, number, (reply) => ({
    ...reply,
    progress: "",
    text: text === "" ? reply.text : text,
    attachments,
    isRunning: false,
    isCut: reply.isCut || (text === "" && attachments.length === 0 && reply.trouble === null),
  }));
}

/** Changes a reply. One that began before the window was opened is added first. */
function changeReply(
  state: ConversationState,
  number: number,
  change: (reply: ReplyMessage) => ReplyMessage,
): ConversationState {
  for (let index = state.pages.length - 1; index >= 0; index -= 1) {
    const page = state.pages[index];
    const place = page?.messages.findIndex((message) => message.role === "assistant" && message.reply === number) ?? -1;
    const found = page?.messages[place];
    if (page && found?.role === "assistant") {
      const messages = page.messages.with(place, change(found));
      return { ...state, pages: state.pages.with(index, { ...page, messages }) };
    }
  }
  return append(state, change(emptyReply(number, new Date().toISOString())));
}

function emptyReply(reply: number, at: string): ReplyMessage {
  return { key: `reply-${reply}`, role: "assistant", text: "", at, reply, ...NEW_REPLY, isRunning: true };
}

function append(state: ConversationState, message: Message): ConversationState {
  const last = state.pages.at(-1);
  if (last && last.messages.length < PAGE_LENGTH) {
    const grown = { ...last, messages: [...last.messages, message] };
    return { ...state, pages: [...state.pages.slice(0, -1), grown] };
  }
  return { ...state, pages: [...state.pages, { key: `page-${message.key}`, messages: [message] }] };
}
