import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { FakeBridge } from "../../dev/bridge";
import { startScene } from "../../dev/scenes";
import { servers as configured } from "../../dev/servers-example";
import Settings from "../Settings.svelte";
import { withClient } from "./servers";

describe("a server with another sign-in client", () => {
  it.each([
    ["jarvis-1", { url: "https://a.example", client_id: "jarvis-1" }],
    ["", { url: "https://a.example" }],
  ])("%j", (id, expected) => {
    const servers = { a: { url: "https://a.example", client_id: "old" }, b: { command: "run" } };

    expect(withClient(servers, "a", id)).toEqual({ a: expected, b: { command: "run" } });
    expect(withClient(servers, "gone", id)).toBe(servers);
  });
});

async function open(): Promise<FakeBridge> {
  location.hash = "mcp";
  const bridge = startScene("settings");
  render(Settings);
  await screen.findByRole("heading", { name: "issues" });
  return bridge;
}

const form = (server = "issues") => within(screen.getByRole("form", { name: `Sign-in client of ${server}` }));
const field = (server?: string) => form(server).getByRole<HTMLInputElement>("textbox", { name: "Client ID" });
const type = (value: string) => fireEvent.input(field(), { target: { value } });
const press = (name: string) => fireEvent.click(form().getByRole("button", { name }));
const stored = (bridge: FakeBridge) =>
  bridge.calls.filter(({ command }) => command === "set_setting").map(({ args }) => args["value"]);

describe("the sign-in client of a server", () => {
  it("is shown for servers with an address only", async () => {
    await open();

    expect(screen.getAllByRole("form", { name: /^Sign-in client of/ }).length).toBe(2);
    expect(field("drawings").value).toBe("");
    expect(field().value).toBe("jarvis-desktop");
  });

  it("is changed, and leaves all else as it is", async () => {
    const bridge = await open();
    await type("  jarvis-2 ");
    await press("Save");

    const { issues, ...others } = configured();
    expect(await form().findByText("Saved.")).toBeTruthy();
    expect(stored(bridge)).toEqual([{ ...others, issues: { ...issues, client_id: "jarvis-2" } }]);
    expect(field().value).toBe("jarvis-2");
  });

  it("is taken away by an empty field", async () => {
    const bridge = await open();
    await type("");
    await press("Save");

    const { issues, ...others } = configured();
    const { client_id: _, ...rest } = issues!;
    await waitFor(() => expect(stored(bridge)).toEqual([{ ...others, issues: rest }]));
  });

  it("goes back to what is stored with Cancel", async () => {
    const bridge = await open();
    await type("typed by mistake");
    await press("Cancel");

    expect(field().value).toBe("jarvis-desktop");
    expect(stored(bridge)).toEqual([]);
  });

  it("keeps what was typed if it is refused, and says why beside the field alone", async () => {
    const bridge = await open();
    const save = bridge.commands["set_setting"]!;
    bridge.commands["set_setting"] = () => Promise.reject({ code: "io", message: "The disk is full." });
    await type("jarvis-2");
    await press("Save");

    await waitFor(() => expect(form().getByRole("alert").textContent).toBe("The disk is full."));
    expect(screen.getAllByText("The disk is full.").length).toBe(1);
    expect([field().value, field().getAttribute("aria-invalid")]).toEqual(["jarvis-2", "true"]);
    expect(form("drawings").getByRole("alert").textContent).toBe("");

    bridge.commands["set_setting"] = save;
    await press("Save");
    expect(await form().findByText("Saved.")).toBeTruthy();
    expect(form().getByRole("alert").textContent).toBe("");
  });

  it("is kept while another setting of the server changes", async () => {
    await open();
    await type("half typed");
    await fireEvent.click(screen.getByRole("switch", { name: "issues" }));

    await waitFor(() => expect(screen.getAllByText("Switched off")).toHaveLength(2));
    expect(field().value).toBe("half typed");
  });

  it("cannot be empty while a secret belongs to it", async () => {
    location.hash = "mcp";
    const bridge = startScene("settings");
    const servers = { mail: { url: "https://mail.example", client_id: "a", client_secret: "${secret:mail}" } };
    await bridge.commands["set_setting"]!({ path: "mcp.servers", value: servers });
    render(Settings);
    await screen.findByRole("heading", { name: "mail" });

    await fireEvent.input(field("mail"), { target: { value: " " } });
    await fireEvent.click(form("mail").getByRole("button", { name: "Save" }));

    expect(form("mail").getByRole("alert").textContent).toBe("Its client secret needs the client ID it belongs to.");
    expect(stored(bridge)).toEqual([]);
  });
});
