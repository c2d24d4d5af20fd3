import type { FieldView } from "../api/types/FieldView";
import type { LocationView } from "../api/types/LocationView";
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

const valueAt = (fields: readonly FieldView[], path: string) => fields.find((field) => field.path === path)?.value;

/** The desktop of the example: it refuses at first, and allows it when it is asked again. */
export function desktopLocation() {
  let asked = 0;
  let isAllowed = false;
  return {
    location: (fields: readonly FieldView[]): LocationView => {
      if (valueAt(fields, "location.from_desktop") !== true || valueAt(fields, "location.place") !== "") {
        return { type: "notAsked" };
      }
      asked += 1;
      if (asked % 2 === 1) return { type: "looking" };
      return isAllowed
        ? { type: "found", place: "Leeds, England, United Kingdom" }
        : {
            type: "failed",
            reason:
              "The desktop does not tell Jarvis where it is. Allow it in the privacy settings of the desktop, then try again.",
          };
    },
    lookAgain: () => {
      isAllowed = true;
    },
  };
}

export function contextLine(fields: readonly FieldView[]): string {
  const textAt = (path: string) => String(valueAt(fields, path) ?? "");
  const timeZone = textAt("location.time_zone") || "Europe/London";
  const now = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short", timeZone }).format(new Date());
  const place = textAt("location.place");
  return `It is ${now} (${timeZone}).${place === "" ? "" : ` The user is in ${place}.`}`;
}
