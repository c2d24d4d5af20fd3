import { render, screen } from "@testing-library/svelte";
import { expect, it, vi } from "vitest";
import Header from "./Header.svelte";

vi.mock("../shared/platform", () => ({ isMac: true }));

it("names the keys of a Mac", () => {
  const status = { mark: "idle", label: "Ready" } as const;
  render(Header, {
    name: "Jarvis",
    status,
    isMuted: false,
    canListen: true,
    isSpeaking: false,
    onmute: vi.fn(),
    onsettings: vi.fn(),
    onkeys: vi.fn(),
  });

  const names = screen.getAllByRole("button").map((button) => button.getAttribute("aria-label"));
  expect(names).toEqual(["Mute microphone (⌘ Shift M)", "Keys (⌘ /)", "Settings (⌘ ,)"]);
});
