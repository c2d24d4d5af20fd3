import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { ContactView } from "../../api/types/ContactView";
import { contacts } from "../../dev/contacts-example";
import { startScene } from "../../dev/scenes";
import Settings from "../Settings.svelte";
import { contactWords, groupContacts, whenWords } from "./words";

const contact = (change: Partial<ContactView>): ContactView => ({ ...contacts()[1]!, isProxied: false, ...change });

async function open() {
  location.hash = "#privacy";
  const bridge = startScene("settings");
  render(Settings);
  await screen.findByText("huggingface.co");
  return bridge;
}
const asked = (bridge: Awaited<ReturnType<typeof open>>) =>
  bridge.calls.filter(({ command }) => command === "hosts_contacted").length;

describe("a contact", () => {
  it.each<[Partial<ContactView>, string]>([
    [{}, "downloading a model, once"],
    [{ purpose: "languageModel", times: 3 }, "language model, 3 times"],
    [{ isProxied: true }, "downloading a model, once, through your system’s proxy"],
  ])("%j is told as %j", (change, expected) => {
    expect(contactWords(contact(change))).toBe(expected);
  });

  it("has no date when it was today", () => {
    const now = new Date("2026-03-14T18:00:00");

    expect(whenWords("2026-03-14T09:26:53", now)).not.toContain("2026");
    expect(whenWords("2026-03-13T09:26:53", now)).toContain("2026");
  });
});

describe("the privacy page", () => {
  it("lists other computers before this one, with what for", async () => {
    await open();

    const rows = screen.getAllByRole("row").map(({ textContent }) => textContent);
    expect(groupContacts(contacts()).map(({ title }) => title)).toEqual(["Other computers", "This computer"]);
    expect(rows[1]).toContain("huggingface.codownloading a model, once, through your system’s proxy");
    expect(rows[3]).toContain("127.0.0.1:11434language model, 12 times");
  });

  it("says in plain words what leaves the computer", async () => {
    await open();

    const words = within(screen.getByRole("region", { name: "What leaves this computer" }));
    expect(words.getAllByRole("term").map(({ textContent }) => textContent)).toEqual([
      "When you fetch a model",
      "When you name a language-model server on another computer",
      "When a question needs a search of the web, a page or the weather",
      "When you add a tool server",
      "Never",
    ]);
  });

  it("says when no other computer was contacted", async () => {
    location.hash = "#privacy";
    startScene("settings").commands["hosts_contacted"] = () => [];
    render(Settings);

    expect(await screen.findByText(/^Jarvis has contacted no other computer\./)).toBeTruthy();
    expect(screen.queryByRole("table")).toBeNull();
    expect(screen.queryByRole("button", { name: "Clear the list" })).toBeNull();
  });

  it("follows what happens", async () => {
    const bridge = await open();
    const before = asked(bridge);
    bridge.commands["hosts_contacted"] = () => [contact({ host: "models.example" })];
    bridge.emit({ type: "done", reply: 1, text: "It is noon.", attachments: [] });

    expect(await screen.findByText("models.example")).toBeTruthy();
    expect(asked(bridge)).toBe(before + 1);
  });

  it("is looked at again with a button", async () => {
    const bridge = await open();
    bridge.commands["hosts_contacted"] = () => [contact({ host: "models.example" })];

    await fireEvent.click(screen.getByRole("button", { name: "Look again" }));

    expect(await screen.findByText("models.example")).toBeTruthy();
  });

  it("clears the list with a button", async () => {
    const bridge = await open();

    await fireEvent.click(screen.getByRole("button", { name: "Clear the list" }));

    await waitFor(() => expect(screen.queryByText("huggingface.co")).toBeNull());
    expect(bridge.calls.filter(({ command }) => command === "forget_hosts_contacted")).toHaveLength(1);
    expect(screen.getByText(/^Jarvis has contacted no other computer\./)).toBeTruthy();
  });

  it("keeps the list and says why it could not be cleared", async () => {
    const bridge = await open();
    bridge.commands["forget_hosts_contacted"] = () => {
      throw { code: "io", message: "The file cannot be deleted." };
    };

    await fireEvent.click(screen.getByRole("button", { name: "Clear the list" }));

    await waitFor(() => expect(screen.getByText("The file cannot be deleted.").closest("[role=alert]")).not.toBeNull());
    expect(screen.getByText("huggingface.co")).toBeTruthy();
  });

  it("says why the list could not be read", async () => {
    location.hash = "#privacy";
    startScene("settings").commands["hosts_contacted"] = () => {
      throw { code: "io", message: "The list is lost." };
    };
    render(Settings);

    await waitFor(() => expect(screen.getByText("The list is lost.").closest("[role=alert]")).not.toBeNull());
  });
});
