import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { beforeEach, describe, expect, it } from "vitest";
import type { ModelsView } from "../../api/types/ModelsView";
import type { PullStatus } from "../../api/types/PullStatus";
import type { FakeBridge } from "../../dev/bridge";
import { startScene } from "../../dev/scenes";
import Settings from "../Settings.svelte";

let bridge: FakeBridge;

const argsOf = (command: string) => bridge.calls.filter((call) => call.command === command).map(({ args }) => args);
const provider = (name: string) => within(screen.getByRole("group", { name }));
const button = (name: string) => screen.getByRole("button", { name });
const card = (name: RegExp) => within(screen.getByRole("article", { name }));

beforeEach(async () => {
  location.hash = "#models";
  bridge = startScene("settings");
  render(Settings);
  await screen.findByRole("heading", { name: "Who runs the language model" });
});

describe("a provider", () => {
  it("says whether it can be used and which is", () => {
    expect(provider("Ollama").getByText("In use")).toBeTruthy();
    expect(provider("A server that speaks like OpenAI").getByText("Not ready")).toBeTruthy();
    expect(provider("A server that speaks like OpenAI").queryByRole("button")).toBeNull();
    expect(provider("Jarvis itself").getByText("Ready")).toBeTruthy();
  });

  it("is taken into use with the model picked, and the choice given back", async () => {
    expect(screen.queryByRole("button", { name: "Let Jarvis choose" })).toBeNull();
    await fireEvent.click(button("Use this one: Jarvis itself Qwen2.5 1.5B"));
    await waitFor(() => expect(provider("Jarvis itself").getByText("In use")).toBeTruthy());
    expect(argsOf("use_provider")).toEqual([{ provider: "embedded", address: "", model: "Qwen2.5 1.5B" }]);

    await fireEvent.click(await screen.findByRole("button", { name: "Let Jarvis choose" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Let Jarvis choose" })).toBeNull());
    expect(argsOf("reset_setting")).toEqual([
      { path: "llm.provider" },
      { path: "llm.base_url" },
      { path: "llm.chat_model" },
    ]);
  });

  it("in use can be given another of its models", async () => {
    const select = provider("Ollama").getByRole<HTMLSelectElement>("combobox");
    expect([...select.options].map(({ text }) => text)).toEqual(["Chosen by Jarvis", "gemma4:e2b", "qwen3:4b"]);
    await fireEvent.change(select, { target: { value: "qwen3:4b" } });
    await fireEvent.click(button("Use this one: Ollama qwen3:4b"));

    expect(argsOf("use_provider")).toEqual([
      { provider: "ollama", address: "http://127.0.0.1:11434", model: "qwen3:4b" },
    ]);
  });

  it("that refuses says why", async () => {
    bridge.commands["use_provider"] = () => {
      throw { code: "io", message: "Nothing answers there." };
    };
    await fireEvent.click(button("Use this one: Jarvis itself Qwen2.5 1.5B"));

    expect(await screen.findByText("Nothing answers there.")).toBeTruthy();
  });

  it("is looked for again", async () => {
    const before = argsOf("models").length;
    await fireEvent.click(button("Look again"));

    await waitFor(() => expect(argsOf("models")).toHaveLength(before + 1));
  });
});

describe("a model that is here", () => {
  beforeEach(() => {
    bridge.emit({
      type: "model",
      model: {
        id: "joe",
        name: "Joe",
        purpose: "voice",
        summary: "",
        languages: [],
        licence: "",
        bytes: 1,
        ramBytes: 1,
        isRecommended: false,
        status: { type: "ready" },
      },
    });
    return screen.findByRole("button", { name: "Use Joe" });
  });

  it("is tried, one at a time, and the card says what came of it", async () => {
    let answer = (_: string) => {};
    bridge.commands["test_model"] = () => new Promise<string>((resolve) => (answer = resolve));
    await fireEvent.click(button("Test Whisper base"));
    expect(card(/^Whisper base/).getByRole("status").textContent).toBe(
      "Testing Whisper base. This can take half a minute.",
    );
    expect(button("Test Joe").getAttribute("aria-disabled")).toBe("true");
    await fireEvent.click(button("Test Joe"));
    expect(argsOf("test_model")).toEqual([{ id: "whisper-base" }]);

    answer("Understood a spoken sentence of 2.1 s in 0.4 s.");
    await screen.findByText("Understood a spoken sentence of 2.1 s in 0.4 s.");
    expect(button("Test Joe").getAttribute("aria-disabled")).toBe("false");
  });

  it("says why it could not be tried", async () => {
    bridge.commands["test_model"] = () => {
      throw { code: "io", message: "Joe could not be loaded." };
    };
    await fireEvent.click(button("Test Joe"));

    expect(await card(/^Joe/).findByText("Joe could not be loaded.")).toBeTruthy();
  });

  it("is taken into use, and the keys stay on its card", async () => {
    button("Use Joe").focus();
    bridge.commands["use_model"] = () => {
      const models = bridge.commands["models"]?.({}) as { models: { id: string; status: object }[] };
      return {
        ...models,
        models: models.models.map((model) =>
          model.id === "joe" ? { ...model, name: "Joe", status: { type: "inUse" } } : model,
        ),
      };
    };
    await fireEvent.click(button("Use Joe"));

    await waitFor(() => expect(card(/^Joe/).getByText("In use")).toBeTruthy());
    expect(argsOf("use_model")).toEqual([{ id: "joe" }]);
    await waitFor(() => expect(document.activeElement).toBe(button("Test Joe")));
  });

  it("is not tried when there is nothing to try", () => {
    expect(screen.queryByRole("button", { name: "Test Silero VAD" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Test ONNX Runtime" })).toBeNull();
  });
});

describe("a model that Ollama pulls", () => {
  const address = "http://127.0.0.1:11434";
  const emit = (status: PullStatus, model = "qwen3:8b") =>
    bridge.emit({ type: "pull", pull: { model, address, status } });
  const downloading = (percent: number): PullStatus => ({
    type: "downloading",
    bytes: percent * 10_000_000,
    total: 1_000_000_000,
    percent,
    bytesPerSec: 10_000_000,
  });
  const ollama = () => provider("Ollama");
  const field = () => ollama().getByRole<HTMLInputElement>("textbox", { name: "Model to pull" });
  const announced = () =>
    ollama()
      .getAllByRole("status")
      .map(({ textContent }) => textContent.trim())
      .filter((text) => text !== "");

  async function type(name: string) {
    await fireEvent.input(field(), { target: { value: name } });
    await fireEvent.submit(field().closest("form")!);
  }

  it("is asked for where a server fetches models, and only there", () => {
    expect(field().labels?.[0]?.textContent).toBe("Model to pull");
    expect(screen.getAllByRole("textbox", { name: "Model to pull" })).toHaveLength(1);
    expect(button("Pull a model to Ollama").getAttribute("type")).toBe("submit");
  });

  it("is pulled by that server, with its progress in a bar and each quarter announced", async () => {
    await type("qwen3:8b");
    expect(argsOf("pull_model")).toEqual([{ model: "qwen3:8b", address }]);
    await ollama().findByText("Looking it up");
    expect(field().value).toBe("");

    emit(downloading(10));
    await waitFor(() => expect(ollama().getByRole("progressbar").getAttribute("aria-valuenow")).toBe("10"));
    expect(ollama().getByText(/^100.MB of 1.0?.?GB$/)).toBeTruthy();
    expect(announced()).toEqual([]);

    emit(downloading(60));
    await waitFor(() => expect(announced()).toEqual(["qwen3:8b: 50 % pulled."]));
  });

  it("is in the list once the server has it", async () => {
    await type("qwen3:8b");
    const before = argsOf("models").length;
    const listed = bridge.commands["models"]!;
    bridge.commands["models"] = (args) => {
      const models = listed(args) as ModelsView;
      const withNew = (one: ModelsView["providers"][number]) =>
        one.provider === "ollama" ? { ...one, models: [...one.models, "qwen3:8b"] } : one;
      return { ...models, providers: models.providers.map(withNew) };
    };
    emit({ type: "done" });

    await waitFor(() => expect(argsOf("models")).toHaveLength(before + 1));
    await waitFor(() => expect(ollama().getByRole("option", { name: "qwen3:8b" })).toBeTruthy());
    expect(ollama().getByText("Pulled. It can be chosen above.")).toBeTruthy();
    expect(ollama().queryByRole("progressbar")).toBeNull();
    expect(announced()).toEqual(["qwen3:8b was pulled."]);
  });

  it("is cancelled, and the keys go back to the field", async () => {
    await type("qwen3:8b");
    emit(downloading(10));
    const cancel = await screen.findByRole("button", { name: "Cancel the pull of qwen3:8b" });
    cancel.focus();
    await fireEvent.click(cancel);

    await waitFor(() => expect(ollama().queryByRole("progressbar")).toBeNull());
    expect(argsOf("cancel_pull")).toEqual([{ model: "qwen3:8b", address }]);
    await waitFor(() => expect(document.activeElement).toBe(field()));
    expect(announced()).toEqual(["The pull of qwen3:8b was cancelled."]);
  });

  it("that does not exist says so until it is dismissed", async () => {
    await type("qwen99");
    const what = 'There is no model named "qwen99" to pull.';
    emit({ type: "failed", what, remedy: "Check the name." }, "qwen99");
    await screen.findByText(`${what} Check the name.`);
    expect(announced()).toEqual([`qwen99: ${what} Check the name.`]);

    await fireEvent.click(button("Dismiss: qwen99"));
    await waitFor(() => expect(screen.queryByText(`${what} Check the name.`)).toBeNull());
  });

  it("with a name that is none is refused beside the field", async () => {
    await type(" ");

    const refusal = await screen.findByText(/is not a name of a model/);
    expect(field().getAttribute("aria-describedby")).toContain(refusal.id);
    expect(field().getAttribute("aria-invalid")).toBe("true");
  });
});
