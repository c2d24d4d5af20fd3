import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { FakeBridge } from "../dev/bridge";
import { startScene } from "../dev/scenes";
import Conversation from "./Conversation.svelte";

async function play(scene: string): Promise<FakeBridge> {
  const bridge = startScene(scene);
  render(Conversation);
  await waitFor(() => expect(bridge.calls.some(({ command }) => command === "settings")).toBe(true));
  await new Promise((resolve) => setTimeout(resolve, 120));
  return bridge;
}

const argsOf = (bridge: FakeBridge, command: string) =>
  bridge.calls.filter((call) => call.command === command).map(({ args }) => args);
const composer = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Ask Jarvis" });

describe("what rings", () => {
  it("has a card each, with stop and snooze", async () => {
    const bridge = await play("ringing");
    const [snoozeMissed, snoozeTea] = screen.getAllByRole("button", { name: "Snooze 5 min" });
    expect(screen.getAllByRole("alert").filter(({ textContent }) => /timer|reminder/i.test(textContent)).length).toBe(
      2,
    );

    await fireEvent.click(snoozeTea!);
    await waitFor(() => expect(screen.queryByText("Your tea timer is done.")).toBeNull());
    expect(snoozeMissed!.isConnected).toBe(true);
    await fireEvent.click(screen.getByRole("button", { name: "Stop" }));
    await waitFor(() => expect(screen.queryByText(/call Anna/)).toBeNull());

    expect(argsOf(bridge, "snooze_ring")).toEqual([{ appointment: 1 }]);
    expect(argsOf(bridge, "stop_ring")).toEqual([{ appointment: 2 }]);
  });
});

describe("a question", () => {
  it("has a button for each option, is reached by F6, and folds to one line", async () => {
    const bridge = await play("question");
    const yes = screen.getByRole("button", { name: "Send once" });
    expect(document.activeElement).toBe(composer());
    await fireEvent.keyDown(window, { key: "F6", shiftKey: true });
    expect(document.activeElement).toBe(yes);

    await fireEvent.click(screen.getByRole("button", { name: "Do not send" }));
    await waitFor(() => expect(yes.isConnected).toBe(false));

    expect(argsOf(bridge, "answer")).toEqual([{ question: 1, text: "Do not send" }]);
    expect(screen.getByText("Shall I send the message to Ana?").parentElement?.textContent).toContain("Do not send");
    expect(document.activeElement).toBe(composer());
  });

  it("takes a free answer where it has no options", async () => {
    const bridge = await play("open");

    await fireEvent.input(screen.getByRole("textbox", { name: "Your answer" }), { target: { value: " Leeds " } });
    await fireEvent.click(screen.getByRole("button", { name: "Answer" }));

    expect(argsOf(bridge, "answer")).toEqual([{ question: 1, text: "Leeds" }]);
  });

  it("does not take the focus from words that are being typed", async () => {
    const bridge = await play("talk");
    await fireEvent.input(composer(), { target: { value: "And " } });

    bridge.emit({
      type: "asked",
      reply: 1,
      text: "Hm",
      origin: "voice",
      at: new Date().toISOString(),
      replacesPrevious: false,
    });
    bridge.emit({ type: "question", reply: 1, question: { id: 1, text: "Really?", options: ["Yes", "No"] } });
    await screen.findByRole("button", { name: "Yes" });

    expect(document.activeElement).toBe(composer());
  });
});

describe("tools", () => {
  it("are shown while they run, each with its outcome", async () => {
    await play("tools");

    const lines = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
    expect(lines).toEqual(expect.arrayContaining(["set timerdone", "web searchnot allowed", "calculatorrunning"]));
    expect(screen.getByText("Working out the tides.")).toBeTruthy();
  });

  it("fold to one line after the reply", async () => {
    await play("used");

    expect(screen.getByText("Used: set timer").tagName).toBe("SUMMARY");
  });
});
