import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join, matchesGlob, relative } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { demoPassword } from "#access/sign-in/demo-passwords.ts";
import { freePort, launchServer, projectFolder } from "#tests/support/launched.ts";
import { pdfPages } from "#tests/support/pictures.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

/*
 * The image that the Dockerfile builds, without Docker: the files that each COPY takes and .dockerignore lets
 * through, and the server's build as RUN has it. The web app is the existing build.
 */

const dockerfile = readFileSync(join(projectFolder, "Dockerfile"), "utf8");
const ignoreRules = readFileSync(join(projectFolder, ".dockerignore"), "utf8").split("\n");

let folder: string;
/** The image's /app. */
let image: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(inject("diskFolder"), "rn-image-"));
  const [, building = "", , running = ""] = dockerfile.split(/^FROM /m);
  const build = join(folder, "build");
  copyInto(build, building);
  const packages = join(projectFolder, "node_modules");
  symlinkSync(packages, join(build, "node_modules"));
  symlinkSync(packages, join(folder, "node_modules")); // found from the image, and not listed with it
  const [, command = ""] = /node (\S+\/vite\.js build .*--config .*)$/m.exec(building) ?? [];
  execFileSync(process.execPath, command.split(" "), {
    cwd: build,
    env: { PATH: process.env["PATH"], NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  image = join(folder, "app");
  copyInto(image, running);
  cpSync(join(build, "dist/server"), join(image, "dist/server"), { recursive: true });
  cpSync(join(projectFolder, "dist/web"), join(image, "dist/web"), { recursive: true });
  database = await aTestDatabase();
}, 120_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

function copyInto(target: string, stage: string): void {
  for (const [, paths = ""] of stage.matchAll(/^COPY (?!--from)(.*)$/gm))
    for (const path of paths.split(" ").slice(0, -1))
      cpSync(join(projectFolder, path), join(target, path), {
        recursive: true,
        filter: (source) => isCopied(relative(projectFolder, source)),
      });
}

/** As Docker reads it: the last matching line decides, for a file or for a folder that contains it. */
function isCopied(path: string): boolean {
  const parts = path.split("/");
  const folders = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  const isNamed = (pattern: string) => folders.some((name) => matchesGlob(name, pattern));
  const last = ignoreRules.findLast(
    (line) => line !== "" && !line.startsWith("#") && isNamed(line.replace("!", "")),
  );
  return last?.startsWith("!") === true || ignoreRules.some((line) => line.startsWith(`!${path}/`));
}

const environment = () => ({
  PATH: process.env["PATH"] ?? "",
  NODE_ENV: "production",
  DATABASE_URL: database.connectionString,
  DATA_DIR: join(folder, "data"),
  APP_SECRET: "Xb1iR3dPz8/w2Hq+0vTjY7sKcMfA5nUeLg9oZt6B",
});

test("holds no sources, no demo and no sandboxes, and only as much of the demo's password as refuses it", () => {
  const files = readdirSync(image, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(image, join(entry.parentPath, entry.name)));
  const tops = new Set(files.map((file) => file.split("/").slice(0, 2).join("/")));
  expect([...tops].filter((top) => !/^(migrations|rules)\//.test(top)).toSorted()).toEqual([
    "deploy/health.mjs",
    "dist/server",
    "dist/web",
    "package.json",
  ]);
  const server = files.filter((file) => file.startsWith("dist/server/") && file.endsWith(".js"));
  const texts = server.map((file) => readFileSync(join(image, file), "utf8")).join("\n");
  const built = [...texts.matchAll(/^\/\/ (src\/\S+|sandboxes\/\S+)$/gm)].map(
    ([, path = ""]) => path,
  );
  expect(built.length).toBeGreaterThan(200);
  expect(built.filter((path) => /demo\/|sandboxes|main\/demo(?!-part)/.test(path))).toEqual([]);
  expect(texts.split(demoPassword)).toHaveLength(2);
  expect(texts).not.toMatch(/Harbor County|@demo\.test|@lakeside\.test/);
  const shown = files.filter((file) => file.startsWith("dist/web/") && /\.(js|html)$/.test(file));
  for (const file of shown)
    expect([file, readFileSync(join(image, file), "utf8").includes(demoPassword)]).toEqual([
      file,
      false,
    ]);
});

test("serves and works on a database of its own, as the role that owns nothing", async () => {
  const port = await freePort();
  const server = launchServer({
    cwd: image,
    program: join(image, "dist/server/start.js"),
    env: { ...environment(), PORT: String(port), HOST: "0.0.0.0" },
  });
  await server.ready;
  expect((await fetch(`http://127.0.0.1:${port}/sign-in`)).status).toBe(200);
  await expect
    .poll(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status, { timeout: 60_000 })
    .toBe(200);
  server.signal("SIGTERM");
  const { code, stdout, stderr } = await server.ended;
  expect([code, stdout.includes("There is no network yet."), stderr]).toEqual([
    0,
    true,
    expect.not.stringContaining("owns tables"),
  ]);
});

test("draws a statement with a package's font where the letters need it", async () => {
  const folderOfServer = join(image, "dist/server");
  const [file = ""] = readdirSync(folderOfServer).filter((name) => name.startsWith("pdf-thread-"));
  const thread = new Worker(join(folderOfServer, file));
  const none = "0.00";
  const statement = {
    attorneyId: 1,
    attorneyName: "Nguyễn Łukasz Їжакевич",
    attorneyAddress: [],
    brand: { name: "Lakeside", postalAddress: [], phone: "", email: "", logo: null },
    from: "2026-05-01",
    to: "2026-05-31",
    asOf: "2026-05-31",
    opening: none,
    lines: [],
    charged: none,
    paid: none,
    takenBack: none,
    adjusted: none,
    closing: none,
    credit: none,
  };
  const answered = once(thread, "message");
  thread.postMessage({ piece: JSON.stringify(statement) });
  thread.postMessage({ logo: null });
  const [{ answer }] = await answered;
  await thread.terminate();
  expect(pdfPages(Buffer.from(answer.bytes))[0]).toContain("Nguyễn Łukasz Їжакевич");
});

test("has all commands except those that make up data", async () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(image, "dist/server/cli.js"), ...args], {
      cwd: image,
      env: environment(),
      encoding: "utf8",
    });
  const network = ["--name", "Lakeside", "--time-zone", "America/Chicago"];
  expect(run("create-network", ...network)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Created network \d+, Lakeside\./),
  });
  expect(run("verify-ledger")).toMatchObject({ status: 0 });
  expect(run("seed", "--attorneys", "1", "--plans", "1", "--months", "1")).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^This image was built for production, without the demo .*\.\n$/),
  });
  const demo = spawnSync(process.execPath, [join(image, "dist/server/start.js")], {
    cwd: image,
    env: { ...environment(), DEMO: "1", PORT: String(await freePort()) },
    encoding: "utf8",
  });
  expect([demo.status, demo.stderr]).toEqual([1, expect.stringContaining("without the demo")]);
});
