import type { ReplyMessage } from "./state";

/** What can be done with a reply. */
export type ReplyActions = Record<"readAloud" | "askAgain", (reply: ReplyMessage) => void> & {
  /** Returns whether the text is on the clipboard now. */
  copy: (text: string) => Promise<boolean>;
  openLink: (url: string) => void;
  /** Takes the newest words of the user back, to change them and ask again. */
  edit: (text: string) => void;
};
