import type { EventView } from "../api/types/EventView";
import type { FieldView } from "../api/types/FieldView";
import type { ModelView } from "../api/types/ModelView";
import { KEYS } from "../settings/programs/programs";
import type { PermissionName } from "../api/types/PermissionName";
import type { PullView } from "../api/types/PullView";
import { SERVERS, serversOf } from "../settings/servers/servers";
import { FakeBridge } from "./bridge";
import { olderMessages, talk, trace } from "./conversation-example";
import { models } from "./models-example";
import { contextLine, desktopLocation, placesNamed } from "./places-example";
import { prompts } from "./prompts-example";
import { contacts } from "./contacts-example";
import { statuses } from "./servers-example";
import { calls, permissions, withChoice } from "./tools-example";
import { devices, fields } from "./settings-example";

const TROUBLE = {
  stage: "language_model",
  what: "Ollama closed the connection after 9 seconds.",
  remedy: "Your words are kept; ask again when it runs.",
};
const REPLY =
  "Saturday at ten is in the calendar. I have written to Ana but not sent it: have a look first, and I will send it when you say so.\n\n- Sandsend at ten\n- Whitby by half past twelve\n\n";

/** One point of colour. */
const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** Moments of a conversation, each as what the Rust side would send. */
const SCENES: Record<string, (bridge: FakeBridge) => void> = {
  talk: () => {},
  empty: () => {},
  starting: () => {},
  hearing: (bridge) => {
    bridge.emit(
      { type: "state", state: "listening" },
      { type: "level", dbfs: -20 },
      { type: "partial", utterance: 1, text: "And remind me to pack" },
    );
    bridge.emit({ type: "partial", utterance: 1, text: "And remind me to pack a towel for the dog" });
  },
  thinking: (bridge) => asked(bridge, "voice"),
  streaming: (bridge) => {
    asked(bridge, "typed");
    bridge.emit({ type: "delta", reply: 1, text: REPLY.slice(0, 110) });
  },
  speaking: (bridge) => {
    asked(bridge, "voice");
    bridge.emit(
      { type: "delta", reply: 1, text: REPLY },
      { type: "done", reply: 1, text: REPLY, attachments: [] },
      { type: "state", state: "speaking" },
    );
    bridge.emit({ type: "sentence", reply: 1, text: "Saturday at ten is in the calendar." });
  },
  files: (bridge) => {
    asked(bridge, "typed");
    const attachments = [
      { name: "cliff-path.png", mimeType: "image/png", size: 68, caption: "The cliff path", isPicture: true },
      { name: "tides of the week.csv", mimeType: "text/csv", size: 4_200, caption: null, isPicture: false },
    ];
    bridge.emit({ type: "delta", reply: 1, text: "Here is the way, with the tides." });
    bridge.emit({ type: "note", reply: 1, text: "One file was left out: the answer has too many." });
    bridge.emit(
      { type: "done", reply: 1, text: "Here is the way, with the tides.", attachments },
      { type: "state", state: "idle" },
    );
  },
  hot: (bridge) =>
    bridge.emit(
      { type: "speechEnded", reply: 1 },
      { type: "hotWindow", isOpen: true, secs: 8 },
      { type: "state", state: "listening" },
    ),
  speech: (bridge) => {
    let moment = 0;
    setInterval(() => bridge.emit(...spokenAt(moment++)), 100);
  },
  muted: (bridge) => bridge.emit({ type: "muted", isMuted: true }, { type: "state", state: "muted" }),
  failed: (bridge) => {
    asked(bridge, "voice");
    bridge.emit({
      type: "delta",
      reply: 1,
      text: "“We have written twice, in March and again in June, and would now ask for a date by which the lamp will be",
    });
    bridge.emit({ type: "failed", reply: 1, trouble: TROUBLE }, { type: "state", state: "idle" });
  },
  voiceless: (bridge) => {
    asked(bridge, "voice");
    bridge.emit(
      { type: "delta", reply: 1, text: "Morgen regnet es." },
      { type: "voiceMissing", language: "de", download: "de_DE-thorsten-medium" },
    );
  },
  error: (bridge) =>
    bridge.emit(
      {
        type: "trouble",
        trouble: {
          stage: "microphone",
          what: "Blue Yeti was unplugged.",
          remedy: "Jarvis will use it again as soon as it is back; typing works meanwhile.",
        },
      },
      {
        type: "trouble",
        trouble: {
          stage: "language_model",
          what: "No language model was found; tried Ollama at http://127.0.0.1:11434 (not running), OpenAI-compatible at http://127.0.0.1:1234 (not running).",
          remedy: "Download a language model under Models in the settings, or start Ollama or another server.",
        },
      },
      { type: "state", state: "error" },
    ),
  ringing: (bridge) => {
    const dueAt = new Date().toISOString();
    const tea = {
      appointment: 1,
      kind: "timer",
      text: "Your tea timer is done.",
      language: "en",
      dueAt,
      isMissed: false,
    } as const;
    const missed = {
      appointment: 2,
      kind: "reminder",
      text: "You missed a reminder of 07:30, while I was off: call Anna about the boat.",
      language: "en",
      dueAt,
      isMissed: true,
    } as const;
    bridge.emit({ type: "rang", ring: missed }, { type: "rang", ring: tea }, { type: "state", state: "speaking" });
  },
  question: (bridge) => {
    asked(bridge, "typed");
    bridge.emit(
      { type: "toolStarted", reply: 1, call: "1", tool: "addEvent" },
      { type: "toolFinished", reply: 1, call: "1", outcome: "succeeded" },
    );
    bridge.emit(
      { type: "toolStarted", reply: 1, call: "2", tool: "sendMessage" },
      {
        type: "question",
        reply: 1,
        question: { id: 1, text: "Shall I send the message to Ana?", options: ["Send once", "Do not send"] },
      },
    );
  },
  open: (bridge) => {
    asked(bridge, "typed");
    bridge.emit({ type: "question", reply: 1, question: { id: 1, text: "For which town?", options: [] } });
  },
  tools: (bridge) => {
    asked(bridge, "typed");
    bridge.emit(
      { type: "toolStarted", reply: 1, call: "1", tool: "setTimer" },
      { type: "toolFinished", reply: 1, call: "1", outcome: "succeeded" },
    );
    bridge.emit(
      { type: "toolStarted", reply: 1, call: "2", tool: "webSearchTool" },
      { type: "toolFinished", reply: 1, call: "2", outcome: "denied" },
    );
    bridge.emit(
      { type: "toolStarted", reply: 1, call: "3", tool: "calculator" },
      { type: "progress", reply: 1, text: "Working out the tides." },
    );
  },
  used: (bridge) => {
    asked(bridge, "typed");
    bridge.emit(
      { type: "toolStarted", reply: 1, call: "1", tool: "setTimer" },
      { type: "toolFinished", reply: 1, call: "1", outcome: "succeeded" },
    );
    bridge.emit(
      { type: "question", reply: 1, question: { id: 1, text: "For how long?", options: [] } },
      { type: "answered", reply: 1, question: 1, text: "Four minutes" },
    );
    bridge.emit({ type: "done", reply: 1, text: "The timer runs.", attachments: [] }, { type: "state", state: "idle" });
  },
  prompts: () => type("/"),
  takes: () => type("/issues:release_notes "),
  client: () => whenThere<HTMLDetailsElement>("details:has(form)", (fold) => (fold.open = true)),
  flood: (bridge) => {
    asked(bridge, "typed");
    setInterval(
      () =>
        bridge.emit({
          type: "delta",
          reply: 1,
          text: "many words come at once and then a few more, ".repeat(3) + (Math.random() < 0.1 ? "\n\n" : ""),
        }),
      33,
    );
  },
};

