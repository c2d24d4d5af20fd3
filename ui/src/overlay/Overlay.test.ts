import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startScene } from "../dev/scenes";
import Overlay from "./Overlay.svelte";

afterEach(() => vi.useRealTimers());

describe("the overlay", () => {
  it("stops the voice", async () => {
    const bridge = startScene("speaking");
    render(Overlay);
    expect(await screen.findByText("Saturday at ten is in the calendar.")).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: "Stop" }));

    expect(bridge.calls.at(-1)?.command).toBe("stop");
  });

  it("listens no longer when that is not wanted", async () => {
    const bridge = startScene("hearing");
    render(Overlay);
    await fireEvent.click(await screen.findByRole("button", { name: "Stop listening" }));

    expect(bridge.calls.at(-1)?.command).toBe("stop");
    expect(bridge.calls.filter(({ command }) => command === "let_clicks_through").at(-1)?.args).toEqual({
      isThrough: false,
    });
  });

  it("unmutes", async () => {
    const bridge = startScene("muted");
    render(Overlay);
    await fireEvent.click(await screen.findByRole("button", { name: "Unmute" }));

    expect(bridge.calls.at(-1)).toEqual({ command: "set_muted", args: { isMuted: false } });
  });

  it("says why a button did nothing", async () => {
    const bridge = startScene("muted");
    bridge.commands["set_muted"] = () => {
      throw { code: "no_device", message: "There is no microphone." };
    };
    render(Overlay);
    const unmute = await screen.findByRole("button", { name: "Unmute" });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await fireEvent.click(unmute);
    expect(screen.getByText("There is no microphone.")).toBeTruthy();

    await vi.advanceTimersByTimeAsync(4000);
    bridge.emit({ type: "level", dbfs: -30 });
    await vi.advanceTimersByTimeAsync(2500);
    expect(screen.queryByText("There is no microphone.")).toBeNull();
  });

  it("shows what failed", async () => {
    const bridge = startScene("error");
    render(Overlay);
    await fireEvent.click(await screen.findByRole("button", { name: "Details" }));

    expect(bridge.calls.at(-1)).toEqual({ command: "open_window", args: { window: "conversation" } });
  });

  it("takes the mouse only while there is something to press", async () => {
    const bridge = startScene("muted");
    const told = () =>
      bridge.calls.filter(({ command }) => command === "let_clicks_through").map(({ args }) => args["isThrough"]);
    render(Overlay);
    await screen.findByRole("button", { name: "Unmute" });
    expect(told()).toEqual([true, false]);

    bridge.emit({ type: "state", state: "idle" }, { type: "muted", isMuted: false });
    await waitFor(() => expect(told()).toEqual([true, false, true]));
  });

  it("stops with Escape", async () => {
    const bridge = startScene("speaking");
    render(Overlay);
    await fireEvent.keyDown(window, { key: "Escape" });

    expect(bridge.calls.map(({ command }) => command)).toContain("stop");
  });
});
