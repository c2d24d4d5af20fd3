/** Walking through one's earlier words with the arrow keys. `place` counts back from the newest; -1 is the own draft. */
export type Walk = { entries: readonly string[]; place: number; draft: string };

/** Starts a walk. Entries are oldest first; repeats in a row count once. */
export function startWalk(entries: readonly string[], draft: string): Walk {
  const distinct = entries.filter((entry, index) => entry !== entries[index - 1]);
  return { entries: distinct, place: -1, draft };
}

export function older(walk: Walk): Walk {
  return { ...walk, place: Math.min(walk.place + 1, walk.entries.length - 1) };
}

export function newer(walk: Walk): Walk {
  return { ...walk, place: Math.max(walk.place - 1, -1) };
}

/** What the composer shows at this place. */
export function wordsAt({ entries, place, draft }: Walk): string {
  return place < 0 ? draft : (entries.at(-1 - place) ?? draft);
}
