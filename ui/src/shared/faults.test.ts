import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { FakeBridge } from "../dev/bridge";
import { reportFaults } from "./faults";

const written = vi.fn();
const bridge = new FakeBridge({ report_fault: () => null }).install();

const reported = () => bridge.calls.map(({ args }) => String(args["fault"]).split("\n")[0]);
const rejection = (reason: unknown) => Object.assign(new Event("unhandledrejection"), { reason });
const violation = {
  effectiveDirective: "style-src-attr",
  blockedURI: "inline",
  sourceFile: "settings.js",
  lineNumber: 9,
};

function missing(tag: "script" | "link") {
  const element = document.createElement(tag);
  document.head.append(element);
  element.setAttribute(tag === "script" ? "data-src" : "href", "/gone.css");
  element.dispatchEvent(new Event("error"));
  element.remove();
}

// Listeners stay for good, so they are set up once; each test is another minute.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  console.error = written;
  reportFaults();
});
afterEach(() => {
  vi.setSystemTime(Date.now() + 60_000);
  bridge.calls.length = 0;
});

describe("a fault of a window", () => {
  it.each<[string, () => void, string]>([
    [
      "thrown",
      () =>
        window.dispatchEvent(
          new ErrorEvent("error", { error: new TypeError("x is no list"), filename: "a.js", lineno: 7 }),
        ),
      "TypeError: x is no list",
    ],
    [
      "thrown elsewhere",
      () => window.dispatchEvent(new ErrorEvent("error", { message: "Script error.", filename: "a.js", lineno: 7 })),
      "Script error. (a.js:7)",
    ],
    ["of a file", () => missing("link"), "Not loaded: http://localhost:3000/gone.css"],
    ["of another element", () => missing("script"), "Not loaded: an element"],
    ["of a promise", () => window.dispatchEvent(rejection(new Error("late"))), "Unhandled: Error: late"],
    [
      "of a command",
      () => window.dispatchEvent(rejection({ code: "busy", message: "It is busy." })),
      "Unhandled: It is busy.",
    ],
    [
      "forbidden",
      () => window.dispatchEvent(Object.assign(new Event("securitypolicyviolation"), violation)),
      "Forbidden by style-src-attr: inline (settings.js:9)",
    ],
    ["written", () => console.error("two", 2, null), "Console: two 2 null"],
    [
      "written with words of people",
      () => console.error("state", { draft: "my secret" }, Object.create(null)),
      "Console: state an object an object",
    ],
  ])("%s is reported", (_, happen, expected) => {
    happen();

    expect(reported()).toEqual([expected]);
  });

  it("is still written to the console", () => {
    console.error("both");

    expect(written).toHaveBeenLastCalledWith("both");
  });

  it("is cut when it is long", () => {
    console.error("a".repeat(2000));

    expect(reported()[0]).toHaveLength(500);
  });

  it("is left out after twenty in a minute", () => {
    for (let count = 0; count < 30; count += 1) console.error(count);
    expect(bridge.calls).toHaveLength(20);

    vi.setSystemTime(Date.now() + 60_000);
    console.error("later");
    expect(reported().at(-1)).toBe("Console: later");
  });

  it("that cannot be reported is let go", async () => {
    const refusing = () => {
      console.error("again");
      throw new Error("no log");
    };
    Object.assign(bridge.commands, { report_fault: refusing });
    console.error("once");
    await Promise.resolve();

    expect(reported()).toEqual(["Console: once"]);
  });
});
