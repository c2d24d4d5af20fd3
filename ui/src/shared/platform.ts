/** On a Mac the command key stands in for Ctrl. */
export const isMac = navigator.userAgent.includes("Macintosh");
