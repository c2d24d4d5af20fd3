import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { ToolServerView } from "../../api/types/ToolServerView";
import { startScene } from "../../dev/scenes";
import { servers as configured } from "../../dev/servers-example";
import Settings from "../Settings.svelte";
import { CATALOGUE, fromCatalogue } from "./catalogue";
import { joinCommand, splitCommand } from "./command-line";
import { EMPTY_DRAFT, readDraft, type Draft } from "./servers";
import { announcement, changedWords, stateWords, targetWords } from "./words";

describe("a command line", () => {
  it.each<[string, string[] | null]>([
    ["npx -y server", ["npx", "-y", "server"]],
    ["  npx \t -y  ", ["npx", "-y"]],
    ["", []],
    [`run "my files" 'and "these"'`, ["run", "my files", 'and "these"']],
    [`run --path="a b"/c`, ["run", "--path=a b/c"]],
    [`run "" ''`, ["run", "", ""]],
    ['run my\\ files \\"', ["run", "my files", '"']],
    [`run "say \\"hi\\""`, ["run", 'say "hi"']],
    [`"C:\\Program Files\\x.exe" \\\\host\\share`, ["C:\\Program Files\\x.exe", "\\\\host\\share"]],
    ["a | b && c > d $HOME", ["a", "|", "b", "&&", "c", ">", "d", "$HOME"]],
    [`run "open`, null],
    ["it's", null],
  ])("%j is split into %j", (line, expected) => {
    expect(splitCommand(line)).toEqual(expected);
  });

  it.each([[["npx", "-y", "my files"]], [["run", "", `it's "so"`]], [["run", 'say "hi"']]])(
    "of %j is read again as the same",
    (pieces) => {
      expect(splitCommand(joinCommand(pieces))).toEqual(pieces);
    },
  );
});

describe("what is typed to add a server", () => {
  const read = (draft: Partial<Draft>) =>
    readDraft({ ...EMPTY_DRAFT, name: "mail", target: "run", ...draft }, configured());

  it.each<[Partial<Draft>, unknown]>([
    [{}, { server: { command: "run" } }],
    [{ target: "run -v 'a b'" }, { server: { command: "run", args: ["-v", "a b"] } }],
    [
      { extras: "TOKEN=${secret:mail}\n\n PORT = 80=1 " },
      { server: { command: "run", env: { TOKEN: "${secret:mail}", PORT: "80=1" } } },
    ],
    [{ target: " https://mail.example/mcp " }, { server: { url: "https://mail.example/mcp" } }],
    [
      { target: "https://mail.example/mcp", extras: "X-Key: a:b" },
      { server: { url: "https://mail.example/mcp", headers: { "X-Key": "a:b" } } },
    ],
    [{ name: "" }, { errors: { name: "Give it a name." } }],
    [{ name: " files " }, { errors: { name: "There is a server named files already. Choose another name." } }],
    [{ name: "my__mail" }, { errors: { name: "Use letters from A to Z, digits, - and single _ between them." } }],
    [{ name: "päck" }, { errors: { name: "Use letters from A to Z, digits, - and single _ between them." } }],
    [{ name: "m".repeat(41) }, { errors: { name: "Use at most 40 letters." } }],
    [{ target: " " }, { errors: { target: "Type a command or an address." } }],
    [{ target: "'' -y" }, { errors: { target: "Type a command or an address." } }],
    [{ target: "run 'open" }, { errors: { target: "A quote is not closed." } }],
    [{ target: "KEY=1 run" }, { errors: { target: "KEY=1 is a variable. Write it below, and the program here." } }],
    [
      { target: "ftp://mail.example" },
      { errors: { target: "That is no address. Use one such as https://example.org/mcp." } },
    ],
    [{ target: "https://" }, { errors: { target: "That is no address. Use one such as https://example.org/mcp." } }],
    [
      { target: "https://mail.example/mcp", clientId: " jarvis-1 ", clientSecret: "${secret:mail}" },
      { server: { url: "https://mail.example/mcp", client_id: "jarvis-1", client_secret: "${secret:mail}" } },
    ],
    [{ clientId: "jarvis-1" }, { server: { command: "run" } }],
    [
      { target: "https://mail.example/mcp", clientSecret: "s3cret" },
      { errors: { clientSecret: "Type the client ID that belongs to it." } },
    ],
    [{ extras: "s3cret" }, { errors: { extras: "Each line needs a name, then = and a value." } }],
    [
      { name: "", target: "", extras: "=1" },
      {
        errors: {
          name: "Give it a name.",
          target: "Type a command or an address.",
          extras: "Each line needs a name, then = and a value.",
        },
      },
    ],
  ])("%j gives %j", (draft, expected) => {
    expect(read(draft)).toEqual(expected);
  });
});

