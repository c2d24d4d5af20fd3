import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { ServerPromptView } from "../api/types/ServerPromptView";
import type { FakeBridge } from "../dev/bridge";
import { prompts as offered } from "../dev/prompts-example";
import { startScene } from "../dev/scenes";
import Conversation from "./Conversation.svelte";
import { argumentWords, commandOf, promptIn, promptsFor } from "./prompts";

const prompt = (server: string, name: string, ...required: boolean[]): ServerPromptView => ({
  server,
  name,
  description: null,
  arguments: required.map((isRequired, index) => ({ name: `a${index}`, description: null, isRequired })),
});
/** Without the signs that isolate a name of another direction. */
const bare = (text: string) => text.replaceAll(/[\u2068\u2069]/g, "");
const POEM = prompt("verse", "poem", true, false);
const LIMERICK = prompt("verse", "poem in five", true);
const TIDY = prompt("files", "tidy");
const ALL = [POEM, LIMERICK, TIDY];

describe("what is typed", () => {
  it.each<[string, ServerPromptView[]]>([
    ["", []],
    ["/", ALL],
    ["/P", [POEM, LIMERICK]],
    ["/tid", [TIDY]],
    ["/verse:", [POEM, LIMERICK]],
    ["/verse:poem", [POEM, LIMERICK]],
    ["/verse:poem ", [LIMERICK]],
    ["/verse:poem about tea", []],
    ["/files:tidy", []],
    ["/etc", []],
    [" /", []],
    ["1/2", []],
  ])("%j can become", (text, expected) => {
    expect(promptsFor(ALL, text)).toEqual(expected);
  });

  it.each<[string, ServerPromptView | undefined]>([
    ["/verse:poem", POEM],
    ["/verse:poem about tea", POEM],
    ["/verse:poem in five about tea", LIMERICK],
    ["/verse:poems", undefined],
    ["verse:poem", undefined],
  ])("%j begins with", (text, expected) => {
    expect(promptIn(ALL, text)).toBe(expected);
  });

  it.each([
    [POEM, "a0, a1 (optional)"],
    [TIDY, ""],
    [undefined, ""],
  ])("shows what a prompt takes", (chosen, expected) => {
    expect(bare(argumentWords(chosen))).toBe(expected);
  });
});

/** The conversation of a scene, with these prompts. */
async function open(prompts: unknown = offered()): Promise<FakeBridge> {
  const bridge = startScene("talk");
  bridge.commands["server_prompts"] = () => (prompts instanceof Error ? Promise.reject(prompts) : prompts);
  render(Conversation);
  await waitFor(() => expect(bridge.calls.some(({ command }) => command === "settings")).toBe(true));
  return bridge;
}

const composer = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Ask Jarvis" });
const type = (value: string) => fireEvent.input(composer(), { target: { value } });
const press = (key: string, more: object = {}) => fireEvent.keyDown(composer(), { key, ...more });
const menu = () => screen.queryByRole("listbox");
const options = () => screen.queryAllByRole("option");
const texts = () => options().map(({ textContent }) => bare(textContent).trim());
const active = () => document.getElementById(composer().getAttribute("aria-activedescendant") ?? "");
const asks = (bridge: FakeBridge, name: string) => bridge.calls.filter(({ command }) => command === name);

/** Types a slash and waits for the menu. */
async function openMenu(prompts?: unknown): Promise<FakeBridge> {
  const bridge = await open(prompts);
  await type("/");
  await screen.findByRole("listbox");
  return bridge;
}

