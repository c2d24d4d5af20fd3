import type { ContactView } from "../api/types/ContactView";
import type { DevicesView } from "../api/types/DevicesView";
import type { EventView } from "../api/types/EventView";
import type { FieldView } from "../api/types/FieldView";
import type { ModelsView } from "../api/types/ModelsView";
import type { ModelView } from "../api/types/ModelView";
import type { PullView } from "../api/types/PullView";
import type { SettingsView } from "../api/types/SettingsView";
import type { ToolServerView } from "../api/types/ToolServerView";
import type { TroubleView } from "../api/types/TroubleView";
import { withEvent, NO_TRIAL, type Trial } from "./microphone/trial";
import { withListed, withPull } from "./models/pulling";
import { SILENT_DBFS } from "../shared/level";
import { withTrouble, withoutStage } from "../shared/trouble";

export type SettingsState = {
  fields: readonly FieldView[];
  troubles: readonly TroubleView[];
  /** `null` until they are listed; the same holds for the models, the contacted hosts and the tool servers. */
  devices: DevicesView | null;
  models: ModelsView | null;
  contacts: readonly ContactView[] | null;
  servers: readonly ToolServerView[] | null;
  /** Counts the reasons to list them again. */
  lookAgain: Readonly<Record<"devices" | "models" | "contacts" | "servers" | "permissions" | "calls", number>>;
  /** Why a value was refused, by path. */
  refusals: Readonly<Record<string, string>>;
  dbfs: number;
  isMuted: boolean;
  trial: Trial;
};

export const EMPTY: SettingsState = {
  fields: [],
  troubles: [],
  devices: null,
  models: null,
  contacts: null,
  servers: null,
  lookAgain: { devices: 0, models: 0, contacts: 0, servers: 0, permissions: 0, calls: 0 },
  refusals: {},
  dbfs: SILENT_DBFS,
  isMuted: false,
  trial: NO_TRIAL,
};

export const fromView = ({ fields, troubles }: SettingsView): SettingsState => ({ ...EMPTY, fields, troubles });

/** The state of the settings after these events. */
export function applyEvents(state: SettingsState, events: readonly EventView[]): SettingsState {
  return events.reduce((before, event) => {
    const after = withTrial(applyEvent(before, event), withEvent(before.trial, event));
    return outdatedBy(event).reduce(withLookAgain, after);
  }, state);
}

function applyEvent(state: SettingsState, event: EventView): SettingsState {
  switch (event.type) {
    case "setting":
      return withLevelOf(withValue(state, event.path, event.value));
    case "model":
      return withModel(state, event.model);
    case "pull":
      return withPullOf(state, event.pull);
    case "level":
      return { ...state, dbfs: event.dbfs };
    case "muted":
      return withLevelOf({ ...state, isMuted: event.isMuted });
    case "trouble":
      return withLevelOf({ ...state, troubles: withTrouble(state.troubles, event.trouble) });
    case "recovered":
      return { ...state, troubles: withoutStage(state.troubles, event.stage) };
    default:
      return state;
  }
}

const DEVICE_STAGES = ["microphone", "speaker"];
/** In these states a model is complete, or absent. */
const SETTLED = new Set(["absent", "ready", "inUse"]);
const SETTINGS_OF_MODELS = /^(llm\..+|hearing\.(speech|endpoint)_model|speaking\.voice)$/;

/** What an event makes it necessary to list again. */
function outdatedBy(event: EventView): (keyof SettingsState["lookAgain"])[] {
  switch (event.type) {
    case "trouble":
      return DEVICE_STAGES.includes(event.trouble.stage) ? ["devices"] : [];
    case "recovered":
      return DEVICE_STAGES.includes(event.stage) ? ["devices"] : [];
    case "setting":
      if (event.path === "models.folder") return ["devices", "models"];
      if (event.path.startsWith("tools.")) return ["permissions"];
      return SETTINGS_OF_MODELS.test(event.path) ? ["models"] : [];
    case "model":
      return event.model.purpose === "voice" && SETTLED.has(event.model.status.type)
        ? ["devices", "contacts"]
        : ["contacts"];
    case "pull":
      return event.pull.status.type === "done" ? ["models", "contacts"] : ["contacts"];
    case "toolServersChanged":
      return ["servers", "contacts", "permissions"];
    case "asked":
    case "done":
    case "failed":
      return ["contacts", "calls"];
    default:
      return [];
  }
}

export function withLookAgain(state: SettingsState, kind: keyof SettingsState["lookAgain"]): SettingsState {
  return { ...state, lookAgain: { ...state.lookAgain, [kind]: state.lookAgain[kind] + 1 } };
}

/** A closed microphone sends no levels, so the last one must be cleared. */
function withLevelOf(state: SettingsState): SettingsState {
  const isOff = state.fields.some(({ path, value }) => path === "listening.enabled" && value === false);
  const isGone = state.troubles.some(({ stage }) => stage === "microphone");
  return state.isMuted || isOff || isGone ? { ...state, dbfs: SILENT_DBFS } : state;
}

// An unchanged state stays the same object, so that text of a reply redraws nothing here.
const withTrial = (state: SettingsState, trial: Trial) => (trial === state.trial ? state : { ...state, trial });

function withValue(state: SettingsState, path: string, value: unknown): SettingsState {
  const field = state.fields.find((candidate) => candidate.path === path);
  return field ? withField(state, { ...field, value, isChanged: !isSame(value, field.defaultValue) }) : state;
}

/** The state after a value was accepted. */
export function withField(state: SettingsState, field: FieldView): SettingsState {
  const { [field.path]: _, ...refusals } = state.refusals;
  return { ...state, refusals, fields: state.fields.map((known) => (known.path === field.path ? field : known)) };
}

/** The state after a value was refused: the old value stays. */
export function withRefusal(state: SettingsState, path: string, why: string): SettingsState {
  return { ...state, refusals: { ...state.refusals, [path]: why } };
}

function withModel(state: SettingsState, model: ModelView): SettingsState {
  if (!state.models) return state;
  const models = state.models.models.map((known) => (known.id === model.id ? model : known));
  return { ...state, models: { ...state.models, models } };
}

/** The state after the models were listed. */
export function withModels(state: SettingsState, models: ModelsView): SettingsState {
  return { ...state, models: { ...models, pulls: withListed(state.models?.pulls ?? [], models.pulls) } };
}

function withPullOf(state: SettingsState, pull: PullView): SettingsState {
  if (!state.models) return state;
  return { ...state, models: { ...state.models, pulls: withPull(state.models.pulls, pull) } };
}

// Values come from JSON, so their JSON is equal exactly when they are.
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
