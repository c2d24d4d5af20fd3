export const isMac = navigator.userAgent.includes("Macintosh");
