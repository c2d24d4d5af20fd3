import { allMessages, type ConversationState, type ReplyMessage } from "./state";

/** How much of which reply was announced. */
export type Announced = { key: string; length: number };

const MARKUP = /[*_`#>|]/g;
const SENTENCE_END = /[.!?…。！？]["”’)\]]*(?=\s|$)|\n\n/gu;

/**
 * What to announce now: whole sentences of the newest reply that Jarvis does not speak.
 * A spoken question is usually answered aloud, so its reply waits until it is clear that it was not.
 */
export function announcement(state: ConversationState, announced: Announced): { text: string; announced: Announced } {
  const messages = allMessages({ pages: state.pages.slice(-2) });
  const reply = messages.at(-1);
  if (reply?.role !== "assistant" || reply.reply === null || reply.reply === state.lastSpoken) {
    return { text: "", announced };
  }
  const words = messages.at(-2);
  const mayBeSpoken = words?.role === "user" && words.origin === "voice";
  if (state.state === "speaking" || (mayBeSpoken && (reply.isRunning || state.state !== "idle"))) {
    return { text: "", announced };
  }

  const start = announced.key === reply.key ? announced.length : 0;
  const end = endOfSentences(reply);
  const text = wordsOf(reply).slice(start, end).replace(MARKUP, "").trim();
  return { text, announced: { key: reply.key, length: Math.max(start, end) } };
}

/** The words of a reply, and behind those of a complete one its files. */
function wordsOf({ text, isRunning, attachments }: ReplyMessage): string {
  if (isRunning || attachments.length === 0) return text;
  const names = attachments.map(({ name }) => name).join(", ");
  return `${text}\n\n${attachments.length === 1 ? "File" : "Files"}: ${names}`;
}

function endOfSentences(reply: ReplyMessage): number {
  if (!reply.isRunning) {
    return wordsOf(reply).length;
  }
  const last = [...reply.text.matchAll(SENTENCE_END)].at(-1);
  return last ? last.index + last[0].length : 0;
}
