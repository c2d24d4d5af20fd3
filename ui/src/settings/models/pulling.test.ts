import { describe, expect, it } from "vitest";
import type { PullStatus } from "../../api/types/PullStatus";
import type { PullView } from "../../api/types/PullView";
import { pullAnnouncement, pullWords, withListed, withPull } from "./pulling";

const MB = 1_000_000;
const downloading = (percent: number): PullStatus => ({
  type: "downloading",
  bytes: percent * 10 * MB,
  total: 1000 * MB,
  percent,
  bytesPerSec: 10 * MB,
});
const failed: PullStatus = { type: "failed", what: "It is not there.", remedy: "Check the name." };
const pull = (model: string, status: PullStatus, address = "here"): PullView => ({ model, address, status });
const plain = (words: string[]) => words.map((word) => word.replaceAll("\u00a0", " "));

describe("a pull", () => {
  it.each<[PullStatus, string[]]>([
    [{ type: "lookingUp" }, ["Looking it up"]],
    [downloading(50), ["500 MB of 1 GB", "10 MB a second", "about 50 seconds left"]],
    [{ type: "checking" }, ["Checking"]],
    [failed, ["It is not there. Check the name."]],
  ])("%j is told as %j", (status, expected) => {
    expect(plain(pullWords(status))).toEqual(expected);
  });

  it.each<[PullStatus, PullStatus, string]>([
    [{ type: "lookingUp" }, downloading(10), ""],
    [downloading(10), downloading(30), "a: 25 % pulled."],
    [downloading(30), downloading(40), ""],
    [{ type: "checking" }, { type: "done" }, "a was pulled."],
    [downloading(30), failed, "a: It is not there. Check the name."],
    [failed, { type: "lookingUp" }, ""],
    [failed, failed, ""],
  ])("from %j to %j says %j", (before, now, expected) => {
    expect(pullAnnouncement(pull("a", before), pull("a", now))).toBe(expected);
  });
});

it("that ended before it was seen is announced", () => {
  expect(pullAnnouncement(undefined, pull("a", failed))).toBe("a: It is not there. Check the name.");
  expect(pullAnnouncement(undefined, pull("a", { type: "lookingUp" }))).toBe("");
});

describe("the pulls", () => {
  const ended = [pull("failed", failed), pull("done", { type: "done" }), pull("far", failed, "there")];

  it("keep their order while one gets further", () => {
    const both = [pull("a", downloading(1)), pull("b", downloading(1))];

    expect(withPull(both, pull("a", downloading(2)))).toEqual([pull("a", downloading(2)), both[1]]);
  });

  it("lose what ended on a server when the next begins there", () => {
    const next = pull("next", { type: "lookingUp" });

    expect(withPull(ended, next)).toEqual([ended[2], next]);
  });

  it("lose one that was cancelled", () => {
    expect(withPull([pull("a", downloading(1))], pull("a", { type: "cancelled" }))).toEqual([]);
  });

  it("keep what is done when they are listed anew", () => {
    expect(withListed([...ended, pull("a", downloading(1))], [])).toEqual([ended[1]]);
  });
});
