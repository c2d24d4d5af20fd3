import { fireEvent, screen, waitFor } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { clipboard, open, STORED } from "../dev/open-conversation";

afterEach(() => vi.unstubAllGlobals());

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
