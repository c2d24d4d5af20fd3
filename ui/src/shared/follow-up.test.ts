import { describe, expect, it } from "vitest";
import type { EventView } from "../api/types/EventView";
import { NO_FOLLOW_UP, withFollowUp } from "./follow-up";

const opened = (secs: number): EventView => ({ type: "hotWindow", isOpen: true, secs });
const closed: EventView = { type: "hotWindow", isOpen: false, secs: 0 };
const spoken: EventView = { type: "speechEnded", reply: 1 };
const asked: EventView = {
  type: "asked",
  reply: 2,
  text: "Why?",
  origin: "voice",
  at: "2026-03-01T09:41:00Z",
  replacesPrevious: false,
};

describe("a follow-up", () => {
  it.each<[string, EventView[], number | null]>([
    ["may come once the voice has ended", [spoken, opened(5)], 5],
    ["may come for longer when the window opens again", [spoken, opened(5), opened(8)], 8],
    ["is not what the talk key waits for", [opened(5)], null],
    ["is not what the talk key waits for after the window closed", [spoken, opened(5), closed, opened(5)], null],
    ["needs the name again once the window closed", [spoken, opened(5), closed], null],
    ["has come once something is asked", [spoken, opened(5), asked], null],
    ["is not due any more once something is asked", [spoken, asked, opened(5)], null],
  ])("%s", (_, events, secs) => {
    expect(events.reduce(withFollowUp, NO_FOLLOW_UP).secs).toBe(secs);
  });
});
