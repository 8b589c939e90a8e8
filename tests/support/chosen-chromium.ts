import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

interface Installation {
  path: string;
  /** Its environment, in addition to the inherited one. */
  environment: Record<string, string>;
}

/**
 * The Chromium that tests use: the one at CHROMIUM_PATH, otherwise the one that package.json pins. One
 * installed on the machine is ignored, so that results are the same everywhere. Throws if nothing is at
 * CHROMIUM_PATH.
 */
export const chosenChromium = (): Installation => fromEnvironment() ?? unpacked();

/** The same as text: name, source and version. */
export function chromiumInWords(): string {
  const path = process.env["CHROMIUM_PATH"];
  if (!path) return `Chromium ${parseInt(fromPackage().version)} from package.json`;
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  const [version = "which does not say its version"] = /^.*? \d+/m.exec(stdout ?? "") ?? [];
  return `CHROMIUM_PATH ${path}, ${version}`;
}

function fromEnvironment(): Installation | null {
  const path = process.env["CHROMIUM_PATH"];
  if (!path) return null;
  if (!existsSync(path)) throw new Error(`CHROMIUM_PATH names ${path}, and nothing is there.`);
  return { path, environment: {} };
}

/** From @sparticuz/chromium, with the libraries and the font that a bare machine may lack. */
function unpacked(): Installation {
  const folder = unpack();
  const libraries = [join(folder, "al2023/lib"), process.env["LD_LIBRARY_PATH"]];
  return {
    path: join(folder, "chromium"),
    environment: {
      LD_LIBRARY_PATH: libraries.filter(Boolean).join(":"),
      FONTCONFIG_FILE: join(folder, "fonts.conf"),
    },
  };
}

/**
 * Returns its path. It is unpacked elsewhere and renamed, so that of two processes neither sees half a
 * browser.
 */
function unpack(): string {
  const { entry, version } = fromPackage();
  const shelf = writableShelf();
  const folder = join(shelf, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  const unfinished = mkdtempSync(`${folder}.new-`);
  try {
    const unpacking = `const { default: chromium } = await import(${JSON.stringify(entry)}); await chromium.executablePath();`;
    const result = spawnSync(process.execPath, ["--input-type=module", "--eval", unpacking], {
      // It unpacks into the temporary folder, and its libraries only if it believes to run in AWS Lambda.
      env: { TMPDIR: unfinished, AWS_LAMBDA_JS_RUNTIME: "nodejs24.x" },
      encoding: "utf8",
    });
    if (result.status !== 0) throw new Error(`Chromium could not be unpacked: ${result.stderr}`);
    writeFileSync(join(unfinished, "fonts.conf"), fontSettings(folder));
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(join(folder, "chromium"))) throw error; // otherwise another process was quicker
  }
  return folder;
}

/**
 * The bundled Open Sans first, so that text has the same width on every machine; then the machine's own
 * fonts.
 */
function fontSettings(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
  <dir>/usr/share/fonts</dir>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;
}

/** Beside the packages: programs can be run from there, which the temporary folder may forbid. */
function writableShelf(): string {
  const modules = fileURLToPath(new URL("../../node_modules/", import.meta.url));
  const shelves = [
    join(modules, ".cache"),
    join(tmpdir(), `referral-network-${process.getuid?.()}`),
  ];
  for (const shelf of shelves) {
    try {
      mkdirSync(shelf, { recursive: true, mode: 0o755 });
      accessSync(shelf, constants.W_OK);
      if (lstatSync(shelf).uid === process.getuid?.()) return shelf;
    } catch {
      continue; // another user's checkout
    }
  }
  throw new Error(`Chromium can be unpacked into none of ${shelves.join(", ")}.`);
}

/** The package with Chromium: its module, and its version, which is Chromium's. */
function fromPackage(): { entry: string; version: string } {
  const require = createRequire(import.meta.url);
  const entry = require.resolve("@sparticuz/chromium");
  const description: { version: string } = JSON.parse(
    readFileSync(join(dirname(entry), "../../package.json"), "utf8"),
  );
  return { entry, version: description.version };
}
