import { expect, test } from "vitest";
import { deviceInWords } from "#kit/domain/device-words.ts";

const mozilla = (system: string, rest: string) => `Mozilla/5.0 (${system}) ${rest}`;
const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
const windows = "Windows NT 10.0; Win64; x64";

test.each([
  ["Firefox on Windows", mozilla(`${windows}; rv:128.0`, "Gecko/20100101 Firefox/128.0")],
  ["Chrome on Windows", mozilla(windows, `${webkit} Chrome/126.0.0.0 Safari/537.36`)],
  ["Edge on Windows", mozilla(windows, `${webkit} Chrome/126.0 Safari/537.36 Edg/126.0`)],
  [
    "Safari on Mac",
    mozilla("Macintosh; Intel Mac OS X 10_15_7", `${webkit} Version/17.5 Safari/605.1.15`),
  ],
  [
    "Safari on iPhone",
    mozilla(
      "iPhone; CPU iPhone OS 17_5 like Mac OS X",
      `${webkit} Version/17.5 Mobile Safari/604.1`,
    ),
  ],
  [
    "Chrome on Android",
    mozilla("Linux; Android 14", `${webkit} Chrome/126.0 Mobile Safari/537.36`),
  ],
  [
    "Samsung Internet on Android",
    mozilla("Linux; Android 14", `${webkit} SamsungBrowser/25.0 Chrome/121.0 Mobile Safari/537.36`),
  ],
  [
    "Opera on Linux",
    mozilla("X11; Linux x86_64", `${webkit} Chrome/125.0 Safari/537.36 OPR/111.0`),
  ],
  ["Chrome on ChromeOS", mozilla("X11; CrOS x86_64", `${webkit} Chrome/126.0 Safari/537.36`)],
  ["A browser on Linux", mozilla("X11; Linux x86_64", "Something/1.0")],
  ["A program", "curl/8.5.0"],
  ["Unknown device", ""],
  ["Unknown device", null],
])("%s is known by what it says of itself", (words, userAgent) => {
  expect(deviceInWords(userAgent)).toBe(words);
});
