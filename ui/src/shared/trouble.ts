import type { TroubleView } from "../api/types/TroubleView";

type StageWords = { title: string; pill: string };

const STAGES: Record<string, StageWords> = {
  microphone: { title: "Microphone", pill: "Microphone fault" },
  recognition: { title: "Hearing", pill: "Can’t hear words" },
  language_model: { title: "Language model", pill: "Can’t answer" },
  voice: { title: "Voice", pill: "Can’t speak" },
  speaker: { title: "Speaker", pill: "Speaker fault" },
  memory: { title: "Memory", pill: "Memory fault" },
  settings: { title: "Settings", pill: "Settings fault" },
  keychain: { title: "Keychain", pill: "Keychain fault" },
  download: { title: "Download", pill: "Download failed" },
  command_center: { title: "Command Center", pill: "No Command Center" },
  tool_servers: { title: "Tool servers", pill: "Tool changed" },
  enrolled_voices: { title: "Enrolled voices", pill: "Voices unknown" },
  instance: { title: "Connection to Jarvis", pill: "Connection fault" },
  talk_key: { title: "Talk key", pill: "No talk key" },
  at_login: { title: "Start at login", pill: "Can’t start at login" },
};

const UNKNOWN: StageWords = { title: "A part of Jarvis", pill: "Fault" };

/** The name of a stage, as the title of a banner and in the state pill. */
export function stageWords(stage: string): StageWords {
  return STAGES[stage] ?? UNKNOWN;
}

/** A stage has one trouble at a time: the newest. */
export function withTrouble(troubles: readonly TroubleView[], trouble: TroubleView): TroubleView[] {
  return [...troubles.filter(({ stage }) => stage !== trouble.stage), trouble];
}

export function withoutStage(troubles: readonly TroubleView[], recovered: string): TroubleView[] {
  return troubles.filter(({ stage }) => stage !== recovered);
}
