import type { Origin } from "../api/types/Origin";
import type { TraceView } from "../api/types/TraceView";
import type { ReplyMessage } from "./state";

/** What can be done with a reply. */
export type ReplyActions = Record<"readAloud" | "askAgain", (reply: ReplyMessage) => void> & {
  /** Returns whether the text is on the clipboard now. */
  copy: (text: string) => Promise<boolean>;
  openLink: (url: string) => void;
  /** The address of a picture of a reply; `null` where it cannot be had. */
  pictureOf: (reply: number, index: number) => Promise<string | null>;
  /** Saves a file of a reply. */
  save: (reply: number, index: number) => void;
  /** How a stored reply was made; `null` where that is not known. */
  traceOf: (reply: ReplyMessage) => Promise<TraceView | null>;
  /** How the question of a reply came in. */
  originOf: (reply: ReplyMessage) => Origin | null;
  /** Takes the newest words of the user back, to change them and ask again. */
  edit: (text: string) => void;
};
