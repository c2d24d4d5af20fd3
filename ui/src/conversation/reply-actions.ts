import type { ReplyMessage } from "./state";

/** What can be done with a reply. */
export type ReplyActions = Record<"copy" | "readAloud" | "askAgain", (reply: ReplyMessage) => void> & {
  openLink: (url: string) => void;
};
