import { describe, expect, it } from "vitest";
import type { EventView } from "../api/types/EventView";
import { fields as exampleFields } from "../dev/settings-example";
import { models as exampleModels } from "../dev/models-example";
import { clamp, isAmount, parseNumber, stepOf } from "./numbers";
import { piecesOf, searchFields, termsOf } from "./search";
import { groupsOf } from "./sections";
import { applyEvents, EMPTY, withField, withRefusal } from "./state";
import { foundWords, isWide, valueWords } from "./words";

const FIELDS = exampleFields();
const paths = (query: string) => searchFields(FIELDS, query).map(({ path }) => path);
function fieldAt(path: string) {
  const field = FIELDS.find((candidate) => candidate.path === path);
  if (!field) throw new Error(`There is no setting ${path}.`);
  return field;
}

describe("search", () => {
  it.each([
    ["misheard", ["listening.wake_aliases"]],
    ["hot window", ["listening.hot_window_secs"]],
    ["WAKE name", ["listening.wake_word", "listening.wake_aliases", "listening.wake_fuzzy_ratio"]],
    ["hot_window", ["listening.hot_window_secs"]],
    ["newest message", ["replying.context_position"]],
    ["ollama", ["llm.provider", "llm.context_tokens", "models.idle_unload_mins"]],
    ["walnut", []],
  ])("for %j", (query, expected) => {
    expect(paths(query)).toEqual(expected);
  });

  it("finds words whatever their accents", () => {
    expect(piecesOf("Café au lait", termsOf("cafe"))).toEqual([
      { text: "Café", isFound: true },
      { text: " au lait", isFound: false },
    ]);
  });

  it.each([
    [
      "Wake word",
      "w",
      [
        ["W", true],
        ["ake ", false],
        ["w", true],
        ["ord", false],
      ],
    ],
    ["aaa", "aa", [["aaa", true]]],
    ["Voice", "", [["Voice", false]]],
    [
      "Stop words",
      "stop word",
      [
        ["Stop", true],
        [" ", false],
        ["word", true],
        ["s", false],
      ],
    ],
  ])("marks in %j the words %j", (text, query, expected) => {
    expect(piecesOf(text, termsOf(query)).map((piece) => [piece.text, piece.isFound])).toEqual(expected);
  });

  it("says how much it found", () => {
    expect(foundWords(0, "walnut", 30)).toBe("Nothing about “walnut” in 30 settings.");
    expect(foundWords(1, "wake", 30)).toBe("1 setting about “wake”.");
    expect(foundWords(2, "wake", 30)).toBe("2 settings about “wake”.");
  });
});

describe("sections", () => {
  it("come in groups, and none is lost", () => {
    const strange = { ...fieldAt("audio.volume"), path: "moon.phase", section: "moon", sectionLabel: "Moon" };
    const groups = groupsOf([...FIELDS, strange]);

    expect(groups.map(({ label, sections }) => [label, sections.map(({ id }) => id)])).toEqual([
      ["General", ["appearance", "keys", "startup"]],
      ["Voice", ["audio", "hearing", "listening", "speaking"]],
      ["Mind", ["models", "llm", "replying", "memory", "location", "web", "command_center"]],
      ["Tools", ["tools", "routines", "permissions", "mcp", "programs", "tool-log"]],
      ["More", ["moon"]],
      ["Jarvis", ["privacy", "about"]],
    ]);
  });

  it("have the models beside whatever there is to set", () => {
    const sections = groupsOf(FIELDS.slice(0, 1)).flatMap((group) => group.sections);
    expect(sections).toContainEqual({ id: "models", label: "Models", icon: "cpu" });
  });

  it("are none before the fields are there, so that the list does not grow under the pointer", () => {
    expect(groupsOf([])).toEqual([]);
  });
});

