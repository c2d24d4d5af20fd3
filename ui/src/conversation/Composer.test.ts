import { fireEvent, screen, waitFor } from "@testing-library/svelte";
import { beforeEach, describe, expect, it } from "vitest";
import type { EventView } from "../api/types/EventView";
import { argsOf, AT, bridge, composer, open, tell } from "../dev/open-conversation";

describe("the newest words", () => {
  const say = (reply: number, text: string) => {
    bridge.emit({ type: "asked", reply, text, origin: "typed", at: AT, replacesPrevious: false });
    bridge.emit({ type: "done", reply, text: "Because.", attachments: [] });
  };

  it("are taken back, changed and asked in their place", async () => {
    await open();
    say(7, "Why?");
    say(8, "Why nto?");

    await fireEvent.click(await screen.findByRole("button", { name: "Edit" }));
    expect(composer().value).toBe("Why nto?");
    expect(document.activeElement).toBe(composer());
    await fireEvent.input(composer(), { target: { value: "Why not?" } });
    await fireEvent.keyDown(composer(), { key: "Enter" });

    expect(argsOf("ask")).toEqual([{ text: "Why not?", replacesPrevious: true }]);
    expect(screen.queryByText("Takes back", { exact: false })).toBeNull();
  });

  it("stay when editing them is cancelled", async () => {
    await open();
    say(7, "Why?");

    await fireEvent.click(await screen.findByRole("button", { name: "Edit" }));
    await fireEvent.keyDown(composer(), { key: "Escape" });
    expect(composer().value).toBe("");
    await fireEvent.input(composer(), { target: { value: "When?" } });
    await fireEvent.keyDown(composer(), { key: "Enter" });

    expect(argsOf("ask")).toEqual([{ text: "When?" }]);
    expect(argsOf("stop")).toEqual([]);
  });
});

describe("the composer", () => {
  beforeEach(() => open());

  it("has the focus from the start", () => {
    expect(document.activeElement).toBe(composer());
  });

  it("sends with Enter, not with Shift Enter, and is empty then", async () => {
    await fireEvent.input(composer(), { target: { value: " What time is it? " } });
    await fireEvent.keyDown(composer(), { key: "Enter", shiftKey: true });
    expect(argsOf("ask")).toEqual([]);

    await fireEvent.keyDown(composer(), { key: "Enter" });
    expect(argsOf("ask")).toEqual([{ text: "What time is it?" }]);
    expect(composer().value).toBe("");
  });

  it("sends nothing while letters are still being composed", async () => {
    await fireEvent.input(composer(), { target: { value: "東京" } });
    await fireEvent.keyDown(composer(), { key: "Enter", isComposing: true });

    expect(argsOf("ask")).toEqual([]);
  });

  it("shows the words being heard, and the typed ones remain", async () => {
    await tell({ type: "state", state: "listening" }, { type: "partial", utterance: 1, text: "remind me" });
    expect(screen.getByText("remind me")).toBeTruthy();

    await tell({ type: "overheard", utterance: 1, text: "the telly", isEcho: false }, { type: "state", state: "idle" });
    expect(screen.queryByText("remind me")).toBeNull();
  });
});

describe("the composer, while it listens", () => {
  it("lets the mouse end it", async () => {
    await open();
    await fireEvent.click(screen.getByRole("button", { name: /^Talk/ }));
    await tell({ type: "hotWindow", isOpen: true, secs: 4.5 }, { type: "state", state: "listening" });
    await fireEvent.click(screen.getByRole("button", { name: "Stop listening (Escape)" }));
    expect(argsOf("stop")).toHaveLength(1);

    await tell({ type: "hotWindow", isOpen: false, secs: 0 }, { type: "state", state: "idle" });
    expect(screen.queryByRole("button", { name: "Stop listening (Escape)" })).toBeNull();
  });
});

describe("the composer, after a spoken reply", () => {
  beforeEach(() => open());
  const followUp: EventView[] = [
    { type: "speechEnded", reply: 1 },
    { type: "state", state: "idle" },
    { type: "hotWindow", isOpen: true, secs: 5 },
    { type: "state", state: "listening" },
  ];

  it("asks for more until words come", async () => {
    await tell(...followUp);
    expect(screen.getByText("Still listening")).toBeTruthy();
    expect(screen.getByText("Anything else? No name needed for a moment.")).toBeTruthy();
    expect(screen.queryByText("Go on")).toBeNull();

    await tell({ type: "partial", utterance: 2, text: "and tomorrow" });
    expect(screen.getByText("Pause to send.")).toBeTruthy();
    expect(screen.queryByText("Still listening")).toBeNull();
  });
});

describe("the composer, when words are refused", () => {
  it("gives them back and says why", async () => {
    await open(
      {},
      {
        ask: () => {
          throw { code: "busy", message: "No model is loaded. Download one." };
        },
      },
    );
    await fireEvent.input(composer(), { target: { value: "Hello" } });
    await fireEvent.keyDown(composer(), { key: "Enter" });

    await waitFor(() => expect(composer().value).toBe("Hello"));
    expect(screen.getByText("No model is loaded. Download one.").closest("[role=alert]")).not.toBeNull();
  });
});
