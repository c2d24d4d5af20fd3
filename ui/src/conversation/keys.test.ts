import { fireEvent, screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { argsOf, clipboard, composer, open, STORED } from "../dev/open-conversation";

afterEach(() => vi.unstubAllGlobals());

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
