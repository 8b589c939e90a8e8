/** In this order, since most browsers claim to be others besides. */
const browsers: [name: string, pattern: RegExp][] = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\b(OPR|Opera|OPT)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ["Safari", /\bVersion\/.*\bSafari\//],
];

/** Phones before the systems that they claim to be like. */
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
 * A device as people call it, by the user agent of a request: "Firefox on Windows". It is what the device says of
 * itself, and proves nothing.
 */
export function deviceInWords(userAgent: string | null): string {
  const named = (kinds: [string, RegExp][]) =>
    kinds.find(([, pattern]) => pattern.test(userAgent ?? ""))?.[0];
  const browser = named(browsers);
  const system = named(systems);
  if (!browser && !system) return userAgent ? "A program" : "Unknown device";
  return `${browser ?? "A browser"} on ${system ?? "an unknown system"}`;
}