/** Does something once an element is on the screen. */
function whenThere<Found extends HTMLElement>(selector: string, act: (found: Found) => void) {
  const found = document.querySelector<Found>(selector);
  if (found) act(found);
  else setTimeout(() => whenThere(selector, act), 50);
}

function type(text: string) {
  whenThere<HTMLTextAreaElement>("textarea", (area) => {
    area.value = text;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

const SPOKEN = ["remind", "remind me to pack", "remind me to pack a towel for the dog"];

/** The events of a tenth of a second of speech, repeated. */
function spokenAt(moment: number): EventView[] {
  const utterance = Math.floor(moment / 40);
  const step = moment % 40;
  const level: EventView = { type: "level", dbfs: step < 30 ? -30 + 12 * Math.sin(moment) : -62 };
  const text = SPOKEN[step / 8 - 1];
  if (step === 32)
    return [
      level,
      { type: "overheard", utterance, text: "Remind me to pack a towel for the dog.", isEcho: utterance % 2 === 1 },
    ];
  return text === undefined ? [level] : [level, { type: "partial", utterance, text }];
}

function asked(bridge: FakeBridge, origin: "voice" | "typed") {
  const at = new Date().toISOString();
  bridge.emit(
    {
      type: "asked",
      reply: 1,
      text: "Ten it is. Put it in the calendar and let Ana know.",
      origin,
      at,
      replacesPrevious: false,
    },
    { type: "state", state: "thinking" },
  );
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Answers every command from example data and plays a scene. */
export function startScene(name: string): FakeBridge {
  // In the empty scene nothing was set up yet.
  const desktop = desktopLocation();
  const known = fields().map((field) =>
    name === "empty" && field.path === SERVERS ? { ...field, value: {}, isChanged: false } : field,
  );
  const kept = models();
  let asks = 1;
  let areServersStarted = true;
  let allowed = permissions();

  const change = (path: unknown, change: (field: FieldView) => FieldView): FieldView => {
    const index = known.findIndex((field) => field.path === path);
    const field = known[index];
    if (!field) throw { code: "not_found", message: `There is no setting ${String(path)}.` };
    const changed = change(field);
    known[index] = changed;
    bridge.emit({ type: "setting", path: changed.path, value: changed.value });
    return changed;
  };
  const modelOf = (id: unknown): ModelView => {
    const model = kept.models.find((candidate) => candidate.id === id);
    if (!model) throw { code: "not_found", message: "That model is not in the list." };
    return model;
  };
  const changeModel = (id: unknown, status: (model: ModelView) => ModelView["status"]): ModelView => {
    const model = modelOf(id);
    model.status = status(model);
    bridge.emit({ type: "model", model: { ...model } });
    return { ...model };
  };

  const startServers = () => {
    areServersStarted = false;
    bridge.emit({ type: "toolServersChanged" });
    setTimeout(() => {
      areServersStarted = true;
      bridge.emit({ type: "toolServersChanged" });
    }, 600);
  };

  const choose = (provider: unknown) => {
    kept.providers = kept.providers.map((candidate) => ({ ...candidate, isChosen: candidate.provider === provider }));
  };

  const bridge: FakeBridge = new FakeBridge({
    status: () => ({
      state: talk.state,
      isMuted: talk.isMuted,
      canListen: talk.canListen,
      troubles: talk.troubles,
      rings: talk.rings,
    }),
    conversation: () =>
      name === "empty" || name === "starting"
        ? { ...talk, messages: [], hasEarlier: false, isReady: name === "empty" }
        : talk,
    history: ({ before }) => olderMessages(Number(before)),
    reply_trace: () => trace,
    ask: ({ text }) => {
      asks += 1;
      const at = new Date().toISOString();
      const reply = asks;
      const events: EventView[] = [
        { type: "asked", reply, text: String(text), origin: "typed", at, replacesPrevious: false },
        { type: "state", state: "thinking" },
      ];
      bridge.emit(...events);
      setTimeout(() => bridge.emit({ type: "delta", reply, text: "Twice as long " }), 400);
      setTimeout(() => bridge.emit({ type: "delta", reply, text: "as from the middle to the end." }), 700);
      setTimeout(
        () =>
          bridge.emit(
            { type: "done", reply, text: "Twice as long as from the middle to the end.", attachments: [] },
            { type: "state", state: "idle" },
          ),
        1000,
      );
      return reply;
    },
    answer: ({ question, text }) =>
      bridge.emit({ type: "answered", reply: 1, question: Number(question), text: String(text) }),
    stop_ring: ({ appointment }) => bridge.emit({ type: "ringSettled", appointment: Number(appointment) }),
    snooze_ring: ({ appointment }) => bridge.emit({ type: "ringSettled", appointment: Number(appointment) }),
    stop: () => bridge.emit({ type: "state", state: "idle" }),
    set_muted: ({ isMuted }) =>
      bridge.emit({ type: "muted", isMuted: Boolean(isMuted) }, { type: "state", state: isMuted ? "muted" : "idle" }),
    talk: () => bridge.emit({ type: "state", state: "listening" }),
    read_aloud: () => null,
    picture: () => PICTURE,
    save_attachment: () => "/home/ana/Downloads/tides of the week.csv",
    open_window: () => null,
    open_link: () => null,
    preview_voice: () => null,
    settings: () => ({ fields: [...known], troubles: [] }),
    set_setting: ({ path, value }) => {
      if (value === "" && path === "listening.wake_word")
        throw { code: "bad_value", message: "It cannot be empty. Type a name." };
      if (path === SERVERS) startServers();
      return change(path, (field) => ({
        ...field,
        value,
        isChanged: JSON.stringify(value) !== JSON.stringify(field.defaultValue),
      }));
    },
    reset_setting: ({ path }) => change(path, (field) => ({ ...field, value: field.defaultValue, isChanged: false })),
    devices: () => devices,
    places: ({ query }) => placesNamed(String(query)),
    context_line: () => contextLine(known),
    location: () => desktop.location(known),
    look_for_location: () => desktop.lookAgain(),
    hosts_contacted: () => contacts(),
    forget_hosts_contacted: () => [],
    server_prompts: () => (name === "empty" ? [] : prompts()),
    tool_servers: () => statuses(serversOf(known), areServersStarted),
    refresh_tool_servers: async () => {
      await pause(800);
      return statuses(serversOf(known), true);
    },
    set_tool_server_secret: () => undefined,
    sign_in_tool_server: () => pause(1500),
    sign_out_tool_server: () => undefined,
    add_program: ({ name, may }) => {
      const keys = {
        ...(known.find(({ path }) => path === KEYS)?.value as object),
        [String(name)]: { sha256: "0".repeat(64), may },
      };
      change(KEYS, (field) => ({ ...field, value: keys, isChanged: true }));
      return `${String(name)}:${"4f".repeat(32)}`;
    },
    revoke_program: ({ name }) => {
      const keys = { ...(known.find(({ path }) => path === KEYS)?.value as Record<string, unknown>) };
      delete keys[String(name)];
      change(KEYS, (field) => ({ ...field, value: keys, isChanged: Object.keys(keys).length > 0 }));
    },
    tool_permissions: () => allowed,
    set_tool_permission: ({ name, permission }) =>
      (allowed = withChoice(allowed, name, permission as PermissionName | null)),
    agree_to_tool_description: ({ name }) =>
      (allowed = allowed.map((entry) => (entry.name === name ? { ...entry, newDescription: null } : entry))),
    tool_calls: ({ tool, outcome, before }) =>
      calls().filter(
        (call) =>
          (tool === null || call.tool === tool) &&
          (outcome === null || call.outcome === outcome) &&
          (before === null || call.id < Number(before)),
      ),
    models: () => ({ ...kept }),
    use_provider: ({ provider, address, model }) => {
      choose(provider);
      for (const [path, value] of Object.entries({
        "llm.provider": provider,
        "llm.base_url": address,
        "llm.chat_model": model,
      })) {
        change(path, (field) => ({ ...field, value, isChanged: value !== field.defaultValue }));
      }
      return { ...kept };
    },
    use_model: async ({ id }) => {
      await pause(800);
      const { purpose } = modelOf(id);
      for (const model of kept.models) {
        if (model.purpose === purpose && model.status.type === "inUse")
          changeModel(model.id, () => ({ type: "ready" }));
      }
      changeModel(id, () => ({ type: "inUse" }));
      if (purpose === "language") choose("embedded");
      return { ...kept, models: [...kept.models] };
    },
    test_model: async ({ id }) => {
      await pause(1500);
      const { purpose, name } = modelOf(id);
      if (purpose === "speech") return "Understood a spoken sentence of 2.1 s in 0.4 s.";
      throw { code: "io", message: `${name} could not be loaded. Delete it and download it again.` };
    },
    let_clicks_through: () => null,
    report_fault: ({ fault }) => console.error("reported:", fault),
    download_model: ({ id }) =>
      changeModel(id, ({ bytes }) => ({
        type: "downloading",
        bytes: bytes / 3,
        total: bytes,
        bytesPerSec: 14_000_000,
      })),
    pause_download: ({ id }) => changeModel(id, ({ bytes }) => ({ type: "paused", bytes: bytes / 3, total: bytes })),
    pull_model: ({ model, address }) => {
      const name = String(model).trim();
      const pull = (status: PullView["status"]): PullView => ({ model: name, address: String(address), status });
      if (name === "")
        throw { code: "trouble", message: '"" is not a name of a model. Type a name such as `qwen3:4b`.' };
      const total = 2_600_000_000;
      bridge.emit({ type: "pull", pull: pull({ type: "lookingUp" }) });
      setTimeout(
        () =>
          bridge.emit({
            type: "pull",
            pull: pull({ type: "downloading", bytes: total / 4, total, percent: 25, bytesPerSec: 40_000_000 }),
          }),
        600,
      );
      return pull({ type: "lookingUp" });
    },
    cancel_pull: () => null,
    delete_model: ({ id }) => changeModel(id, () => ({ type: "absent" })),
    check_hotkey: ({ keys }) => {
      if (keys === "Ctrl+Space")
        throw { code: "taken", message: "Ctrl Space is taken by your input method. Choose another." };
      return null;
    },
  }).install();

  bridge.onSubscribed = () => SCENES[name]?.(bridge);
  return bridge;
}
