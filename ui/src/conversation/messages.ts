import { allMessages, type Page, type ReplyMessage, type UserMessage } from "./state";

export function lastReply(pages: readonly Page[]): ReplyMessage | null {
  const replies = allMessages({ pages: pages.slice(-2) }).filter((message) => message.role === "assistant");
  return replies.findLast(({ text }) => text !== "") ?? null;
}

/** The question that a reply answers. */
export function wordsBefore(pages: readonly Page[], { key }: ReplyMessage): UserMessage | null {
  const messages = allMessages({ pages });
  const place = messages.findIndex((message) => message.key === key);
  return messages.slice(0, place).findLast((message) => message.role === "user") ?? null;
}

/** The newest words of the user. */
export function newestWords(pages: readonly Page[]): UserMessage | undefined {
  const page = pages.findLast(({ messages }) => messages.some(({ role }) => role === "user"));
  return page?.messages.findLast((message) => message.role === "user");
}

/** Everything the user said in what is loaded, oldest first. */
export function ownWords(pages: readonly Page[]): string[] {
  return allMessages({ pages })
    .filter((message) => message.role === "user")
    .map(({ text }) => text);
}
