/** What was pressed so far: keys still held, or a whole combination. */
export type Press = { keys: string; isWhole: boolean };

type KeyPress = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey">;

const MODIFIERS = new Set(["Control", "Alt", "AltGraph", "Shift", "Meta", "OS", "Super", "Hyper"]);

/** Names a key press the way settings store it, such as `Ctrl+Shift+Space`. */
export function pressOf(press: KeyPress): Press {
  const held = [
    press.ctrlKey && "Ctrl",
    press.altKey && "Alt",
    press.shiftKey && "Shift",
    press.metaKey && "Super",
  ].filter((name) => name !== false);
  if (MODIFIERS.has(press.key)) {
    return { keys: held.join("+"), isWhole: false };
  }
  return { keys: [...held, keyName(press)].join("+"), isWhole: true };
}

// The place on the keyboard, not the letter: Shift and the layout change the letter, not the key.
function keyName({ code, key }: KeyPress): string {
  const name = /^(?:Key|Digit|Numpad)(\w)$/.exec(code)?.[1] ?? /^Arrow(\w+)$/.exec(code)?.[1];
  return name ?? (code === "" ? key : code);
}

/** A single letter or a bare Shift would be pressed in every sentence. */
export function isUsable(keys: string): boolean {
  const names = keys.split("+");
  const isFunctionKey = /^F\d{1,2}$/.test(names.at(-1) ?? "");
  return isFunctionKey || names.some((name) => name === "Ctrl" || name === "Alt" || name === "Super");
}
