const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const dayWithYearFormat = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric" });
const timeFormat = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });

/** The local day of a moment, for comparisons. */
export function dayOf(at: string): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;
}

/** A heading for the day of a moment: "Today", "Yesterday", or the date. */
export function dayHeading(at: string, now: Date): string {
  const date = new Date(at);
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (dayOf(at) === dayOf(now.toISOString())) return "Today";
  if (dayOf(at) === dayOf(yesterday.toISOString())) return "Yesterday";
  return (date.getFullYear() === now.getFullYear() ? dayFormat : dayWithYearFormat).format(date);
}

export function timeOfDay(at: string): string {
  return timeFormat.format(new Date(at));
}
