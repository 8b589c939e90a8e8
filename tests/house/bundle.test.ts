import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { beforeAll, expect, test, vi } from "vitest";

const root = join(import.meta.dirname, "../..");
const mostBytes = 170_000;

type Chunk = Rolldown.OutputChunk;
let chunks: Map<string, Chunk>;

beforeAll(async () => {
  vi.stubEnv("NODE_ENV", "production"); // without it, vitest would build React's development version
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
      /src\/(referrals\/matters\/((Import)?Matters?Screen|RecordMatter|EditMatter|ReferForm)|(people|dues\/plans|office\/(activity|reports|desk\/today)|main\/settings|outgoing\/mail|kit\/imports)\/.*\.tsx)|@mantine|dayjs|react-select|@emotion/;
    expect(modules.filter((module) => administrators.test(module))).toEqual([]);
  },
);

test("a card processor's code loads only in networks that use it, when a card is shown", () => {
  const modules = firstLoad("DashboardScreen.tsx").flatMap(({ moduleIds }) => moduleIds);
  expect(modules.filter((module) => /@stripe|cards\/processors\//.test(module))).toEqual([]);
  const own = [...chunks.values()].filter(({ moduleIds }) =>
    moduleIds.some((module) => module.includes("@stripe")),
  );
  expect(own.map(({ facadeModuleId }) => basename(facadeModuleId ?? ""))).toEqual(["Stripe.tsx"]);
});

test("an administrator's first screen waits neither for the calendar nor for the charts", () => {
  const modules = firstLoad("TodayScreen.tsx").flatMap(({ moduleIds }) => moduleIds);
  expect(modules.filter((module) => /@mantine|recharts|d3-|redux/.test(module))).toEqual([]);
});

test.each([
  ["DashboardScreen.tsx", 5],
  ["OwnMattersScreen.tsx", 5],
  ["TodayScreen.tsx", 6],
  ["AttorneysScreen.tsx", 6],
  ["SubscriptionsScreen.tsx", 7],
  ["SettingsScreen.tsx", 7],
])("%s needs few files, at most %i scripts", (screen, most) => {
  expect(firstLoad(screen).length).toBeLessThanOrEqual(most);
});

test.each([
  "TodayScreen.tsx",
  "AttorneysScreen.tsx",
  "SettingsScreen.tsx",
  "ImportAttorneysScreen.tsx",
])(
  "an administrator who opens %s does not wait for searchable fields or the calendar's rules",
  (screen) => {
    const modules = firstLoad(screen).flatMap(({ moduleIds }) => moduleIds);
    expect(modules.filter((module) => /react-select|@emotion|temporal/.test(module))).toEqual([]);
  },
);

test("each screen is a file named after it: a page of an older version asks for the names it knows", () => {
  const screens = [...chunks.values()].filter(({ facadeModuleId }) =>
    facadeModuleId?.endsWith("Screen.tsx"),
  );
  expect(screens.length).toBeGreaterThan(15);
  for (const { facadeModuleId, fileName } of screens)
    expect(fileName).toContain(`/${basename(facadeModuleId ?? "", ".tsx")}-`);
});

/** What is loaded before a screen can be shown: the entry, the screen, and all their imports. */
function firstLoad(screen: string): Chunk[] {
  const entry = [...chunks.values()].find((chunk) => chunk.isEntry);
  const shown = [...chunks.values()].find((chunk) => chunk.facadeModuleId?.endsWith(`/${screen}`));
  const reached = new Set<Chunk>();
  const reach = (chunk: Chunk | undefined) => {
    if (!chunk) throw new Error(`The build has no chunk that ${screen} needs.`);
    if (reached.has(chunk)) return;
    reached.add(chunk);
    for (const name of chunk.imports) reach(chunks.get(name));
  };
  reach(entry);
  reach(shown);
  return [...reached];
}
