import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { HistoryView } from "../api/types/HistoryView";
import type { MessageView } from "../api/types/MessageView";
import { talk } from "../dev/conversation-example";
import { startScene } from "../dev/scenes";
import Conversation from "./Conversation.svelte";
import { PAGE_LENGTH } from "./state";

const MESSAGES = 10_000;
/** So many pages around the one in view are near it. */
const NEAR = 2;
/** What a window draws for so many pages of messages, and for the rest of itself. */
const MOST_ELEMENTS = 3000;

/** jsdom lays nothing out, so the test says which page is in view. */
class Sight {
  static all = new Set<Sight>();
  element: Element | null = null;
  constructor(readonly tell: IntersectionObserverCallback) {}
  observe(element: Element) {
    this.element = element;
    Sight.all.add(this);
  }
  disconnect() {
    Sight.all.delete(this);
  }
}

const pages = () => [...document.querySelectorAll("[data-page]")];
const elements = () => document.querySelectorAll("*").length;
const texts = () =>
  [...document.querySelectorAll("[data-message] p")].slice(0, 3).map(({ textContent }) => textContent);
const drawn = () => pages().flatMap((page, index) => (page.children.length > 0 ? [index] : []));

async function lookAt(place: number) {
  const all = pages();
  for (const sight of Sight.all) {
    const isIntersecting = Math.abs(all.indexOf(sight.element!) - place) <= NEAR;
    sight.tell([{ isIntersecting } as IntersectionObserverEntry], sight as unknown as IntersectionObserver);
  }
  await tick();
}

const messageAt = (id: number): MessageView => ({
  id,
  // Mostly questions: what costs time here is to clean the HTML of replies, and that is tested elsewhere.
  role: id % 10 === 0 ? "assistant" : "user",
  text: `Words ${id}.`,
  at: new Date(id * 60_000).toISOString(),
  origin: null,
});

/** A page of history before a message, or the newest. */
function pageBefore(end: number): HistoryView {
  const first = Math.max(end - 2 * PAGE_LENGTH, 1);
  return {
    messages: Array.from({ length: end - first }, (_, index) => messageAt(first + index)),
    hasEarlier: first > 1,
  };
}

beforeEach(() => vi.stubGlobal("IntersectionObserver", Sight));
afterEach(() => vi.unstubAllGlobals());

it("of ten thousand messages only those near the view are drawn", { timeout: 120_000 }, async () => {
  const bridge = startScene("talk");
  Object.assign(bridge.commands, {
    conversation: () => ({ ...talk, ...pageBefore(MESSAGES + 1) }),
    history: ({ before }: { before: number }) => pageBefore(before),
  });
  render(Conversation);
  const thread = await screen.findByRole("log");
  let most = 0;

  while (pages().length < MESSAGES / PAGE_LENGTH) {
    const before = pages().length;
    await fireEvent.scroll(thread);
    await waitFor(() => expect(pages().length).toBeGreaterThan(before), { interval: 1 });
    await lookAt(0);
    most = Math.max(most, elements());
  }
  expect(texts()).toEqual(["Words 1.", "Words 2.", "Words 3."]);
  expect(most).toBeLessThan(MOST_ELEMENTS);

  const last = pages().length - 1;
  for (let place = 0; place <= last; place += 10) {
    await lookAt(place);
    most = Math.max(most, elements());
  }
  expect(most).toBeLessThan(MOST_ELEMENTS);

  await lookAt(100);
  expect(drawn()).toEqual([98, 99, 100, 101, 102, last - 1, last]);

  const message = pages()[100]!.querySelector<HTMLElement>("[data-message]")!;
  message.focus();
  await lookAt(0);
  expect(drawn()).toEqual([0, 1, 2, 100, last - 1, last]);
  expect(document.activeElement).toBe(message);
});
