import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { startScene } from "../../dev/scenes";
import { permissions } from "../../dev/tools-example";
import Settings from "../Settings.svelte";
import { effectWords, groupPermissions, usualWords } from "./words";

async function open() {
  location.hash = "#permissions";
  const bridge = startScene("settings");
  render(Settings);
  await screen.findByLabelText("setTimer");
  return bridge;
}

const chosen = (bridge: Awaited<ReturnType<typeof open>>) =>
  bridge.calls.filter(({ command }) => command === "set_tool_permission").map(({ args }) => args);
const rules = () =>
  within(screen.getByRole("list", { name: "What you decided" }))
    .getAllByRole("listitem")
    .map(({ textContent }) => textContent);
const choice = (name: string) => screen.getByLabelText<HTMLSelectElement>(name);

describe("an entry", () => {
  const entry = (name: string) => permissions().find((known) => known.name === name)!;

  it.each([
    ["getTime", "Usual: does not ask", "Reads your data, or computes."],
    ["localFiles", "Usual: asks first", "Can delete data."],
    ["files", "No rule", "A tool server: the rule holds for its tools that have none of their own."],
    ["oldTool", "No rule", "There is no tool or server of this name now."],
  ])("%s has the words of its kind", (name, usual, effect) => {
    expect([usualWords(entry(name)), effectWords(entry(name))]).toEqual([usual, effect]);
  });

  it("stands with those of its server", () => {
    expect(groupPermissions(permissions()).map(({ title, entries }) => [title, entries.length])).toEqual([
      ["Jarvis’s own tools", 4],
      ["Tool server files", 2],
      ["Others in your settings", 1],
    ]);
  });
});

describe("the permissions page", () => {
  it("lists what was decided and every tool with its choice", async () => {
    await open();

    expect(rules()).toEqual([
      "setTimerAlways askRevoke",
      "webSearchNever runRevoke",
      "files__write_fileNever askRevoke",
      "oldToolNever askRevoke",
    ]);
    expect([
      choice("getTime").value,
      choice("setTimer").value,
      choice("webSearch").value,
      choice("files__write_file").value,
    ]).toEqual(["", "ask", "deny", "allow"]);
    expect(screen.getByText(/describes it differently than before/)).toBeTruthy();
  });

  it("stores a choice", async () => {
    const bridge = await open();

    await fireEvent.change(choice("getTime"), { target: { value: "deny" } });

    await waitFor(() => expect(rules()[0]).toContain("getTimeNever run"));
    expect(chosen(bridge)).toEqual([{ name: "getTime", permission: "deny" }]);
  });

  it("revokes a rule, also one of a name that nothing has any more", async () => {
    const bridge = await open();

    await fireEvent.click(screen.getByRole("button", { name: "Revoke the rule for oldTool" }));

    await screen.findByText("The rule for oldTool is gone.");
    expect(chosen(bridge)).toEqual([{ name: "oldTool", permission: null }]);
    expect(screen.queryByLabelText("oldTool")).toBeNull();
  });

  it("keeps the old choice when a new one is refused, and says why", async () => {
    const bridge = await open();
    bridge.commands["set_tool_permission"] = () => {
      throw { code: "io", message: "The settings cannot be written." };
    };

    await fireEvent.change(choice("setTimer"), { target: { value: "allow" } });

    await waitFor(() =>
      expect(screen.getByText("The settings cannot be written.").closest("[role=alert]")).not.toBeNull(),
    );
    await waitFor(() => expect(choice("setTimer").value).toBe("ask"));
  });

  it("agrees to a new description as it is shown", async () => {
    const bridge = await open();

    await fireEvent.click(screen.getByRole("button", { name: "Agree to this description" }));

    await screen.findByText("The new description of files__write_file counts.");
    expect(
      bridge.calls.filter(({ command }) => command === "agree_to_tool_description").map(({ args }) => args),
    ).toEqual([{ name: "files__write_file", shown: "f00d" }]);
    expect(screen.queryByText(/describes it differently than before/)).toBeNull();
  });

  it("shows a description that changed while it was read, and says so", async () => {
    const bridge = await open();
    bridge.commands["agree_to_tool_description"] = () => {
      throw { code: "not_found", message: "It is described in other words by now." };
    };
    bridge.commands["tool_permissions"] = () =>
      permissions().map((entry) => (entry.newDescription === null ? entry : { ...entry, purpose: "Sends a file." }));

    await fireEvent.click(screen.getByRole("button", { name: "Agree to this description" }));

    await screen.findByText("Sends a file.");
    const why = await screen.findByText("It is described in other words by now.");
    expect(why.closest("[role=alert]")).not.toBeNull();
  });

  it("follows changes made elsewhere", async () => {
    const bridge = await open();
    bridge.commands["tool_permissions"] = () => permissions().filter(({ name }) => name === "getTime");

    bridge.emit({ type: "setting", path: "tools.denied", value: [] });

    await screen.findByText("Nothing so far. “Always” as the answer to a question is remembered here.");
    expect(screen.queryByLabelText("setTimer")).toBeNull();
  });
});