describe("the menu of prompts", () => {
  it("lists commands with descriptions and arguments, and says so", async () => {
    await openMenu();

    expect(options().length).toBe(offered().length);
    expect(texts()[0]).toContain("/files:summarise folder, language (optional)");
    expect(options()[0]!.textContent).toContain("Sums up a folder");
    expect(active()).toBe(options()[0]);
    expect(composer().getAttribute("aria-controls")).toBe(menu()!.id);
    expect(screen.getByText(`Ready-made requests: ${offered().length}`)).toBeTruthy();
  });

  it("asks once for all letters, and again after the servers changed", async () => {
    const bridge = await openMenu();
    await type("/f");
    await type("/fi");
    expect(asks(bridge, "server_prompts").length).toBe(1);

    bridge.commands["server_prompts"] = () => [prompt("files", "fresh")];
    bridge.emit({ type: "toolServersChanged" });

    await waitFor(() => expect(texts()).toEqual(["/files:fresh"]));
    expect(asks(bridge, "server_prompts").length).toBe(2);
  });

  it("does not ask before a slash is typed, whatever the servers do", async () => {
    const bridge = await open();
    bridge.emit({ type: "toolServersChanged" });
    await type("Hello");

    expect(asks(bridge, "server_prompts")).toEqual([]);
  });

  it("moves with the arrows, in a circle", async () => {
    await openMenu();

    await press("ArrowUp");
    expect(active()).toBe(options().at(-1));
    await press("ArrowDown");
    await press("ArrowDown");
    expect(active()).toBe(options()[1]);
    expect(active()!.getAttribute("aria-selected")).toBe("true");
  });

  it.each(["Enter", "Tab"])("%s chooses, keeps the focus and shows what to write", async (key) => {
    const bridge = await openMenu();

    await press("ArrowDown");
    await press("ArrowUp");
    await press(key);

    expect(composer().value).toBe("/files:summarise ");
    expect(document.activeElement).toBe(composer());
    expect(menu()).toBeNull();
    expect(bare(document.querySelector(".under")!.textContent)).toBe(
      "Takes folder, language (optional). Write it in your own words; Enter sends.",
    );
    expect(asks(bridge, "ask")).toEqual([]);

    await type("/files:summarise my letters, in French");
    await press("Enter");
    expect(asks(bridge, "ask").map(({ args }) => args)).toEqual([{ text: "/files:summarise my letters, in French" }]);
  });

  it("is chosen from by the mouse, which takes no focus", async () => {
    await openMenu();

    const isDefault = await fireEvent.mouseDown(options()[1]!);
    await fireEvent.click(options()[1]!);

    expect(isDefault).toBe(false);
    expect(composer().value).toBe("/files:tidy ");
    expect(document.activeElement).toBe(composer());
  });

  it("grows shorter while one types, and ends where nothing fits", async () => {
    await openMenu();
    await press("ArrowUp");

    await type("/TRI");
    expect(texts()).toEqual(["/issues:triage label (optional)"]);
    expect(active()).toBe(options()[0]);
    await type("/usr/bin");
    expect(menu()).toBeNull();
    expect(composer().getAttribute("aria-activedescendant")).toBeNull();
  });

  it("is closed by Escape, which stops nothing, and stays closed until one begins anew", async () => {
    const bridge = await openMenu();

    await press("Escape");
    expect(menu()).toBeNull();
    expect(composer().value).toBe("/");
    expect(asks(bridge, "stop")).toEqual([]);
    await type("/fi");
    expect(menu()).toBeNull();
    await press("Escape");
    expect(asks(bridge, "stop").length).toBe(1);

    await type("");
    await type("/");
    expect(menu()).not.toBeNull();
  });

  it("leaves a whole command, Shift Enter and an input method alone", async () => {
    const bridge = await openMenu();

    await press("Enter", { isComposing: true });
    await press("Enter", { shiftKey: true });
    await press("Tab", { shiftKey: true });
    expect(composer().value).toBe("/");

    await type("/files:tidy");
    expect(menu()).toBeNull();
    await press("Enter");
    expect(asks(bridge, "ask").map(({ args }) => args)).toEqual([{ text: "/files:tidy" }]);
  });

  it("is there only while the composer has the focus", async () => {
    await openMenu();

    await fireEvent.blur(composer());
    expect(menu()).toBeNull();

    await fireEvent.focus(composer());
    expect(menu()).not.toBeNull();
  });

  it("does not open over words that were asked before", async () => {
    await openMenu();
    await press("Escape");
    await type("/files:");
    await press("Enter");
    await waitFor(() => expect(screen.getAllByText("/files:").length).toBe(1));

    await press("ArrowUp");

    expect(composer().value).toBe("/files:");
    expect(menu()).toBeNull();
  });

  it.each([
    ["no server has prompts", []],
    ["they cannot be listed", new Error("Jarvis ends.")],
  ])("does not appear when %s", async (_, prompts) => {
    const bridge = await open(prompts);
    await type("/");
    await waitFor(() => expect(asks(bridge, "server_prompts").length).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 20));

    expect(menu()).toBeNull();
    expect(composer().getAttribute("aria-autocomplete")).toBeNull();
    await type("/half a page");
    await press("Enter");
    expect(asks(bridge, "ask").map(({ args }) => args)).toEqual([{ text: "/half a page" }]);
  });

  it("shows the words of strangers as they are, long ones and those from right to left", async () => {
    await openMenu();

    const [arabic, strange] = [offered()[4]!, offered()[5]!].map((wanted) =>
      options().find(({ textContent }) => textContent.includes(commandOf(wanted)))!,
    );
    expect(strange!.textContent).toContain('<img src=x onerror="alert(1)">');
    expect(menu()!.querySelector("img, b")).toBeNull();
    expect(strange!.textContent).toContain("<b>bold</b>");
    expect(arabic!.querySelector("[dir=auto]")!.textContent).toBe("يلخص ملاحظات اليوم في ثلاث جمل.");
    expect(arabic!.textContent).toContain("\u2068اليوم\u2069 (optional)");
  });

  it("stands two prompts of one name", async () => {
    await openMenu([TIDY, TIDY]);

    expect(options().length).toBe(2);
  });
});
