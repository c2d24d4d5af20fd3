/** The levels at which the bars start to move and are full, for speech near a microphone. */
const QUIET_DBFS = -55;
const LOUD_DBFS = -12;

/** The level of silence; JSON has no infinity. */
export const SILENT_DBFS = -120;

/** The reading of a level meter: 0 in silence, 1 when loud. */
export function loudness(dbfs: number): number {
  return Math.min(1, Math.max(0, (dbfs - QUIET_DBFS) / (LOUD_DBFS - QUIET_DBFS)));
}
