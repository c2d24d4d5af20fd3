/** The loudness at which the bars begin to move and at which they are full, for speech near a microphone. */
const QUIET_DBFS = -55;
const LOUD_DBFS = -12;

/** What a microphone that hears nothing tells; JSON has no infinity. */
export const SILENT_DBFS = -120;

/** How far a level meter is out: 0 in silence, 1 when loud. */
export function loudness(dbfs: number): number {
  return Math.min(1, Math.max(0, (dbfs - QUIET_DBFS) / (LOUD_DBFS - QUIET_DBFS)));
}
