import type { FieldView } from "../api/types/FieldView";
import type { PlaceView } from "../api/types/PlaceView";

const PLACES = [
  ["Leeds", "England", "United Kingdom", "Europe/London"],
  ["Leeds", "Alabama", "United States", "America/Chicago"],
  ["Leeuwarden", "Friesland", "Netherlands", "Europe/Amsterdam"],
  ["Lleida", "Catalonia", "Spain", "Europe/Madrid"],
  ["Whitby", "England", "United Kingdom", "Europe/London"],
  ["Whitby", "Ontario", "Canada", "America/Toronto"],
  ["Whitby", "Wellington", "New Zealand", "Pacific/Auckland"],
  ["Singapore", "", "Singapore", "Asia/Singapore"],
] as const;

export function placesNamed(query: string): PlaceView[] {
  const start = query.trim().toLowerCase();
  return PLACES.filter(([name]) => start !== "" && name.toLowerCase().startsWith(start)).map(
    ([name, region, country, timeZone]) => ({
      name,
      region,
      country,
      timeZone,
      label: [name, region, country].filter((part) => part !== "").join(", "),
    }),
  );
}

export function contextLine(fields: readonly FieldView[]): string {
  const valueAt = (path: string) => String(fields.find((field) => field.path === path)?.value ?? "");
  const timeZone = valueAt("location.time_zone") || "Europe/London";
  const now = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short", timeZone }).format(new Date());
  const place = valueAt("location.place");
  return `It is ${now} (${timeZone}).${place === "" ? "" : ` The user is in ${place}.`}`;
}
