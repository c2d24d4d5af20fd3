import { fireEvent, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { EventView } from "../api/types/EventView";
import { argsOf, asked, bridge, composer, open, STORED, tell } from "../dev/open-conversation";

describe("files of a reply", () => {
  const file = { name: "a.csv", mimeType: "text/csv", size: 3, caption: null, isPicture: false };
  const done: EventView = { type: "done", reply: 7, text: "Here.", attachments: [file] };

  it("are saved, and the window says where", async () => {
    await open({}, { save_attachment: () => "/home/ana/Downloads/a.csv" });
    await tell(asked, done);

    await fireEvent.click(screen.getByRole("button", { name: "Save a.csv" }));

    expect(await screen.findByText("Saved as /home/ana/Downloads/a.csv")).toBeTruthy();
    expect(argsOf("save_attachment")).toEqual([{ reply: 7, index: 0 }]);
  });

  it("that cannot be saved say why", async () => {
    const refused = { code: "io", message: "The file could not be saved: the disk is full." };
    await open({}, { save_attachment: () => Promise.reject(refused) });
    await tell(asked, done);

    await fireEvent.click(screen.getByRole("button", { name: "Save a.csv" }));

    expect(await screen.findByText("The file could not be saved: the disk is full.")).toBeTruthy();
  });
});

describe("an empty conversation", () => {
  it("asks what is pressed", async () => {
    await open();
    const tries = within(await screen.findByRole("list", { name: "Things to try" })).getAllByRole("button");
    await fireEvent.click(tries[0]!);

    expect(tries).toHaveLength(4);
    expect(argsOf("ask")).toEqual([{ text: "Why is the sky red in the evening?" }]);
  });

  it("teaches the name only to those who are heard", async () => {
    await open({ canListen: false });
    expect(
      await screen.findByText("Listening is switched off in the settings; the replies come all the same."),
    ).toBeTruthy();
    expect(screen.queryByText("Say “Jarvis”, then ask.")).toBeNull();

    await tell({ type: "setting", path: "listening.enabled", value: true });
    expect(screen.getByText("Say “Jarvis”, then ask.")).toBeTruthy();

    await tell({ type: "trouble", trouble: { stage: "microphone", what: "There is none.", remedy: "Plug one in." } });
    expect(screen.queryByText("Say “Jarvis”, then ask.")).toBeNull();
    expect(screen.getByText("Jarvis cannot hear you yet; the replies come all the same.")).toBeTruthy();
  });
});

describe("a change of the settings", () => {
  it("is seen at once", async () => {
    await open();
    expect(await screen.findByText("Say “Jarvis”, then ask.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Talk (Ctrl Shift Space)" })).toBeTruthy();

    await tell({ type: "setting", path: "listening.wake_word", value: "friday" }, { type: "talkKey", name: "" });
    expect(screen.getByText("Say “Friday”, then ask.")).toBeTruthy();
    expect(screen.getByRole("textbox", { name: "Ask Friday" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "Talk" })).toBeTruthy();

    await tell({ type: "setting", path: "listening.enabled", value: false });
    expect(screen.queryByRole("button", { name: "Talk" })).toBeNull();
    expect(screen.queryByText("Say “Friday”, then ask.")).toBeNull();
  });
});

