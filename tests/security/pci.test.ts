import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { processors } from "#cards/processors/processors.ts";
import { allProcessors } from "#tests/support/card-network.ts";
import { projectFolder } from "#tests/support/launched.ts";

/* A network signs its questionnaire by docs/pci.md: it must say what the code does. */

const pciDocument = readFileSync(join(projectFolder, "docs/pci.md"), "utf8");

/** The cells of the table row with this first cell. */
const rowOf = (first: string, heading: string): string[] => {
  const table = pciDocument.slice(pciDocument.indexOf(heading)).split("\n\n")[0] ?? "";
  const row = table.split("\n").find((line) => line.startsWith(`| ${first} |`)) ?? "";
  return row
    .split("|")
    .slice(2, -1)
    .map((cell) => cell.trim());
};

const hostsIn = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, host = ""]) => host);

test.each(allProcessors)(
  "docs/pci.md lists the hosts and scripts of %s as the policy allows them",
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

test("docs/pci.md names a questionnaire for each processor, and only scripts that exist", () => {
  for (const name of allProcessors) {
    const cells = rowOf(processors[name].label, "| processor | where the card is typed |");
    expect([name, cells[3]]).toEqual([name, expect.stringMatching(/\*\*SAQ A(-EP)?\*\*/)]);
    // With fields on our page, the processor's script, or our page, handles the card.
    expect([name, cells[3]?.includes("A-EP")]).toEqual([
      name,
      cells[0]?.startsWith("three fields of our page"),
    ]);
  }
  const named = [...pciDocument.matchAll(/^\| `(https:[^`]+)` \|/gm)].map(([, url]) => url);
  const used = Object.values(processors).flatMap(
    ({ liveAddresses }) => liveAddresses["scriptUrl"] ?? [],
  );
  expect(new Set(named)).toEqual(new Set(used));
});
