import type { SettingsState } from "../state";

/** Why the microphone cannot be heard, and what to do. */
export type Hurdle = { what: string; remedy: string; solve: () => void };

const LISTENING = "listening.enabled";

export function hurdleOf(
  { fields, isMuted }: Pick<SettingsState, "fields" | "isMuted">,
  ways: { unmute: () => void; listen: (path: string) => void },
): Hurdle | null {
  const isOff = fields.some(({ path, value }) => path === LISTENING && value === false);
  if (isOff)
    return {
      what: "Listening is switched off, so the microphone is closed.",
      remedy: "Switch listening on",
      solve: () => ways.listen(LISTENING),
    };
  if (isMuted) return { what: "The microphone is muted.", remedy: "Unmute", solve: ways.unmute };
  return null;
}
