import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { startScene } from "../../dev/scenes";
import Settings from "../Settings.svelte";
import { mayWords, nameError, programsOf } from "./programs";

describe("a name of a program", () => {
  it.each([
    ["kitchen", undefined],
    ["", "Give it a name."],
    ["my bot", "Use letters from A to Z, digits, - and _."],
    ["b".repeat(41), "Use at most 40 letters."],
    ["bot", "There is a program named bot already. Choose another name."],
  ])("%j is answered with %j", (name, expected) => {
    expect(nameError(name, [{ name: "bot", may: [] }])).toBe(expected);
  });
});

it.each([
  [[], "May do nothing"],
  [["audio", "ask"], "May ask, hear and speak"],
])("%j is told as %j", (may, expected) => {
  expect(mayWords(may)).toBe(expected);
});

it("programs are listed by their names", () => {
  const value = { node: { sha256: "0", may: ["ask"] }, bot: { sha256: "1" } };
  const field = { path: "programs.keys", value } as unknown as Parameters<typeof programsOf>[0][number];

  expect(programsOf([field])).toEqual([
    { name: "bot", may: [] },
    { name: "node", may: ["ask"] },
  ]);
});

describe("the page", () => {
  async function open() {
    const scene = startScene("settings");
    history.replaceState(null, "", "#programs");
    render(Settings);
    await screen.findByRole("heading", { name: "Other programs" });
    return scene;
  }

  it("gives a key and shows it once", async () => {
    await open();

    await fireEvent.input(screen.getByLabelText("Name"), { target: { value: "kitchen" } });
    await fireEvent.click(screen.getByRole("checkbox", { name: /Use tools/ }));
    await fireEvent.click(screen.getByRole("button", { name: "Make a key" }));

    const key = await screen.findByLabelText<HTMLInputElement>(/Key of/);
    expect(key.value).toMatch(/^kitchen:/);
    await waitFor(() => expect(document.activeElement).toBe(key));
    const list = screen.getByRole("list", { name: "Programs with a key" });
    expect(within(list).getByText("May ask, use tools")).toBeTruthy();
  });

  it("says what is missing", async () => {
    await open();

    await fireEvent.click(screen.getByRole("checkbox", { name: /^Ask/ }));
    await fireEvent.click(screen.getByRole("button", { name: "Make a key" }));

    expect(await screen.findByText("Give it a name.")).toBeTruthy();
    expect(screen.getByText("Choose at least one.")).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText("Name"));
  });

  it("asks back before it revokes a key", async () => {
    await open();
    await fireEvent.input(screen.getByLabelText("Name"), { target: { value: "bot" } });
    await fireEvent.click(screen.getByRole("button", { name: "Make a key" }));
    const row = (await screen.findByRole("heading", { name: "bot" })).closest("li")!;

    await fireEvent.click(within(row).getByRole("button", { name: "Revoke" }));
    expect(document.activeElement).toBe(within(row).getByRole("button", { name: "Keep" }));
    await fireEvent.click(within(row).getByRole("button", { name: "Revoke" }));

    await waitFor(() => expect(screen.queryByRole("heading", { name: "bot" })).toBeNull());
  });
});
