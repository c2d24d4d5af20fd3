import * as api from "../api";
import { isCommandError } from "../api/errors";

const MOST_CHARACTERS = 500;
const MOST_A_MINUTE = 20;
const MINUTE_MS = 60_000;

/** Writes errors of this window to the log. Never throws, because it is called in error handlers. */
export function reportFaults(): void {
  let reported: number[] = [];
  let isReporting = false;

  function report(fault: string): void {
    const now = Date.now();
    reported = reported.filter((at) => now - at < MINUTE_MS);
    if (isReporting || reported.length >= MOST_A_MINUTE) return;
    reported.push(now);
    isReporting = true;
    // Reporting this failure would end here again.
    api.reportFault(fault.slice(0, MOST_CHARACTERS)).catch(() => {});
    isReporting = false;
  }

  // Scripts and styles that fail to load fire an event on their element only, so it is caught in the capture phase.
  addEventListener("error", (event) => report(faultWords(event)), { capture: true });
  addEventListener("unhandledrejection", ({ reason }) => report(`Unhandled: ${wordsOf(reason)}`));
  addEventListener("securitypolicyviolation", (event) => report(violationWords(event)));

  const write = console.error;
  console.error = (...args: unknown[]) => {
    write(...args);
    report(`Console: ${args.map(wordsOf).join(" ")}`);
  };
}

function faultWords(event: Event): string {
  if (event instanceof ErrorEvent) {
    return `${event.error ? wordsOf(event.error) : event.message} (${event.filename}:${event.lineno})`;
  }
  const { target } = event;
  const address =
    target instanceof HTMLLinkElement ? target.href : target instanceof HTMLScriptElement ? target.src : "";
  return `Not loaded: ${address === "" ? "an element" : address}`;
}

function violationWords({
  effectiveDirective,
  blockedURI,
  sourceFile,
  lineNumber,
}: SecurityPolicyViolationEvent): string {
  return `Forbidden by ${effectiveDirective}: ${blockedURI} (${sourceFile}:${lineNumber})`;
}

/** Errors and sentences only: other values may hold what people said, and that is not for the log. */
function wordsOf(value: unknown): string {
  if (value instanceof Error) {
    const name = String(value);
    // Some engines start the stack with the message, others leave it out.
    return value.stack?.startsWith(name) ? value.stack : `${name}\n${value.stack ?? ""}`;
  }
  if (isCommandError(value)) return value.message;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
