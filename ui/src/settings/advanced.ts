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
  "listening.judge_timeout_secs",
  "listening.transcript_secs",
  "replying.context_position",
  "llm.fast_model",
  "llm.context_tokens",
  "llm.max_reply_tokens",
  "llm.temperature",
  "llm.think",
  "llm.silence_timeout_secs",
  "memory.embedding_model",
  "command_center.validation_shape",
  "models.idle_unload_mins",
  "appearance.software_rendering",
]);

type Parted = { basic: FieldView[]; advanced: FieldView[] };

/** The fields of a section that are always shown, and those under Advanced. */
export function partFields(fields: readonly FieldView[]): Parted {
  const isAdvanced = ({ path }: FieldView) => ADVANCED.has(path);
  return { basic: fields.filter((field) => !isAdvanced(field)), advanced: fields.filter(isAdvanced) };
}

/** A changed value must not be hidden. */
export function advancedWords(advanced: readonly FieldView[]): string {
  const count = advanced.filter(({ isChanged }) => isChanged).length;
  return count === 0 ? "" : `${count} changed`;
}
