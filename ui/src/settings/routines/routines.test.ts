import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { startScene } from "../../dev/scenes";
import Settings from "../Settings.svelte";
import { readDraft } from "./routines";

describe("a draft", () => {
  const known = { night: { phrases: ["good night"], commands: ["pause the music"] } };
  const draft = (name: string, phrases: string, commands: string) => readDraft({ name, phrases, commands }, known);

  it("has a phrase and a command a line", () => {
    expect(draft(" tea ", "tea time\n\n time for tea ", "set a timer for 4 minutes\n")).toEqual({
      routine: { phrases: ["tea time", "time for tea"], commands: ["set a timer for 4 minutes"] },
    });
  });

  it.each([
    [draft("", "a", "b"), { name: "Give it a name." }],
    [draft("n".repeat(41), "a", "b"), { name: "Use at most 40 letters." }],
    [draft("night", "a", "b"), { name: "There is a routine named night already. Choose another name." }],
    [draft("tea", " \n", "b"), { phrases: "Write what you will say." }],
    [draft("tea", "...", "b"), { phrases: "“...” has no words." }],
    [draft("tea", "Good night", "b"), { phrases: "“Good night” starts night already." }],
    [draft("tea", "a", ""), { commands: "Write what Jarvis shall do." }],
    [draft("tea", "a", "b\n".repeat(21)), { commands: "Use at most 20 lines." }],
    [draft("tea", "a", "b\n?"), { commands: "“?” has no words." }],
  ])("%j says what is wrong", (read, errors) => {
    expect(read).toEqual({ errors });
  });

  it("may keep its own name and phrase when it is changed", () => {
    const changed = readDraft({ name: "night", phrases: "good night", commands: "stop" }, known, "night");

    expect(changed).toEqual({ routine: { phrases: ["good night"], commands: ["stop"] } });
  });
});

describe("the page", () => {
  async function open() {
    startScene("settings");
    history.replaceState(null, "", "#routines");
    render(Settings);
    await screen.findByRole("heading", { name: "Routines" });
  }
  const fill = (label: string, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } });

  async function add(name: string) {
    await fill("Name", name);
    await fill("When you say", `${name} time`);
    await fill("Jarvis does", "set a timer for 4 minutes\nturn the volume to 20 percent");
    await fireEvent.click(screen.getByRole("button", { name: "Add routine" }));
    await screen.findByRole("list", { name: `Commands of ${name}` });
  }

  it("adds a routine and says how to start it", async () => {
    await open();

    await add("tea");

    const commands = screen.getByRole("list", { name: "Commands of tea" });
    expect(
      within(commands)
        .getAllByRole("listitem")
        .map((item) => item.textContent),
    ).toEqual(["set a timer for 4 minutes", "turn the volume to 20 percent"]);
    await screen.findByText("Saved. Say “tea time” to start it.");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Name")));
  });

  it("changes the name of a routine", async () => {
    await open();
    await add("tea");

    await fireEvent.click(screen.getByRole("button", { name: "Change tea" }));
    await fill("Name", "green tea");
    await fireEvent.click(screen.getByRole("button", { name: "Save" }));

    await screen.findByRole("list", { name: "Commands of green tea" });
    expect(screen.queryByRole("list", { name: "Commands of tea" })).toBeNull();
  });

  it("removes a routine only after asking back", async () => {
    await open();
    await add("tea");

    await fireEvent.click(screen.getByRole("button", { name: "Remove tea" }));
    await fireEvent.click(screen.getByRole("button", { name: "Keep" }));
    await fireEvent.click(screen.getByRole("button", { name: "Remove tea" }));
    await fireEvent.click(
      within(screen.getByRole("group", { name: "Remove tea?" })).getByRole("button", { name: "Remove" }),
    );

    await waitFor(() => expect(screen.queryByRole("list", { name: "Routines" })).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Name")));
  });

  it("says what is missing, and goes there", async () => {
    await open();

    await fill("Name", "tea");
    await fireEvent.click(screen.getByRole("button", { name: "Add routine" }));

    await screen.findByText("Write what you will say.");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("When you say")));
  });
});
