/** What was pressed so far: keys still held, or a whole combination. */
export type Press = { keys: string; isWhole: boolean };

type KeyPress = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey">;

const MODIFIERS = new Set(["Control", "Alt", "AltGraph", "Shift", "Meta", "OS", "Super", "Hyper"]);

/** The keys that can be registered globally. Source: `parse_key` of the crate global-hotkey 0.8. */
const KEYS = new Set(
  [
    [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => `Key${letter}`),
    [..."0123456789"].flatMap((digit) => [`Digit${digit}`, `Numpad${digit}`]),
    Array.from({ length: 24 }, (_, index) => `F${index + 1}`),
    ["Up", "Down", "Left", "Right"].map((side) => `Arrow${side}`),
    ["Add", "Decimal", "Divide", "Enter", "Equal", "Multiply", "Subtract"].map((sign) => `Numpad${sign}`),
    [
      "Backquote",
      "Backslash",
      "BracketLeft",
      "BracketRight",
      "Comma",
      "Equal",
      "Minus",
      "Period",
      "Quote",
      "Semicolon",
      "Slash",
      "Space",
    ],
    ["Backspace", "Delete", "End", "Enter", "Home", "Insert", "PageDown", "PageUp"],
    ["CapsLock", "NumLock", "Pause", "PrintScreen", "ScrollLock"],
    ["AudioVolumeDown", "AudioVolumeMute", "AudioVolumeUp"],
    ["MediaPause", "MediaPlay", "MediaPlayPause", "MediaStop", "MediaTrackNext", "MediaTrackPrevious"],
  ].flat(),
);

/** Names a key press the way settings store it, such as `Ctrl+Shift+Space`; `null` is a key that cannot be registered. */
export function pressOf(press: KeyPress): Press | null {
  const held = [
    press.ctrlKey && "Ctrl",
    press.altKey && "Alt",
    press.shiftKey && "Shift",
    press.metaKey && "Super",
  ].filter((name) => name !== false);
  if (MODIFIERS.has(press.key)) {
    return { keys: held.join("+"), isWhole: false };
  }
  // The physical key, not the letter: Shift and the layout change the letter, not the key.
  return KEYS.has(press.code) ? { keys: [...held, keyName(press.code)].join("+"), isWhole: true } : null;
}

// Digits of the number pad keep their whole name: they are other keys than those above the letters.
function keyName(code: string): string {
  return /^(?:Key|Digit|Arrow)(\w+)$/.exec(code)?.[1] ?? code;
}

/** A single key would be lost to every program. One with Shift is typed in every sentence, unless it writes nothing. */
export function isUsable(keys: string): boolean {
  const names = keys.split("+");
  const isFunctionKey = /^F\d{1,2}$/.test(names.at(-1) ?? "");
  return names.some(
    (name) => name === "Ctrl" || name === "Alt" || name === "Super" || (name === "Shift" && isFunctionKey),
  );
}

/** Pressed alone, these clear the field. */
export function isClearing(keys: string): boolean {
  return keys === "Backspace" || keys === "Delete";
}
