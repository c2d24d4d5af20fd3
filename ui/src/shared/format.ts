const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** An amount of data with three figures at most, such as `1.9 GB`. */
export function bytesWords(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  // 999.5 would be written as 1000 of its unit.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const isRough = value >= 10 || unit < 2;
  return `${new Intl.NumberFormat(undefined, { maximumFractionDigits: isRough ? 0 : 1 }).format(value)}\u00a0${UNITS[unit]}`;
}

/** A length of time, rounded to what one would say. */
export function secondsWords(secs: number): string {
  if (secs < 10) return "a few seconds";
  if (secs < 55) return `${Math.round(secs / 10) * 10} seconds`;
  const minutes = Math.round(secs / 60);
  if (minutes <= 1) return "a minute";
  if (minutes < 60) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours === 1 ? "an hour" : `${hours} hours`;
}

/** A share as whole per cent; 100 only once all is there. */
export function percentOf(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(100, Math.floor((100 * part) / whole));
}
