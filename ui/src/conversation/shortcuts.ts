export type Shortcut =
  "stop" | "nextRegion" | "previousRegion" | "mute" | "copy" | "readAloud" | "settings" | "keyList";

type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

/** What a key press asks for in the conversation window. On a Mac the command key stands in for Ctrl. */
export function shortcutOf(press: KeyPress, isMac: boolean): Shortcut | null {
  if (press.altKey) return null;
  const isControl = isMac ? press.metaKey : press.ctrlKey;
  const isPlain = !press.ctrlKey && !press.metaKey;

  if (isPlain && press.key === "F6") return press.shiftKey ? "previousRegion" : "nextRegion";
  if (isPlain && press.key === "Escape") return "stop";
  if (!isControl) return null;
  if (press.key === ",") return "settings";
  // On many keyboards the slash itself needs Shift.
  if (press.key === "/") return "keyList";
  return press.shiftKey ? (WITH_SHIFT[press.key.toLowerCase()] ?? null) : null;
}

const WITH_SHIFT: Record<string, Shortcut> = { m: "mute", c: "copy", r: "readAloud" };

/** The list of keys, as it is shown. */
export function keyList(talkKey: string, isMac: boolean): { keys: string; does: string }[] {
  const control = isMac ? "⌘" : "Ctrl";
  const list = [
    { keys: "Enter", does: "Send" },
    { keys: "Shift+Enter", does: "New line" },
    { keys: "↑", does: "In an empty composer: edit your last words" },
    { keys: "Escape", does: "Stop the reply and the voice" },
    { keys: "F6", does: "Next part of the window" },
    { keys: "Shift+F6", does: "Previous part of the window" },
    { keys: `${control}+Shift+M`, does: "Mute or unmute the microphone" },
    { keys: `${control}+Shift+C`, does: "Copy the last reply" },
    { keys: `${control}+Shift+R`, does: "Read the last reply aloud" },
    { keys: `${control}+,`, does: "Settings" },
    { keys: `${control}+Plus`, does: "Larger" },
    { keys: `${control}+Minus`, does: "Smaller" },
    { keys: `${control}+0`, does: "As large as usual" },
    { keys: `${control}+/`, does: "This list" },
  ];
  return talkKey === "" ? list : [{ keys: talkKey, does: "Talk, from anywhere" }, ...list];
}
