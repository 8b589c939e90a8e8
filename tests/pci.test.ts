import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { builtWebFolder } from "#main/app.ts";
import { runCommandLine } from "#main/command-line.ts";
import { changesOf, readPageParts } from "#features/cards/page-check.ts";
import { processors } from "#features/cards/processors/processors.ts";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { addressesAt } from "#sandboxes/processors.ts";
import { allProcessors, takesCards } from "#tests/support/card-network.ts";
import { projectFolder } from "#tests/support/launched.ts";
import { anApp } from "#tests/support/running-app.ts";

/* docs/pci.md is what a network signs its questionnaire by: it must say what the code does. */

const paper = readFileSync(join(projectFolder, "docs/pci.md"), "utf8");

/** The cells of a table's row that begins so. */
const rowOf = (first: string, heading: string): string[] => {
  const table = paper.slice(paper.indexOf(heading)).split("\n\n")[0] ?? "";
  const row = table.split("\n").find((line) => line.startsWith(`| ${first} |`)) ?? "";
  return row
    .split("|")
    .slice(2, -1)
    .map((cell) => cell.trim());
};

const hostsIn = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, host = ""]) => host);

test.each(allProcessors)(
  "the hosts and scripts of %s stand in docs/pci.md as they are allowed",
  (name) => {
    const { label, page, liveAddresses: addresses } = processors[name];
    const account = { networkId: 1, live: true, keys: {}, publicUrl: "", timeoutMs: 1, addresses };
    const { sources, scriptUrl, scriptIntegrity } = page(account);
    const hosts = rowOf(label, "| processor | scripts | frames |").map(hostsIn);
    const { scripts, frames, connections, forms } = sources;
    expect(hosts).toEqual([scripts, frames, [...new Set(connections)], forms]);
    const [, , , integrity] = rowOf(`\`${scriptUrl}\``, "| script | whose |");
    const isHashed = Boolean(scriptIntegrity);
    expect([integrity?.includes("(SRI)"), integrity?.startsWith("none")]).toEqual(
      scriptUrl === null ? [undefined, undefined] : [isHashed, !isHashed],
    );
  },
);

test("docs/pci.md names a questionnaire for each processor, and no script that there is not", () => {
  for (const name of allProcessors) {
    const cells = rowOf(processors[name].label, "| processor | where the card is typed |");
    expect([name, cells[3]]).toEqual([name, expect.stringMatching(/\*\*SAQ A(-EP)?\*\*/)]);
    // In fields of our page the script, or our page, has the card in its hands.
    expect([name, cells[3]?.includes("A-EP")]).toEqual([
      name,
      cells[0]?.startsWith("three fields of our page"),
    ]);
  }
  const named = [...paper.matchAll(/^\| `(https:[^`]+)` \|/gm)].map(([, url]) => url);
  const used = Object.values(processors).flatMap(
    ({ liveAddresses }) => liveAddresses["scriptUrl"] ?? [],
  );
  expect(new Set(named)).toEqual(new Set(used));
});

test("what browsers are given is compared with what was accepted: a processor's script that has changed is named", async () => {
  let script = "first";
  const vendor = createServer((_request, response) => response.end(script));
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void vendor.close());
  const origin = addressOf(vendor);
  const { app, publicUrl } = await aListeningApp();
  const sandboxes = addressesAt(origin);
  await takesCards(app, await makeNetwork(app.db), "anet");
  await takesCards(app, await makeNetwork(app.db), "paypal_payflow_pro"); // it has none
  const read = () => readPageParts({ db: app.db, publicUrl, sandboxes });
  const accepted = await read();
  expect(accepted).toMatchObject({
    "content-security-policy": expect.stringContaining("report-uri /csp-reports"),
    "x-frame-options": "DENY",
    [sandboxes.anet.scriptUrl]: expect.stringMatching(/^sha384-[\w+/]{64}$/),
  });
  const own = Object.keys(accepted).filter((part) => part.startsWith(`${publicUrl}/assets/`));
  const built = readdirSync(join(builtWebFolder, "assets")).filter((file) => file.endsWith(".js"));
  for (const part of ["DashboardScreen", "Anet", "index"])
    expect(own).toContainEqual(expect.stringContaining(`/${part}-`));
  expect(own.map((url) => basename(url)).filter((file) => !built.includes(file))).toEqual([]);
  expect(changesOf(accepted, await read())).toEqual([]); // each page has a nonce of its own
  script = "second";
  expect(changesOf(accepted, await read())).toEqual([
    expect.stringMatching(new RegExp(`^Changed: ${sandboxes.anet.scriptUrl}: sha384-`)),
  ]);
});

test("check-page fails until what there is has been accepted, and when it is another", async () => {
  const { app, publicUrl } = await aListeningApp();
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const run = async (...more: string[]) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const env = {
      DATABASE_URL: app.connectionString,
      APP_SECRET: app.secret,
      PUBLIC_URL: publicUrl,
      DATA_DIR: folder,
    };
    const args = ["check-page", "--known", join(folder, "page.json"), ...more];
    const code = await runCommandLine(args, { env, stdin: Readable.from([]), stdout, stderr });
    stdout.end();
    return [code, await text(stdout)];
  };
  expect(await run()).toEqual([
    1,
    expect.stringMatching(/^New: [^]*Nothing has been accepted yet/),
  ]);
  expect(await run("--accept")).toEqual([
    0,
    expect.stringMatching(/\nAccepted \d+ headers and scripts\.\n$/),
  ]);
  expect(await run()).toEqual([
    0,
    expect.stringMatching(/^\d+ headers and scripts are as they were accepted\.\n$/),
  ]);
});

async function aListeningApp() {
  const app = await anApp({ webFolder: builtWebFolder });
  onTestFinished(() => app.close());
  await app.server.listen({ port: 0, host: "127.0.0.1" });
  return { app, publicUrl: addressOf(app.server.server) };
}

function addressOf(server: Server): string {
  const { port } = server.address() as AddressInfo; // it listens on a port, not a pipe
  return `http://127.0.0.1:${port}`;
}
