import { fireEvent, render, screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { startScene } from "../dev/scenes";
import Overlay from "./Overlay.svelte";

describe("the overlay", () => {
  it("stops the voice", async () => {
    const bridge = startScene("speaking");
    render(Overlay);
    expect(await screen.findByText("Saturday at ten is in the calendar.")).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: "Stop (Escape)" }));

    expect(bridge.calls.at(-1)?.command).toBe("stop");
  });

  it("unmutes", async () => {
    const bridge = startScene("muted");
    render(Overlay);
    await fireEvent.click(await screen.findByRole("button", { name: "Unmute" }));

    expect(bridge.calls.at(-1)).toEqual({ command: "set_muted", args: { isMuted: false } });
  });
});
