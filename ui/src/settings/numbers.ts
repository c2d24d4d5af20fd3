/** Numbers without a unit and with more values than this are no amounts but names, such as ports. */
const MOST_UNITLESS_VALUES = 10_000;

/** Returns `true` if a larger number means more of something, so that a slider makes sense. */
export function isAmount(min: number, max: number, unit: string): boolean {
  return unit !== "" || max - min < MOST_UNITLESS_VALUES;
}

/** A step that makes about a hundred of them and is round: 1, 2 or 5 times a power of ten. Whole numbers never step by less than 1. */
export function stepOf(min: number, max: number, isWhole: boolean): number {
  const rough = (max - min) / 100;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10;
  const step = Number((round * power).toPrecision(1));
  return isWhole ? Math.max(1, step) : step;
}

/** A typed text as a number; a decimal comma is allowed. */
export function parseNumber(typed: string): number | null {
  const text = typed.trim().replace(",", ".").replace("−", "-");
  const value = Number(text);
  return text === "" || Number.isNaN(value) ? null : value;
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
