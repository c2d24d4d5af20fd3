import { describe, expect, it } from "vitest";
import type { ModelStatus } from "../../api/types/ModelStatus";
import { models } from "../../dev/models-example";
import { groupModels, licenceWords, progressAnnouncement, progressOf, progressWords } from "./words";

const MB = 1_000_000;
const [example] = models().models;
const withStatus = (status: ModelStatus) => ({ ...example!, name: "Whisper", status });
const downloading = (bytes: number, bytesPerSec = 10 * MB): ModelStatus => ({
  type: "downloading",
  bytes,
  total: 200 * MB,
  bytesPerSec,
});
const plain = (words: string[]) => words.map((word) => word.replaceAll("\u00a0", " "));

describe("models", () => {
  it("are grouped by what they are for, in the order of importance", () => {
    const groups = groupModels(models().models).map(({ title, models }) => [title, models.length]);

    expect(groups).toEqual([
      ["Language", 4],
      ["Hearing", 3],
      ["Speaking", 2],
      ["Other", 1],
    ]);
  });
});

describe("a licence", () => {
  it.each([
    ["CC0-1.0", "CC0-1.0"],
    ["https://huggingface.co/rhasspy/piper-voices/MODEL_CARD", "licence: huggingface.co"],
  ])("%j is shown as %j", (licence, expected) => {
    expect(licenceWords(licence)).toBe(expected);
  });
});

describe("a download", () => {
  it.each<[ModelStatus, string[]]>([
    [downloading(50 * MB), ["50 MB of 200 MB", "10 MB a second", "about 20 seconds left"]],
    [downloading(0, 0), ["0 bytes of 200 MB", "waiting for the first bytes"]],
    [{ type: "paused", bytes: 50 * MB, total: 200 * MB }, ["50 MB of 200 MB kept"]],
    [{ type: "ready" }, []],
  ])("%j is told as %j", (status, expected) => {
    expect(plain(progressWords(status))).toEqual(expected);
  });

  it("has a share of the whole while it is not there", () => {
    expect([progressOf(downloading(50 * MB)), progressOf({ type: "absent" })]).toEqual([25, null]);
  });

  it.each<[ModelStatus, ModelStatus, string]>([
    [downloading(40 * MB), downloading(49 * MB), ""],
    [downloading(40 * MB), downloading(50 * MB), "Whisper: 25 % downloaded."],
    [downloading(40 * MB), downloading(160 * MB), "Whisper: 75 % downloaded."],
    [downloading(160 * MB), downloading(190 * MB), ""],
    [downloading(190 * MB), { type: "checking" }, ""],
    [{ type: "checking" }, { type: "ready" }, "Whisper: 100 % downloaded and checked."],
    [{ type: "checking" }, { type: "failed", what: "It differs.", remedy: "Again." }, "Whisper: It differs. Again."],
    [{ type: "ready" }, { type: "inUse" }, ""],
  ])("from %j to %j says %j", (before, now, expected) => {
    expect(progressAnnouncement(withStatus(before), withStatus(now))).toBe(expected);
  });

  it("says nothing of a model seen for the first time", () => {
    expect(progressAnnouncement(undefined, withStatus({ type: "ready" }))).toBe("");
  });
});