describe("a server in words", () => {
  const status = (change: Partial<ToolServerView>): ToolServerView => ({
    name: "files",
    state: { type: "running" },
    tools: [],
    isSignedIn: false,
    changedTools: [],
    lastLines: [],
    ...change,
  });

  it.each<[boolean, ToolServerView | undefined, string]>([
    [true, status({ tools: ["a", "b"] }), "Running, 2 tools"],
    [true, status({ tools: ["a"] }), "Running, 1 tool"],
    [true, status({}), "Running, no tools"],
    [true, status({ state: { type: "asleep" } }), "Asleep until a tool is needed"],
    [true, status({ state: { type: "starting" } }), "Starting"],
    [true, status({ state: { type: "signInNeeded" } }), "Needs you to sign in"],
    [true, undefined, "Starting"],
    [true, status({ state: { type: "failed", why: "the server ended" } }), "Does not work: the server ended."],
    [false, status({}), "Switched off"],
  ])("switched on %j with %j is told as %j", (enabled, listed, expected) => {
    expect(stateWords({ enabled }, listed)).toBe(expected);
  });

  it("says how many tools ask again", () => {
    expect([[], ["a"], ["a", "b"]].map(changedWords)).toEqual([
      "",
      "It describes 1 tool differently than before: it asks again.",
      "It describes 2 tools differently than before: they ask again.",
    ]);
  });

  it("shows its command with quotes, or its address", () => {
    expect(targetWords({ command: "run", args: ["a b", "c"] })).toBe("run 'a b' c");
    expect(targetWords({ command: "", args: [], url: "https://mail.example/mcp" })).toBe("https://mail.example/mcp");
    const withKeys = "https://ann:s3cret@mail.example:8443/mcp?key=s3cret#s3cret";
    expect(targetWords({ url: withKeys })).toBe("https://mail.example:8443/mcp");
  });

  it("announces where servers arrived, and neither the first look nor the way there", () => {
    const before = new Map([
      ["files", "Starting"],
      ["mail", "Switched off"],
      ["web", "Switched off"],
    ]);
    const now = new Map([
      ["files", "Running, 2 tools"],
      ["mail", "Starting"],
      ["web", "Switched off"],
      ["new", "Running, 1 tool"],
    ]);

    expect(announcement(before, now)).toBe("files: Running, 2 tools.");
    expect(announcement(new Map(), now)).toBe("");
  });
});

describe("the catalogue", () => {
  it.each(CATALOGUE.map((entry) => [entry.name, entry] as const))(
    "pins the version of %s, and asks for each value that it fills in",
    (_, { args, env = {}, questions = [], may }) => {
      const asked = questions.map(({ key }) => `{${key}}`).sort();
      const filled = [...args, ...Object.values(env)].flatMap((text) => text.match(/\{\w+\}/g) ?? []);

      expect(args.filter((arg) => /.(@|==)\d+\.\d+\.\d+$/.test(arg))).toHaveLength(1);
      expect(filled.sort()).toEqual(asked);
      expect(
        questions.filter(({ isSecret }) => isSecret).every(({ key }) => !args.join(" ").includes(`{${key}}`)),
      ).toBe(true);
      expect(may.length).toBeGreaterThan(0);
    },
  );

  it("fills answers in once, and keeps secrets out of the settings", () => {
    const mail = CATALOGUE.find(({ name }) => name === "mail")!;
    const answers = {
      address: " ann{imap}@example.org ",
      password: "s3cret",
      imap: "imap.example.org",
      smtp: "smtp.example.org",
    };

    const { server, secrets } = fromCatalogue(mail, "mail-2", answers);

    expect(server.env).toEqual({
      MCP_EMAIL_SERVER_EMAIL_ADDRESS: "ann{imap}@example.org",
      MCP_EMAIL_SERVER_PASSWORD: "${secret:mail-2.password}",
      MCP_EMAIL_SERVER_IMAP_HOST: "imap.example.org",
      MCP_EMAIL_SERVER_SMTP_HOST: "smtp.example.org",
    });
    expect(secrets).toEqual([{ name: "mail-2.password", value: "s3cret" }]);
  });
});

