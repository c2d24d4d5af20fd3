import type { PlaceView } from "../../api/types/PlaceView";

/** Where a place is, without its own name. */
export function whereWords({ name, region, country }: PlaceView): string {
  return [region, country].filter((part) => part !== "" && part !== name).join(", ");
}

/** How many places were found, and what to do when there are none. */
export function foundWords(count: number, query: string): string {
  if (count === 0)
    return `Nothing called “${query}” in the list. Choose a larger town nearby, or type the place by hand.`;
  return count === 1 ? "1 place" : `${count} places`;
}
