import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { beforeEach, describe, expect, it } from "vitest";
import type { FakeBridge } from "../../dev/bridge";
import { placesNamed } from "../../dev/places-example";
import { startScene } from "../../dev/scenes";
import Settings from "../Settings.svelte";
import { foundWords, whereWords } from "./words";

let bridge: FakeBridge;

const argsOf = (command: string) => bridge.calls.filter((call) => call.command === command).map(({ args }) => args);
const box = () => screen.getByRole<HTMLInputElement>("combobox", { name: "Find a place" });
const options = () => screen.queryAllByRole("option").map(({ textContent }) => textContent);

async function type(query: string) {
  await fireEvent.input(box(), { target: { value: query } });
}

async function openWith(query: string) {
  await type(query);
  await waitFor(() => expect(options()).not.toEqual([]));
}

beforeEach(async () => {
  location.hash = "#location";
  bridge = startScene("settings");
  render(Settings);
  await screen.findByRole("heading", { name: "Location" });
});

describe("a place", () => {
  it("is found by its name, asked for once however fast it is typed", async () => {
    await type("Le");
    await type("Lee");
    await openWith("Leed");

    expect(argsOf("places")).toEqual([{ query: "Leed" }]);
    expect(options()).toEqual(["LeedsEngland, United Kingdom", "LeedsAlabama, United States"]);
    expect(screen.getByText("2 places")).toBeTruthy();
    expect(box().getAttribute("aria-expanded")).toBe("true");
  });

  it("is chosen with the arrows and Enter", async () => {
    await openWith("leeds");
    await fireEvent.keyDown(box(), { key: "ArrowDown" });
    const active = document.getElementById(box().getAttribute("aria-activedescendant") ?? "");
    expect(active?.textContent).toBe("LeedsAlabama, United States");
    expect(screen.getByRole("option", { selected: true })).toBe(active);

    await fireEvent.keyDown(box(), { key: "Enter" });
    await screen.findByText("The place is Leeds, Alabama, United States.");
    expect(argsOf("set_setting")).toEqual([
      { path: "location.place", value: "Leeds, Alabama, United States" },
      { path: "location.time_zone", value: "America/Chicago" },
    ]);
    expect(box().value).toBe("");
    expect(options()).toEqual([]);
  });

  it("is chosen with the mouse", async () => {
    await openWith("whit");
    await fireEvent.click(screen.getByRole("option", { name: /Ontario/ }));

    await waitFor(() => expect(argsOf("set_setting")).toHaveLength(2));
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Time zone" }).value).toBe("America/Toronto");
  });

  it("is forgotten together with its time zone", async () => {
    await fireEvent.click(await screen.findByRole("button", { name: "Forget place" }));

    await screen.findByText("No place chosen. Questions about the weather will need one.");
    expect(argsOf("reset_setting")).toEqual([{ path: "location.place" }, { path: "location.time_zone" }]);
  });
});

describe("the desktop", () => {
  const asks = () => screen.getByRole("switch", { name: "Ask the desktop where you are" });

  beforeEach(async () => {
    await fireEvent.click(await screen.findByRole("button", { name: "Forget place" }));
    await screen.findByText("No place chosen. Questions about the weather will need one.");
    await fireEvent.click(asks());
  });

  it("is asked when the user allows it, and says why it tells nothing", async () => {
    await screen.findByText("Asking the desktop …");
    await screen.findByText(/Allow it in the privacy settings/, {}, { timeout: 3000 });
  });

  it("is asked again, and names the town", async () => {
    await fireEvent.click(await screen.findByRole("button", { name: "Try again" }, { timeout: 3000 }));

    await screen.findByText("Leeds, England, United Kingdom", {}, { timeout: 3000 });
    expect(screen.getByText("From the desktop")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
    expect(argsOf("look_for_location")).toHaveLength(1);
  });
});

describe("the list of places", () => {
  it("goes round at its ends", async () => {
    await openWith("leeds");
    await fireEvent.keyDown(box(), { key: "ArrowUp" });

    expect(screen.getByRole("option", { selected: true }).textContent).toContain("Alabama");
  });

  it("closes with Escape, and a second one empties the field", async () => {
    await openWith("leeds");
    await fireEvent.keyDown(box(), { key: "Escape" });
    expect([options(), box().value]).toEqual([[], "leeds"]);

    await fireEvent.keyDown(box(), { key: "Escape" });
    expect(box().value).toBe("");
    expect(argsOf("stop")).toEqual([]);
  });

  it("says when there is none", async () => {
    await type("Xyzzy");

    expect(await screen.findByText(/^Nothing called “Xyzzy” in the list\./)).toBeTruthy();
  });

  it("drops an answer that comes after that to newer words", async () => {
    let answerLate = (_: unknown) => {};
    const late = new Promise((resolve) => (answerLate = resolve));
    bridge.commands["places"] = ({ query }) => (query === "le" ? late : placesNamed(String(query)));
    await type("le");
    await waitFor(() => expect(argsOf("places")).toHaveLength(1));
    await openWith("whitby");
    answerLate(placesNamed("le"));
    await late;

    expect(options()).toHaveLength(3);
  });
});

describe("what the model is told", () => {
  it("is the very line, and follows each change", async () => {
    expect(await screen.findByText(/The user is in Whitby, United Kingdom\.$/)).toBeTruthy();
    await openWith("singapore");
    await fireEvent.keyDown(box(), { key: "Enter" });

    expect(await screen.findByText(/\(Asia\/Singapore\)\. The user is in Singapore, Singapore\.$/)).toBeTruthy();
  });
});

describe("words of places", () => {
  it.each([
    [{ name: "Leeds", region: "England", country: "United Kingdom" }, "England, United Kingdom"],
    [{ name: "Singapore", region: "", country: "Singapore" }, ""],
    [{ name: "Nuuk", region: "", country: "Greenland" }, "Greenland"],
  ])("%j is in %j", (place, expected) => {
    expect(whereWords({ ...place, timeZone: "", label: "" })).toBe(expected);
  });

  it("say how many there are", () => {
    expect([foundWords(1, "a"), foundWords(8, "a")]).toEqual(["1 place", "8 places"]);
  });
});
