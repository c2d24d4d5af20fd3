import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { settledLength } from "./draft";
import { bytesWords, percentOf, secondsWords } from "./format";
import { loudness } from "./level";
import { rememberAppearance } from "./theme";
import { throttle } from "./throttle";
import { stageWords } from "./trouble";

describe("amounts", () => {
  it.each([
    [0, "0 bytes"],
    [999, "999 bytes"],
    [82_000_000, "82 MB"],
    [1_900_000_000, "1.9 GB"],
    [2_000_000_000, "2 GB"],
    [15_400_000_000, "15 GB"],
    [999_900_000, "1 GB"],
  ])("%d read %j", (bytes, expected) => {
    expect(bytesWords(bytes).replace("\u00a0", " ")).toBe(expected);
  });

  it.each([
    [3, "a few seconds"],
    [51, "50 seconds"],
    [58, "a minute"],
    [130, "2 minutes"],
    [3700, "an hour"],
    [8000, "2 hours"],
  ])("%d seconds read %j", (secs, expected) => {
    expect(secondsWords(secs)).toBe(expected);
  });

  it("are whole per cent, and 100 only at the end", () => {
    expect([percentOf(999, 1000), percentOf(1000, 1000), percentOf(5, 0)]).toEqual([99, 100, 0]);
  });
});

describe("a level", () => {
  it.each([
    [-120, 0],
    [-55, 0],
    [-12, 1],
    [0, 1],
  ])("of %d dBFS moves the bars by %d", (dbfs, expected) => {
    expect(loudness(dbfs)).toBe(expected);
  });
});

/** Every stage the Rust side tells of: `Stage` of the crate vocabulary, and those of the crate desktop. */
const STAGES = [
  ..."microphone speaker recognition language_model voice memory settings keychain download instance command_center tool_servers enrolled_voices".split(
    " ",
  ),
  ..."talk_key at_login".split(" "),
];

describe("a trouble", () => {
  it.each(STAGES)("of %s has a name", (stage) => {
    expect(stageWords(stage)).not.toEqual(stageWords("hologram"));
  });
});

describe("a draft", () => {
  it.each([
    ["", "will it", 0],
    ["will it", "will it stay", 7],
    ["will it stay", "will is stay", 4],
    ["will", "wilful", 0],
    ["all of it", "all of it", 9],
  ])("that was %j and is %j is settled up to %d", (before, now, expected) => {
    expect(settledLength(before, now)).toBe(expected);
  });
});

describe("a throttled call", () => {
  afterEach(() => vi.useRealTimers());

  it("comes at once, then the last of those too soon", () => {
    vi.useFakeTimers();
    const calls: string[] = [];
    const call = throttle((value: string) => calls.push(value), 1000);

    ["a", "b", "c"].forEach(call);
    expect(calls).toEqual(["a"]);
    vi.advanceTimersByTime(1000);
    expect(calls).toEqual(["a", "c"]);
    vi.advanceTimersByTime(5000);
    expect(calls).toEqual(["a", "c"]);
  });
});

describe("the appearance", () => {
  it("is applied from what was remembered", () => {
    vi.stubGlobal("matchMedia", (query: string) => ({ matches: query.includes("dark"), addEventListener: () => {} }));
    const { dataset } = document.documentElement;

    localStorage.clear();
    new Function(readFileSync("public/theme.js", "utf8"))();
    expect({ ...dataset }).toEqual({ theme: "dark", contrast: "standard" });

    rememberAppearance([
      { path: "appearance.theme", value: "light" },
      { path: "appearance.contrast", value: "more" },
      { path: "audio.volume", value: 1 },
    ]);
    expect({ ...dataset }).toEqual({ theme: "light", contrast: "more" });
    expect(localStorage.length).toBe(2);

    rememberAppearance([{ path: "appearance.theme", value: "system" }]);
    expect(dataset["theme"]).toBe("dark");
    vi.unstubAllGlobals();
  });

  it.each([
    ["?opaque", true],
    ["", false],
  ])("of the overlay at %j fills the window: %s", (search, expected) => {
    history.replaceState(null, "", `/${search}`);
    new Function(readFileSync("public/theme.js", "utf8"))();

    expect(document.documentElement.classList.contains("is-opaque")).toBe(expected);
  });
});
