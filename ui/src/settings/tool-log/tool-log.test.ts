import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { startScene } from "../../dev/scenes";
import { calls } from "../../dev/tools-example";
import Settings from "../Settings.svelte";
import { askedWords, reasonWords, tookWords } from "./words";

async function open() {
  location.hash = "#tool-log";
  const bridge = startScene("settings");
  render(Settings);
  await screen.findByText("label: tea, minutes: 4");
  return bridge;
}

const shown = () => within(screen.getByRole("list", { name: "Calls, the newest first" })).getAllByRole("listitem");
const names = () => shown().map((item) => item.querySelector("bdi")!.textContent);

describe("a call", () => {
  const call = calls()[0]!;

  it.each([
    ["allowed", "effect", "Ran without a question."],
    ["denied", "setting", "Not run as your settings say."],
    ["approved", "private_words", "You were asked because private words would have gone out, and agreed."],
    ["declined", "untrusted", "You were asked because text from outside had been read, and said no."],
    ["unanswered", "setting", "You were asked as your settings say, and did not answer."],
    ["none", "", ""],
  ])("%s by %s is told as %j", (decision, grounds, expected) => {
    expect(reasonWords({ ...call, decision, grounds })).toBe(expected);
  });

  it("says who asked and how long it took", () => {
    expect([
      askedWords({ ...call, origin: "voice" }),
      askedWords({ ...call, origin: null, conversation: "bridge" }),
      askedWords({ ...call, origin: "program" }),
      askedWords({ ...call, origin: "program", conversation: "temporary-3-of-bot", program: "bot" }),
    ]).toEqual(["spoken", "asked, in bridge", "by jarvis ask or jarvis mcp", "by the program bot"]);
    expect([tookWords(0), tookWords(4), tookWords(12_345)]).toEqual(["", "4 ms", "12.3 s"]);
  });
});

describe("the tool log", () => {
  it("lists the newest calls first with reason and outcome", async () => {
    await open();

    expect(names()).toEqual(["files__write_file", "webSearch", "setTimer", "getTime"]);
    expect(shown()[1]!.textContent).toContain("Forbidden by your settings");
    expect(shown()[1]!.textContent).toContain("by the program kitchen");
  });

  it("asks for the calls that fit the filter", async () => {
    const bridge = await open();

    await fireEvent.change(screen.getByLabelText("Outcome"), { target: { value: "declined" } });
    await waitFor(() => expect(names()).toEqual(["files__write_file"]));
    await fireEvent.change(screen.getByLabelText("Tool"), { target: { value: "getTime" } });

    await screen.findByText("No call fits.");
    expect(bridge.calls.filter(({ command }) => command === "tool_calls").at(-1)!.args).toEqual({
      tool: "getTime",
      outcome: "declined",
      before: null,
    });
  });

  it("says when no tool was called yet", async () => {
    location.hash = "#tool-log";
    startScene("settings").commands["tool_calls"] = () => [];
    render(Settings);

    expect(await screen.findByText("No tool was called yet.")).toBeTruthy();
  });

  it("goes on to earlier calls where there are more", async () => {
    const bridge = await open();
    const many = (first: number) => Array.from({ length: 100 }, (_, index) => ({ ...calls()[3]!, id: first - index }));
    bridge.commands["tool_calls"] = ({ before }) => (before === null ? many(200) : [{ ...calls()[2]!, id: 100 }]);
    await fireEvent.click(screen.getByRole("button", { name: "Look again" }));

    await fireEvent.click(await screen.findByRole("button", { name: "Show earlier ones" }));

    await waitFor(() => expect(shown()).toHaveLength(101));
    expect(screen.queryByRole("button", { name: "Show earlier ones" })).toBeNull();
  });

  it("follows what happens", async () => {
    const bridge = await open();
    bridge.commands["tool_calls"] = () => [{ ...calls()[3]!, tool: "snooze" }];

    bridge.emit({ type: "done", reply: 1, text: "It is noon.", attachments: [] });

    await waitFor(() => expect(names()).toEqual(["snooze"]));
  });

  it("says why the log could not be read", async () => {
    const bridge = await open();
    bridge.commands["tool_calls"] = () => {
      throw { code: "trouble", message: "The memory is not open." };
    };

    await fireEvent.click(screen.getByRole("button", { name: "Look again" }));

    await waitFor(() => expect(screen.getByText("The memory is not open.").closest("[role=alert]")).not.toBeNull());
  });
});
