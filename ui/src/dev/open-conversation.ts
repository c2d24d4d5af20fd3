import { render, screen, waitFor } from "@testing-library/svelte";
import { expect, vi } from "vitest";
import type { EventView } from "../api/types/EventView";
import Conversation from "../conversation/Conversation.svelte";
import { FakeBridge, type Commands } from "./bridge";

export const AT = "2026-03-01T09:41:00Z";
const VIEW = {
  name: "Jarvis",
  state: "idle",
  isReady: true,
  isMuted: false,
  canListen: true,
  talkKey: "Ctrl+Shift+Space",
  troubles: [],
  messages: [],
  hasEarlier: false,
  question: null,
  rings: [],
};
export const STORED = [
  { id: 1, role: "user", text: "First question", at: AT, origin: "typed" },
  { id: 2, role: "assistant", text: "First **answer**", at: AT, origin: null },
];
export const asked: EventView = {
  type: "asked",
  reply: 7,
  text: "Why?",
  origin: "typed",
  at: AT,
  replacesPrevious: false,
};

/** The bridge of the conversation that was opened last. */
export let bridge: FakeBridge;

/** Renders a conversation, with these differences from the usual view and answers. */
export async function open(view: object = {}, commands: Commands = {}) {
  bridge = new FakeBridge({
    conversation: () => ({ ...VIEW, ...view }),
    settings: () => ({ fields: [], troubles: [] }),
    ask: () => 7,
    stop: () => null,
    talk: () => null,
    set_muted: () => null,
    read_aloud: () => null,
    open_window: () => null,
    open_link: () => null,
    ...commands,
  }).install();
  render(Conversation);
  await waitFor(() => expect(bridge.calls.some(({ command }) => command === "settings")).toBe(true));
}

/** Delivers events and waits until they are drawn. */
export async function tell(...events: EventView[]) {
  bridge.emit(...events);
  await new Promise((resolve) => setTimeout(resolve, 50));
}

/** The clipboard, or none. */
export function clipboard(isThere = true) {
  const writeText = vi.fn().mockResolvedValue(undefined);
  const write = isThere ? writeText : () => Promise.reject(new Error("not allowed"));
  // The accessors of jsdom refuse an object that inherits them, and Svelte reads `userAgent` before it draws anything.
  const { userAgent } = navigator;
  const own = { userAgent: { value: userAgent }, clipboard: { value: { writeText: write } } };
  vi.stubGlobal("navigator", Object.create(navigator, own));
  Object.assign(document, { execCommand: () => false });
  return writeText;
}

export const composer = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Ask Jarvis" });
export const argsOf = (command: string) =>
  bridge.calls.filter((call) => call.command === command).map(({ args }) => args);