describe("a conversation", () => {
  it("lets the last words be edited with Up", async () => {
    await open({ messages: STORED });
    await screen.findByText("First question");
    await fireEvent.keyDown(composer(), { key: "ArrowUp" });
    expect(composer().value).toBe("First question");

    await fireEvent.keyDown(composer(), { key: "ArrowDown" });
    expect(composer().value).toBe("");
  });

  const TRACE = {
    language: "en",
    profile: null,
    isByRules: true,
    memories: 0,
    recallMs: 0,
    plan: [],
    models: [],
    tools: [],
    tookMs: 3,
    delivery: null,
  };

  it("shows how a reply of now was answered, and hides it again", async () => {
    await open();
    await tell(
      asked,
      { type: "delta", reply: 7, text: "Noon." },
      { type: "traced", reply: 7, trace: TRACE },
      { type: "done", reply: 7, text: "Noon.", attachments: [] },
    );
    const button = screen.getByRole("button", { name: "How was this answered?" });

    await fireEvent.click(button);

    const list = await screen.findByRole("list", { name: "How this was answered" });
    expect(
      within(list)
        .getAllByRole("listitem")
        .map(({ textContent }) => textContent),
    ).toEqual(["ReadEnglish", "WroteFixed rules; no language model was asked", "In all3 ms"]);
    expect(button.getAttribute("aria-expanded")).toBe("true");

    await fireEvent.click(button);

    expect(screen.queryByRole("list", { name: "How this was answered" })).toBeNull();
  });

  it.each([
    [TRACE, "Fixed rules; no language model was asked"],
    [null, "How this was answered was not kept. It is kept for the newest thousand replies."],
  ])("asks the history how an earlier reply was answered", async (trace, words) => {
    await open({ messages: STORED }, { reply_trace: () => trace });

    await fireEvent.click(screen.getByRole("button", { name: "How was this answered?" }));

    expect(await screen.findByText(words)).toBeTruthy();
    expect(bridge.calls.find(({ command }) => command === "reply_trace")?.args).toEqual({ at: 2 });
  });

  it("streams a reply and offers what can be done with it", async () => {
    await open();
    await tell(asked, { type: "state", state: "thinking" }, { type: "delta", reply: 7, text: "Because **of** " });
    expect(screen.getByText("of").tagName).toBe("STRONG");
    expect(screen.queryByRole("button", { name: "Ask again" })).toBeNull();

    await fireEvent.click(screen.getByRole("button", { name: "Stop (Escape)" }));
    expect(argsOf("stop")).toHaveLength(1);

    await tell(
      { type: "done", reply: 7, text: "Because **of** it.", attachments: [] },
      { type: "state", state: "idle" },
    );
    await fireEvent.click(screen.getByRole("button", { name: "Ask again" }));
    await fireEvent.click(screen.getByRole("button", { name: "Read aloud" }));
    expect(argsOf("ask")).toEqual([{ text: "Why?" }]);
    expect(argsOf("read_aloud")).toEqual([{ text: "Because **of** it." }]);
  });

  it("shows a failure beside its reply and asks again", async () => {
    await open();
    await tell(asked, {
      type: "failed",
      reply: 7,
      trouble: { stage: "language_model", what: "It closed.", remedy: "Start it." },
    });
    const alerts = screen.getAllByRole("alert").map((alert) => alert.textContent);
    await fireEvent.click(screen.getByRole("button", { name: "Ask again" }));

    expect(alerts).toContain("It closed. Start it.");
    expect(argsOf("ask")).toEqual([{ text: "Why?" }]);
  });

  it("shows a trouble until it is over", async () => {
    await open();
    await tell({ type: "trouble", trouble: { stage: "microphone", what: "It was unplugged.", remedy: "Plug it in." } });
    expect(screen.getByText("It was unplugged. Plug it in.").closest("[role=alert]")).not.toBeNull();

    await tell({ type: "recovered", stage: "microphone" });
    expect(screen.queryByText("It was unplugged. Plug it in.")).toBeNull();
  });

  it("opens links outside", async () => {
    await open({ messages: [{ ...STORED[1], text: "See [tides](https://example.org/tides)." }] });
    await fireEvent.click(await screen.findByRole("link", { name: "tides" }));

    expect(argsOf("open_link")).toEqual([{ url: "https://example.org/tides" }]);
  });

  it.each([
    ["middle", 1, 1],
    ["right", 2, 0],
  ])("is left by a link with the %s button (%d) so many times: %d", async (_, button, opened) => {
    await open({ messages: [{ ...STORED[1], text: "See [tides](https://example.org/tides)." }] });
    const link = await screen.findByRole("link", { name: "tides" });
    await fireEvent(link, new MouseEvent("auxclick", { button, bubbles: true, cancelable: true }));

    expect(argsOf("open_link")).toHaveLength(opened);
  });

  it("is walked through with the arrow keys", async () => {
    await open({ messages: STORED });
    const thread = await screen.findByRole("log");
    thread.focus();
    await fireEvent.keyDown(thread, { key: "ArrowUp" });
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Reply");

    await fireEvent.keyDown(document.activeElement!, { key: "ArrowUp" });
    expect(document.activeElement?.getAttribute("aria-label")).toMatch(/^You, /);
  });
});

describe("a language without a voice", () => {
  const missing: EventView = { type: "voiceMissing", language: "de", download: "de_DE-thorsten-medium" };

  it("is named with a button that downloads a voice", async () => {
    await open({}, { download_model: () => null });
    await tell(missing);

    expect(screen.queryByText(/No German voice is installed/)).not.toBeNull();
    await fireEvent.click(screen.getByRole("button", { name: "Download a voice for German" }));

    await waitFor(() => expect(screen.queryByText(/No German voice/)).toBeNull());
    expect(bridge.calls).toContainEqual({ command: "download_model", args: { id: "de_DE-thorsten-medium" } });
  });

  it("has no download where the catalogue has no voice, and can be put away", async () => {
    await open();
    await tell({ type: "voiceMissing", language: "ja", download: null });

    expect(screen.queryByText(/No Japanese voice is installed/)).not.toBeNull();
    expect(screen.queryByRole("button", { name: /Download/ })).toBeNull();
    await fireEvent.click(screen.getByRole("button", { name: "Not now" }));

    expect(screen.queryByText(/No Japanese voice/)).toBeNull();
  });
});
