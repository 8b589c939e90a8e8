import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { beforeAll, expect, test, vi } from "vitest";

const root = join(import.meta.dirname, "..");
const mostBytes = 170_000;

type Chunk = Rolldown.OutputChunk;
let chunks: Map<string, Chunk>;

beforeAll(async () => {
  vi.stubEnv("NODE_ENV", "production"); // under test, React's development build would be weighed
  const built = await build({
    configFile: join(root, "vite.config.ts"),
    mode: "production",
    logLevel: "error",
    build: { write: false },
  });
  const outputs = [built].flat().flatMap((result) => ("output" in result ? result.output : []));
  const found = outputs.filter((output) => output.type === "chunk");
  chunks = new Map(found.map((chunk) => [chunk.fileName, chunk]));
});

test("an attorney's dashboard first loads at most 170 kB of compressed scripts", () => {
  const sizes = firstLoad("DashboardScreen.tsx").map(({ code }) => gzipSync(code).length);
  expect(sizes.reduce((total, bytes) => total + bytes, 0)).toBeLessThanOrEqual(mostBytes);
});

test.each(["DashboardScreen.tsx", "OwnMattersScreen.tsx"])(
  "an attorney who opens %s never loads what only administrators use",
  (screen) => {
    const modules = firstLoad(screen).flatMap(({ moduleIds }) => moduleIds);
    expect(modules.length).toBeGreaterThan(100);
    const administrators =
      /features\/matters\/((Import)?Matters?Screen|MattersTable|RecordMatter|EditMatter|ReferForm)|features\/(attorneys|subscriptions|debits|reports|settings|activity|mail|imports)\/.*\.tsx|@mantine|dayjs|react-select|@emotion/;
    expect(modules.filter((module) => administrators.test(module))).toEqual([]);
  },
);

test("what a card processor brings is loaded where the network uses it, and when a card is shown", () => {
  const modules = firstLoad("DashboardScreen.tsx").flatMap(({ moduleIds }) => moduleIds);
  expect(modules.filter((module) => /@stripe|payments\/processors\//.test(module))).toEqual([]);
  const own = [...chunks.values()].filter(({ moduleIds }) =>
    moduleIds.some((module) => module.includes("@stripe")),
  );
  expect(own.map(({ facadeModuleId }) => basename(facadeModuleId ?? ""))).toEqual(["Stripe.tsx"]);
});

test("an administrator's first screen does not wait for the calendar", () => {
  const modules = firstLoad("AttorneysScreen.tsx").flatMap(({ moduleIds }) => moduleIds);
  expect(modules.filter((module) => module.includes("@mantine"))).toEqual([]);
});

/** What is loaded before a screen can be shown: the entry, the screen, and all that they import. */
function firstLoad(screen: string): Chunk[] {
  const entry = [...chunks.values()].find((chunk) => chunk.isEntry);
  const shown = [...chunks.values()].find((chunk) => chunk.facadeModuleId?.endsWith(`/${screen}`));
  const reached = new Set<Chunk>();
  const reach = (chunk: Chunk | undefined) => {
    if (!chunk) throw new Error(`The build holds no chunk that ${screen} needs.`);
    if (reached.has(chunk)) return;
    reached.add(chunk);
    for (const name of chunk.imports) reach(chunks.get(name));
  };
  reach(entry);
  reach(shown);
  return [...reached];
}
