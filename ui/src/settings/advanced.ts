import type { FieldView } from "../api/types/FieldView";

/** What most people never need, and cannot judge without knowing how Jarvis is made. */
export const ADVANCED: ReadonlySet<string> = new Set([
  "hearing.max_utterance_ms",
  "hearing.max_utterance_while_speaking_ms",
  "hearing.pre_roll_ms",
  "hearing.min_utterance_ms",
  "hearing.min_confidence",
  "hearing.no_speech_threshold",
  "hearing.threads",
  "listening.wake_fuzzy_ratio",
  "listening.echo_tolerance_secs",
  "listening.echo_energy_threshold",
  "listening.stop_fuzzy_ratio",
  "replying.context_position",
  "llm.fast_model",
  "llm.context_tokens",
  "llm.max_reply_tokens",
  "llm.temperature",
  "llm.silence_timeout_secs",
  "memory.embedding_model",
  "models.idle_unload_mins",
  "appearance.software_rendering",
]);

type Parted = { basic: FieldView[]; advanced: FieldView[] };

/** What everybody sees of a section, and what is folded away below it. */
export function partFields(fields: readonly FieldView[]): Parted {
  const isAdvanced = ({ path }: FieldView) => ADVANCED.has(path);
  return { basic: fields.filter((field) => !isAdvanced(field)), advanced: fields.filter(isAdvanced) };
}

/** Changed values must not be forgotten because they are out of sight. */
export function advancedWords(advanced: readonly FieldView[]): string {
  const count = advanced.filter(({ isChanged }) => isChanged).length;
  return count === 0 ? "" : `${count} changed`;
}
