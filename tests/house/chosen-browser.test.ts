import { chmodSync, existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { launchBrowser } from "#tests/support/chromium.ts";
import { chromiumInWords } from "#tests/support/chosen-chromium.ts";

/*
   Tests use the browser that package.json pins, so that results are the same on every machine, or a named
   one.
*/

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "referral-network-browser-"));
  vi.stubEnv("CHROMIUM_PATH", "");
});
afterEach(() => void vi.unstubAllEnvs());

test("a browser installed on the machine is not used", async () => {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const marks = names.map((name) => anInstalledBrowser(name).mark);
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"]}`);
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const [major] = browser.version().split(".");
  expect(chromiumInWords()).toBe(`Chromium ${major} from package.json`);
  expect(marks.filter((mark) => existsSync(mark))).toEqual([]);
});

test("the browser at CHROMIUM_PATH is used, and no other if it fails to start", async () => {
  const { path, mark } = anInstalledBrowser("chromium");
  vi.stubEnv("CHROMIUM_PATH", path);
  expect(chromiumInWords()).toBe(`CHROMIUM_PATH ${path}, Chromium 200`);
  await expect(launchBrowser()).rejects.toThrow(path);
  expect(existsSync(mark)).toBe(true);
});

test("a CHROMIUM_PATH without a file is reported", async () => {
  const path = join(folder, "nothing");
  vi.stubEnv("CHROMIUM_PATH", path);
  expect(chromiumInWords()).toBe(`CHROMIUM_PATH ${path}, which does not say its version`);
  await expect(launchBrowser()).rejects.toThrow(
    `CHROMIUM_PATH names ${path}, and nothing is there.`,
  );
});

/** A program that prints a version. If it is started for a page it leaves a mark and exits. */
function anInstalledBrowser(name: string): { path: string; mark: string } {
  const [path, mark] = [join(folder, name), join(folder, `${name}-started`)];
  writeFileSync(
    path,
    `#!/bin/sh\ntest "$1" = --version && echo "Chromium 200.0.1.2 of this test" && exit\n: > "${mark}"\nexit 1\n`,
  );
  chmodSync(path, 0o755);
  return { path, mark };
}