describe("settings", () => {
  const state = { ...EMPTY, fields: FIELDS, models: exampleModels() };

  it("follow changes made elsewhere", () => {
    const changed = applyEvents(state, [{ type: "setting", path: "listening.wake_word", value: "computer" }]);
    const back = applyEvents(changed, [{ type: "setting", path: "listening.wake_word", value: "jarvis" }]);

    expect(changed.fields.find(({ path }) => path === "listening.wake_word")).toMatchObject({
      value: "computer",
      isChanged: true,
    });
    expect(back.fields.find(({ path }) => path === "listening.wake_word")).toMatchObject({
      value: "jarvis",
      isChanged: false,
    });
    expect(applyEvents(state, [{ type: "setting", path: "no.such", value: 1 }])).toEqual(state);
  });

  it.each<[string, EventView, number]>([
    ["muted", { type: "muted", isMuted: true }, -120],
    ["unmuted", { type: "muted", isMuted: false }, -20],
    ["switched off", { type: "setting", path: "listening.enabled", value: false }, -120],
    ["renamed", { type: "setting", path: "listening.wake_word", value: "friday" }, -20],
    ["unplugged", { type: "trouble", trouble: { stage: "microphone", what: "Unplugged.", remedy: "" } }, -120],
    ["without a voice", { type: "trouble", trouble: { stage: "voice", what: "None.", remedy: "" } }, -20],
  ])("show the level of a microphone that is %s", (_, event, expected) => {
    expect(applyEvents(state, [{ type: "level", dbfs: -20 }, event]).dbfs).toBe(expected);
  });

  it("stay as they are when something else happens", () => {
    expect(applyEvents(state, [{ type: "delta", reply: 1, text: "Yes" }])).toBe(state);
  });

  it("keep the old value when a new one is refused, until one is taken", () => {
    const field = fieldAt("listening.wake_word");
    const refused = withRefusal(state, field.path, "It cannot be empty.");

    expect(refused.fields).toBe(state.fields);
    expect(refused.refusals).toEqual({ "listening.wake_word": "It cannot be empty." });
    expect(withField(refused, field).refusals).toEqual({});
  });

  it("replace a model by its news", () => {
    const model = { ...state.models.models[0]!, status: { type: "ready" } as const };

    expect(applyEvents(state, [{ type: "model", model }]).models?.models[0]).toEqual(model);
    expect(applyEvents(EMPTY, [{ type: "model", model }]).models).toBeNull();
  });
});

describe("words of values", () => {
  it.each([
    ["replying.context_position", "newest_message", "With the question"],
    ["llm.provider", "auto", "Automatic"],
    ["llm.provider", "openai", "A server like OpenAI’s"],
    ["appearance.contrast", "more", "More"],
  ])("the choice of %s called %j reads %j", (path, defaultValue, expected) => {
    expect(valueWords({ ...fieldAt(path), defaultValue })).toBe(expected);
  });

  it.each([
    ["appearance.theme", false],
    ["llm.provider", false],
    ["replying.context_position", true],
    ["llm.base_url", false],
    ["memory.embeddings", true],
    ["listening.stop_words", true],
    ["audio.volume", false],
  ])("the control of %s needs a line of its own: %s", (path, expected) => {
    expect(isWide(fieldAt(path).kind)).toBe(expected);
  });

  it.each([
    ["listening.enabled", "on"],
    ["listening.hot_window_secs", "3 s"],
    ["audio.volume", "1"],
    ["listening.stop_words", "stop, quiet, shush, silence, enough, shut up"],
    ["replying.context_position", "With the question"],
    ["llm.base_url", "the usual"],
    ["keys.talk", "Ctrl+Shift+Space"],
  ])("the default of %s reads %j", (path, expected) => {
    expect(valueWords(fieldAt(path))).toBe(expected);
  });
});

describe("numbers", () => {
  it.each([
    [0, 1, false, 0.01],
    [0, 30, false, 0.5],
    [0.5, 2.5, false, 0.02],
    [100, 5000, true, 50],
    [0, 64, true, 1],
    [1024, 131_072, true, 2000],
  ])("from %d to %d (whole: %s) step by %d", (min, max, isWhole, expected) => {
    expect(stepOf(min, max, isWhole)).toBeCloseTo(expected);
  });

  it.each([
    ["a port", 1, 65535, "", false],
    ["requests in a minute", 1, 6000, "", true],
    ["a share", 0, 1, "", true],
    ["tokens", 1024, 131072, "tokens", true],
  ])("has a slider where a larger number means more: %s", (_, min, max, unit, expected) => {
    expect(isAmount(min, max, unit)).toBe(expected);
  });

  it.each([
    ["5", 5],
    [" 0,8 ", 0.8],
    ["−3", -3],
    ["", null],
    ["five", null],
  ])("%j is %j", (typed, expected) => {
    expect(parseNumber(typed)).toBe(expected);
  });

  it("stay in their range", () => {
    expect([clamp(-1, 0, 5), clamp(3, 0, 5), clamp(9, 0, 5)]).toEqual([0, 3, 5]);
  });
});
