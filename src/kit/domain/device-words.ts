/** In this order, since most browsers also claim to be others. */
const browsers: [name: string, pattern: RegExp][] = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\b(OPR|Opera|OPT)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ["Safari", /\bVersion\/.*\bSafari\//],
];

/** Phones before the systems that they resemble. */
const systems: [name: string, pattern: RegExp][] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["Mac", /\bMac(intosh| OS X)\b/],
  ["Linux", /\bLinux\b/],
];

/**
 * A device's name from a request's user agent: "Firefox on Windows". The device says it of itself, so it proves
 * nothing.
 */
export function deviceInWords(userAgent: string | null): string {
  const named = (kinds: [string, RegExp][]) =>
    kinds.find(([, pattern]) => pattern.test(userAgent ?? ""))?.[0];
  const browser = named(browsers);
  const system = named(systems);
  if (!browser && !system) return userAgent ? "A program" : "Unknown device";
  return `${browser ?? "A browser"} on ${system ?? "an unknown system"}`;
}