async function open(scene = "settings") {
  location.hash = "#mcp";
  const bridge = startScene(scene);
  render(Settings);
  await screen.findByRole("heading", { level: 2, name: "Tool servers" });
  await waitFor(() => expect(bridge.calls.some(({ command }) => command === "tool_servers")).toBe(true));
  return bridge;
}
type Bridge = Awaited<ReturnType<typeof open>>;
const stored = (bridge: Bridge) =>
  bridge.calls.filter(({ command }) => command === "set_setting").map(({ args }) => args);
const row = async (name: string) => within((await screen.findByRole("heading", { level: 3, name })).closest("li")!);
const field = (name: string) => screen.getByRole("textbox", { name });
const type = (name: string, value: string) => fireEvent.input(field(name), { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

describe("the tool servers page", () => {
  it("shows each server with its state, and why one does not work", async () => {
    await open();

    await waitFor(async () => expect((await row("files")).getByText("Running, 7 tools")).toBeTruthy());
    expect((await row("files")).getByText(/describes 2 tools differently/).textContent).toContain(
      "files__move_file, files__write_file",
    );
    expect((await row("issues")).getByText("Asleep until a tool is needed")).toBeTruthy();
    expect((await row("browser")).getByText("Switched off")).toBeTruthy();
    const broken = await row("calendar");
    expect(broken.getByText(/^Does not work: the server could not be reached/)).toBeTruthy();
    expect(
      broken
        .getByText(/KeyError/)
        .closest("details")!
        .querySelector("summary")!.textContent,
    ).toContain("What it wrote last");
  });

  it("says what belongs here while there is none", async () => {
    await open("empty");

    expect(screen.getByText(/^Tool servers are programs on this computer, or servers elsewhere/)).toBeTruthy();
    expect(screen.getByText("None is set up yet.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Look again" })).toBeNull();
  });

  it("switches a server off and leaves the others as they are", async () => {
    const bridge = await open();
    await fireEvent.click(screen.getByRole("switch", { name: "files", description: /^Running|^Starting/ }));

    const { files, ...others } = configured();
    await waitFor(() =>
      expect(stored(bridge)).toEqual([
        { path: "mcp.servers", value: { ...others, files: { ...files, enabled: false } } },
      ]),
    );
    expect(await (await row("files")).findByText("Switched off")).toBeTruthy();
  });

  it("lends the language model to one server only, and to none at first", async () => {
    const bridge = await open();
    const lends = screen.getAllByRole("switch", { name: /May ask your language model\.$/ });
    expect(lends.every((it) => it.getAttribute("aria-checked") === "false")).toBe(true);
    await fireEvent.click(screen.getByRole("switch", { name: "files May ask your language model." }));

    const { files, ...others } = configured();
    await waitFor(() =>
      expect(stored(bridge)).toEqual([
        { path: "mcp.servers", value: { ...others, files: { ...files, sampling: true } } },
      ]),
    );
  });

  it("loses no change when two are made at once", async () => {
    const bridge = await open();
    await Promise.all([
      fireEvent.click(screen.getByRole("switch", { name: "files" })),
      fireEvent.click(screen.getByRole("switch", { name: "issues" })),
    ]);

    const { files, issues, ...others } = configured();
    const value = { ...others, files: { ...files, enabled: false }, issues: { ...issues, enabled: false } };
    await waitFor(() => expect(stored(bridge).at(-1)).toEqual({ path: "mcp.servers", value }));
  });

  it("removes a server only after a question", async () => {
    const bridge = await open();
    await press("Remove calendar");
    const keep = await screen.findByRole("button", { name: "Keep" });
    await waitFor(() => expect(document.activeElement).toBe(keep));
    await fireEvent.keyDown(keep, { key: "Escape" });
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Remove calendar" })));
    expect(stored(bridge)).toEqual([]);

    await press("Remove calendar");
    await fireEvent.click(await screen.findByRole("button", { name: "Remove" }));

    const { calendar: _, ...others } = configured();
    await waitFor(() => expect(stored(bridge)).toEqual([{ path: "mcp.servers", value: others }]));
    await waitFor(() => expect(screen.queryByRole("heading", { name: "calendar" })).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Look again" })));
  });

  it("adds a server and shows how its command was read", async () => {
    const bridge = await open("empty");
    await type("Name", "notes");
    await type("Command or address", "npx -y 'my notes'");
    expect([...document.querySelectorAll("form code")].slice(0, 3).map(({ textContent }) => textContent)).toEqual([
      "npx",
      "-y",
      "my notes",
    ]);
    await type("Variables (optional)", "TOKEN=${secret:notes}");
    await press("Add");

    const value = { notes: { command: "npx", args: ["-y", "my notes"], env: { TOKEN: "${secret:notes}" } } };
    await waitFor(() => expect(stored(bridge)).toEqual([{ path: "mcp.servers", value }]));
    expect(await screen.findByText("notes was added.")).toBeTruthy();
    expect((field("Name") as HTMLInputElement).value).toBe("");
    expect(await (await row("notes")).findByText("Starting")).toBeTruthy();
    expect(await (await row("notes")).findByText("Running, 1 tool", {}, { timeout: 3000 })).toBeTruthy();
    expect(screen.getAllByRole("status").map(({ textContent }) => textContent)).toContain("notes: Running, 1 tool.");
  });

  it("adds a server of the catalogue with one click", async () => {
    const bridge = await open("empty");
    await press("Add Web pages");

    await waitFor(() =>
      expect(stored(bridge)).toEqual([
        { path: "mcp.servers", value: { pages: { command: "uvx", args: ["mcp-server-fetch@2026.10.24"] } } },
      ]),
    );
    expect(await screen.findByText("pages was added.")).toBeTruthy();
  });

  it("asks for what a server of the catalogue needs, and puts its key into the keychain first", async () => {
    const bridge = await open("empty");
    await press("Add Web search, Brave");
    const key = await screen.findByLabelText("Key of the Brave Search API");
    await press("Add Web search, Brave");
    await waitFor(() => expect(screen.getByText("This is needed.")).toBeTruthy());
    expect(stored(bridge)).toEqual([]);

    await fireEvent.input(key, { target: { value: "s3cret" } });
    await press("Add Web search, Brave");

    await waitFor(() => expect(stored(bridge)).toHaveLength(1));
    const calls = bridge.calls.filter(({ command }) => /^set_/.test(command));
    expect(calls.map(({ command }) => command)).toEqual(["set_tool_server_secret", "set_setting"]);
    expect(calls[0]!.args).toEqual({ name: "brave.key", secret: "s3cret" });
    expect(JSON.stringify(calls[1]!.args)).not.toContain("s3cret");
  });

  it("adds no server whose key could not be stored, and says why", async () => {
    const bridge = await open("empty");
    bridge.commands["set_tool_server_secret"] = () => {
      throw { code: "trouble", message: "There is no keychain." };
    };
    await press("Add Web search, Brave");
    await fireEvent.input(await screen.findByLabelText("Key of the Brave Search API"), { target: { value: "s3cret" } });
    await press("Add Web search, Brave");

    expect(await screen.findByText("There is no keychain.")).toBeTruthy();
    expect(stored(bridge)).toEqual([]);
  });

  it("shows what is wrong beside its field and goes there", async () => {
    const bridge = await open();
    await type("Name", "new");
    await type("Command or address", "https://");
    await press("Add");

    await waitFor(() => expect(document.activeElement).toBe(field("Command or address")));
    expect(field("Command or address").getAttribute("aria-invalid")).toBe("true");
    expect(
      screen.getByRole("textbox", { name: "Command or address", description: /^That is no address\./ }),
    ).toBeTruthy();
    expect(field("Name").getAttribute("aria-invalid")).toBe("false");
    expect(stored(bridge)).toEqual([]);
  });

  it("says why a change was refused and keeps what was typed", async () => {
    const bridge = await open();
    bridge.commands["set_setting"] = () => {
      throw { code: "io", message: "The settings could not be written." };
    };
    await type("Name", "new");
    await type("Command or address", "run");
    await press("Add");

    await waitFor(() =>
      expect(screen.getByText("The settings could not be written.").closest("[role=alert]")).not.toBeNull(),
    );
    expect((field("Name") as HTMLInputElement).value).toBe("new");
  });

  it("looks again with a button, and says why when that fails", async () => {
    const bridge = await open();
    bridge.commands["refresh_tool_servers"] = () => [
      {
        name: "calendar",
        state: { type: "running" },
        tools: ["calendar__today"],
        isSignedIn: false,
        changedTools: [],
        lastLines: [],
      },
    ];
    await press("Look again");
    expect(await (await row("calendar")).findByText("Running, 1 tool")).toBeTruthy();

    bridge.commands["refresh_tool_servers"] = () => {
      throw { code: "io", message: "Jarvis is being quit." };
    };
    await press("Look again");
    expect(await screen.findByText("Jarvis is being quit.")).toBeTruthy();
  });

  it("signs in at a server, waits for the browser, and says why that failed", async () => {
    const bridge = await open();
    let refuse = (_: unknown) => {};
    bridge.commands["sign_in_tool_server"] = () =>
      new Promise<void>((_, reject) => {
        refuse = reject;
      });
    await fireEvent.click(await screen.findByRole("button", { name: "Sign in at drawings" }));
    expect(await screen.findByText("Waiting for you in the browser.")).toBeTruthy();
    expect(bridge.calls.at(-1)).toMatchObject({ command: "sign_in_tool_server", args: { name: "drawings" } });

    refuse({ code: "sign_in", message: "You are not signed in: the sign-in was refused." });

    expect((await screen.findByText("You are not signed in: the sign-in was refused.")).getAttribute("role")).toBe(
      "alert",
    );
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Sign in at drawings" }).disabled).toBe(false);
  });

  it("signs out where the user is signed in", async () => {
    const bridge = await open();
    expect(await (await row("issues")).findByText("You are signed in.")).toBeTruthy();
    await press("Sign out of issues");

    expect(bridge.calls.at(-1)).toMatchObject({ command: "sign_out_tool_server", args: { name: "issues" } });
    expect(screen.queryByRole("button", { name: "Sign out of files" })).toBeNull();
  });

  it("signs out before a server is removed", async () => {
    const bridge = await open();
    await (await row("issues")).findByText("You are signed in.");
    await press("Remove issues");
    await fireEvent.click(
      within(screen.getByRole("group", { name: "Remove issues?" })).getByRole("button", { name: "Remove" }),
    );

    await waitFor(() =>
      expect(bridge.calls.map(({ command }) => command).slice(-2)).toEqual(["sign_out_tool_server", "set_setting"]),
    );
  });

  it("follows what the servers do", async () => {
    const bridge = await open();
    await (await row("files")).findByText("Running, 7 tools");
    bridge.commands["tool_servers"] = () => [
      { name: "files", state: { type: "asleep" }, tools: [], isSignedIn: false, changedTools: [], lastLines: [] },
    ];
    bridge.emit({ type: "toolServersChanged" });

    expect(await (await row("files")).findByText("Asleep until a tool is needed")).toBeTruthy();
  });

  it("is shown by a link where the setting is found by searching", async () => {
    await open();
    await fireEvent.input(screen.getByRole("textbox", { name: "Find a setting" }), { target: { value: "protocol" } });

    expect(screen.getByRole("link", { name: "Show" }).getAttribute("href")).toBe("#mcp");
    expect(screen.queryByRole("button", { name: /^Reset Tool servers/ })).toBeNull();
  });
});
