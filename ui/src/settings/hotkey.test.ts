import { describe, expect, it } from "vitest";
import { isClearing, isUsable, pressOf } from "./hotkey";

const press = (code: string, held: Partial<KeyboardEvent> = {}) =>
  pressOf({ key: code, code, ctrlKey: false, altKey: false, shiftKey: false, metaKey: false, ...held });

/** Every key of the standard, by what the crate global-hotkey calls it; `null` is one it does not know. Source: UI Events KeyboardEvent code Values. */
const KEYS: [codes: string, names: string | null][] = [
  ["KeyA KeyB KeyC KeyD KeyE KeyF KeyG KeyH KeyI KeyJ KeyK KeyL KeyM", "A B C D E F G H I J K L M"],
  ["KeyN KeyO KeyP KeyQ KeyR KeyS KeyT KeyU KeyV KeyW KeyX KeyY KeyZ", "N O P Q R S T U V W X Y Z"],
  ["Digit0 Digit1 Digit2 Digit3 Digit4 Digit5 Digit6 Digit7 Digit8 Digit9", "0 1 2 3 4 5 6 7 8 9"],
  [
    "Backquote Backslash BracketLeft BracketRight Comma Equal",
    "Backquote Backslash BracketLeft BracketRight Comma Equal",
  ],
  ["Minus Period Quote Semicolon Slash Space", "Minus Period Quote Semicolon Slash Space"],
  [
    "Backspace CapsLock Enter Delete End Home Insert PageDown PageUp",
    "Backspace CapsLock Enter Delete End Home Insert PageDown PageUp",
  ],
  ["ArrowDown ArrowLeft ArrowRight ArrowUp", "Down Left Right Up"],
  ["NumLock PrintScreen ScrollLock Pause", "NumLock PrintScreen ScrollLock Pause"],
  ["Numpad0 Numpad1 Numpad2 Numpad3 Numpad4", "Numpad0 Numpad1 Numpad2 Numpad3 Numpad4"],
  ["Numpad5 Numpad6 Numpad7 Numpad8 Numpad9", "Numpad5 Numpad6 Numpad7 Numpad8 Numpad9"],
  [
    "NumpadAdd NumpadDecimal NumpadDivide NumpadEnter NumpadEqual NumpadMultiply NumpadSubtract",
    "NumpadAdd NumpadDecimal NumpadDivide NumpadEnter NumpadEqual NumpadMultiply NumpadSubtract",
  ],
  ["F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12", "F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12"],
  ["F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24", "F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24"],
  ["AudioVolumeDown AudioVolumeMute AudioVolumeUp", "AudioVolumeDown AudioVolumeMute AudioVolumeUp"],
  [
    "MediaPause MediaPlay MediaPlayPause MediaStop MediaTrackNext MediaTrackPrevious",
    "MediaPause MediaPlay MediaPlayPause MediaStop MediaTrackNext MediaTrackPrevious",
  ],
  ["IntlBackslash IntlRo IntlYen ContextMenu Help Convert KanaMode NonConvert Lang1 Lang2 Lang3 Lang4 Lang5", null],
  [
    "NumpadBackspace NumpadClear NumpadClearEntry NumpadComma NumpadHash NumpadStar NumpadParenLeft NumpadParenRight",
    null,
  ],
  ["NumpadMemoryAdd NumpadMemoryClear NumpadMemoryRecall NumpadMemoryStore NumpadMemorySubtract", null],
  ["BrowserBack BrowserFavorites BrowserForward BrowserHome BrowserRefresh BrowserSearch BrowserStop", null],
  ["Eject Fn FnLock LaunchApp1 LaunchApp2 LaunchMail MediaSelect Power Sleep WakeUp", null],
  ["Abort Resume Suspend Again Copy Cut Find Open Paste Props Select Undo Hiragana Katakana", null],
  ["F25 Unidentified", null],
];

const EACH = KEYS.flatMap(([codes, names]) => {
  const known = names?.split(" ");
  return codes.split(" ").map((code, index): [string, string | null] => [code, known?.[index] ?? null]);
});

describe("a key", () => {
  it.each(EACH)("%s is %s", (code, name) => {
    expect(press(code, { ctrlKey: true })).toEqual(name === null ? null : { keys: `Ctrl+${name}`, isWhole: true });
  });

  it("without a place on the keyboard is none", () => {
    expect(press("", { key: "é", ctrlKey: true })).toBeNull();
  });
});

describe("hotkeys", () => {
  const CASES: [Partial<KeyboardEvent>, ReturnType<typeof pressOf>][] = [
    [
      { key: " ", code: "Space", ctrlKey: true, shiftKey: true },
      { keys: "Ctrl+Shift+Space", isWhole: true },
    ],
    [
      { key: "J", code: "KeyJ", metaKey: true, shiftKey: true },
      { keys: "Shift+Super+J", isWhole: true },
    ],
    [
      { key: "!", code: "Digit1", altKey: true, shiftKey: true },
      { keys: "Alt+Shift+1", isWhole: true },
    ],
    [
      { key: "ArrowUp", code: "ArrowUp", ctrlKey: true },
      { keys: "Ctrl+Up", isWhole: true },
    ],
    [
      { key: "F9", code: "F9" },
      { keys: "F9", isWhole: true },
    ],
    [
      { key: "Control", code: "ControlLeft", ctrlKey: true },
      { keys: "Ctrl", isWhole: false },
    ],
    [
      { key: "Shift", code: "ShiftLeft", ctrlKey: true, shiftKey: true },
      { keys: "Ctrl+Shift", isWhole: false },
    ],
  ];

  it.each(CASES)("%j is %j", (pressed, expected) => {
    expect(press("", pressed)).toEqual(expected);
  });

  it.each([
    ["Backspace", true],
    ["Delete", true],
    ["Ctrl+Delete", false],
  ])("%s clears: %s", (keys, expected) => {
    expect(isClearing(keys)).toBe(expected);
  });

  it.each([
    ["Ctrl+Shift+Space", true],
    ["Super+J", true],
    ["F9", false],
    ["Shift+F1", true],
    ["Shift", false],
    ["J", false],
    ["Shift+J", false],
    ["F", false],
  ])("%s is usable: %s", (keys, expected) => {
    expect(isUsable(keys)).toBe(expected);
  });
});
