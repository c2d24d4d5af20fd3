import { describe, expect, it } from "vitest";
import { fields } from "../dev/settings-example";
import { ADVANCED, advancedWords, partFields } from "./advanced";

const fieldAt = (path: string) => fields().filter((field) => field.path === path);

describe("advanced settings", () => {
  it.each([...ADVANCED])("%s is a setting", (path) => {
    expect(fieldAt(path)).toHaveLength(1);
  });

  it("stand below the others, and none is lost", () => {
    const { basic, advanced } = partFields(fields().filter(({ section }) => section === "llm"));

    expect(basic.map(({ path }) => path)).toEqual(["llm.provider", "llm.base_url", "llm.chat_model"]);
    expect(advanced.map(({ path }) => path)).toEqual([
      "llm.fast_model",
      "llm.context_tokens",
      "llm.max_reply_tokens",
      "llm.temperature",
      "llm.think",
      "llm.silence_timeout_secs",
    ]);
  });

  it("say how many of them are changed", () => {
    const one = fieldAt("llm.temperature");

    expect(advancedWords(one)).toBe("1 changed");
    expect(advancedWords(fieldAt("llm.context_tokens"))).toBe("");
  });
});
