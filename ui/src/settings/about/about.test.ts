import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startScene } from "../../dev/scenes";
import Settings from "../Settings.svelte";
import { fromFile, groupNotices, noticeName, type NoticesFile } from "./notices";

const file = readFileSync("public/notices.json", "utf8");
const real = fromFile(JSON.parse(file) as NoticesFile);

async function open(response: Response) {
  location.hash = "#about";
  vi.stubGlobal(
    "fetch",
    vi.fn(async () => response),
  );
  startScene("settings");
  render(Settings);
  await screen.findByRole("heading", { level: 2, name: "About Jarvis" });
}
const groupOf = (title: string) => screen.getByText(title, { exact: false, selector: "summary" }).closest("details")!;

afterEach(() => vi.unstubAllGlobals());

async function unfold(details: HTMLDetailsElement) {
  details.open = true;
  await fireEvent(details, new Event("toggle"));
}

describe("the notices", () => {
  it("name what Jarvis is made of, each with its licence", () => {
    const names = real.components.map(noticeName);

    for (const name of [
      "serde",
      "tauri",
      "svelte",
      "whisper.cpp",
      "llama.cpp",
      "SQLCipher",
      "onnxruntime",
      "espeak-ng",
      "Lucide",
      "GeoNames",
    ]) {
      expect(
        names.some((known) => known.includes(name)),
        name,
      ).toBe(true);
    }
    expect(real.components.filter(({ licence }) => licence === "")).toEqual([]);
  });

  it("are grouped without losing one", () => {
    const strange = { kind: "hologram", name: "x", version: "", licence: "MIT", texts: [] };
    const groups = groupNotices([...real.components, strange]);

    expect(groups.reduce((sum, { notices }) => sum + notices.length, 0)).toBe(real.components.length + 1);
    expect(groups.at(-1)).toEqual({ kind: "other", title: "Other", notices: [strange] });
  });
});

describe("the about page", () => {
  it("unfolds a group, then the text of a licence", async () => {
    await open(new Response(file));
    const group = (await screen.findByText("Libraries", { exact: false, selector: "summary" })).closest("details")!;
    expect(within(group).queryByText(/SQLCipher/)).toBeNull();

    await unfold(group);
    const work = within(group)
      .getByText(/SQLCipher/)
      .closest("details")!;
    await unfold(work);

    expect(within(work).getByRole("region", { name: /^Licence of SQLCipher/ }).textContent).toContain("Zetetic LLC");
  });

  it("shows the licence of each model of the catalogue", async () => {
    await open(new Response(file));
    await screen.findByText("Libraries", { exact: false, selector: "summary" });
    const models = groupOf("Models, downloaded on request");
    await unfold(models);

    expect(within(models).getByText("en_US-joe-medium").parentElement?.textContent).toContain("CC0-1.0");
  });

  it("says when they cannot be read", async () => {
    await open(new Response("", { status: 404 }));

    expect(
      (await screen.findByText("The notices could not be read (404). Install Jarvis again.")).closest("[role=alert]"),
    ).not.toBeNull();
  });
});
