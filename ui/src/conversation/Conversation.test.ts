import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventView } from "../api/types/EventView";
import { FakeBridge, type Commands } from "../dev/bridge";
import Conversation from "./Conversation.svelte";

const AT = "2026-03-01T09:41:00Z";
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
const STORED = [
  { id: 1, role: "user", text: "First question", at: AT, origin: "typed" },
  { id: 2, role: "assistant", text: "First **answer**", at: AT, origin: null },
];
const asked: EventView = { type: "asked", reply: 7, text: "Why?", origin: "typed", at: AT, replacesPrevious: false };

let bridge: FakeBridge;

afterEach(() => vi.unstubAllGlobals());

async function open(view: object = {}, commands: Commands = {}) {
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

async function tell(...events: EventView[]) {
  bridge.emit(...events);
  await new Promise((resolve) => setTimeout(resolve, 50));
}

/** The clipboard, or none. */
function clipboard(isThere = true) {
  const writeText = vi.fn().mockResolvedValue(undefined);
  const write = isThere ? writeText : () => Promise.reject(new Error("not allowed"));
  vi.stubGlobal("navigator", Object.assign(Object.create(navigator), { clipboard: { writeText: write } }));
  Object.assign(document, { execCommand: () => false });
  return writeText;
}

const composer = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Ask Jarvis" });
const argsOf = (command: string) => bridge.calls.filter((call) => call.command === command).map(({ args }) => args);

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

describe("copying", () => {
  const CODE = { ...STORED[1], text: "```sh\nls\n```" };
  afterEach(() => vi.useRealTimers());

  it("is confirmed for a moment", async () => {
    clipboard();
    await open({ messages: STORED });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await fireEvent.click(screen.getByRole("button", { name: "Copy" }));
    await vi.advanceTimersByTimeAsync(100);
    expect(screen.getByText("Copied").closest("[role=status]")).not.toBeNull();

    await vi.advanceTimersByTimeAsync(3000);
    expect(screen.queryByText("Copied")).toBeNull();
  });

  it("of code is confirmed on its button", async () => {
    const writeText = clipboard();
    await open({ messages: [CODE] });
    const button = await codeButton();
    await fireEvent.click(button);

    await waitFor(() => expect(button.textContent).toBe("Copied"));
    expect(writeText).toHaveBeenCalledWith("ls");
  });

  it("that goes wrong is said to", async () => {
    clipboard(false);
    await open({ messages: [CODE] });
    const button = await codeButton();
    await fireEvent.click(button);

    expect(
      (await screen.findByText("The clipboard could not be reached. Select the text and copy it yourself.")).closest(
        "[role=alert]",
      ),
    ).not.toBeNull();
    expect(button.textContent).toBe("Copy");
    expect(screen.queryByText("Copied")).toBeNull();
  });

  const codeButton = () =>
    waitFor(() => {
      const button = document.querySelector<HTMLElement>("[data-copy]");
      if (!button) throw new Error("there is no code yet");
      return button;
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

describe("keys", () => {
  beforeEach(() => open({ messages: STORED }));

  it.each([
    [{ key: "Escape" }, "stop", {}],
    [{ key: "M", ctrlKey: true, shiftKey: true }, "set_muted", { isMuted: true }],
    [{ key: "R", ctrlKey: true, shiftKey: true }, "read_aloud", { text: "First **answer**" }],
    [{ key: ",", ctrlKey: true }, "open_window", { window: "settings" }],
  ])("%j runs %s", async (press, command, args) => {
    await fireEvent.keyDown(window, press);

    expect(argsOf(command)).toEqual([args]);
  });

  it("copy the last reply", async () => {
    const writeText = clipboard();
    await fireEvent.keyDown(window, { key: "C", ctrlKey: true, shiftKey: true });

    expect(writeText).toHaveBeenCalledWith("First **answer**");
    expect((await screen.findByText("Copied")).closest("[role=status]")).not.toBeNull();
  });

  it("are listed", async () => {
    await fireEvent.keyDown(window, { key: "/", ctrlKey: true });
    const dialog = screen.getByRole("dialog", { name: "Keys" });
    expect(within(dialog).getByText("New line")).toBeTruthy();

    await fireEvent.click(within(dialog).getByRole("button", { name: "Close (Escape)" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(document.activeElement).toBe(composer());
  });

  it("go from region to region", async () => {
    await fireEvent.keyDown(window, { key: "F6", shiftKey: true });
    expect(document.activeElement).toBe(screen.getByRole("log"));

    await fireEvent.keyDown(window, { key: "F6" });
    expect(document.activeElement).toBe(composer());
  });
});
