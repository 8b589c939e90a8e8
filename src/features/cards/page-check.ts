import { createHash } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { z } from "zod";
import { Refusal } from "#contract/refusal.ts";
import type { Db } from "#db/database.ts";
import type { SandboxAddresses } from "#features/cards/card-payment-context.ts";
import { processorNamed } from "#features/cards/settings/card-accounts.ts";
import type { ProcessorName } from "#features/cards/shapes.ts";

/** Each security header, and the SHA-384 of each script, by its name or address. */
export type PageParts = Record<string, string>;

const PageParts = z.record(z.string(), z.string());

const headers = [
  "content-security-policy",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "permissions-policy",
  "referrer-policy",
  "reporting-endpoints",
  "strict-transport-security",
  "x-content-type-options",
  "x-frame-options",
];

const timeoutMs = 30_000;

interface CheckSettings {
  db: Db;
  publicUrl: string;
  /** Where the processors of networks that use sandboxes are reached; those networks do not count without. */
  sandboxes?: SandboxAddresses;
}

/** What browsers are given: our headers and scripts, through the proxy, and the scripts of the processors in use. */
export async function readPageParts(settings: CheckSettings): Promise<PageParts> {
  const page = new URL("/sign-in", settings.publicUrl);
  const answer = await fetched(page.href);
  const parts: PageParts = {};
  for (const name of headers) parts[name] = withoutNonce(answer.headers.get(name) ?? "");
  const own = namedIn(await answer.text(), page);
  for (const url of own) {
    const bytes = await bytesOf(url);
    parts[url] = digestOf(bytes);
    for (const other of namedIn(bytes.toString(), page)) own.add(other); // a Set's loop goes on to what is added
  }
  for (const url of await scriptsInUse(settings)) parts[url] = digestOf(await bytesOf(url));
  return parts;
}

/** Our scripts that a page or a script names: what it imports at once, and what it loads later. */
function namedIn(text: string, page: URL): Set<string> {
  const names = [...text.matchAll(/["'`](?:\.\/|\/?assets\/)([\w.-]+\.js)["'`]/g)];
  return new Set(names.map(([, name = ""]) => new URL(`/assets/${name}`, page).href));
}

async function scriptsInUse({ db, sandboxes }: CheckSettings): Promise<string[]> {
  const rows = await db
    .selectFrom("cardProcessors")
    .distinctOn("networkId")
    .select(["processor", "live", "sandbox"])
    .orderBy("networkId")
    .orderBy("id", "desc")
    .execute();
  return rows.flatMap((row) => {
    const { liveAddresses, testAddresses } = processorNamed(row.processor);
    const real = row.live ? liveAddresses : testAddresses;
    const addresses = row.sandbox ? sandboxes?.[row.processor as ProcessorName] : real; // the column's check
    return addresses?.["scriptUrl"] ?? [];
  });
}

/** What differs from the parts that were accepted last, one sentence each. */
export function changesOf(known: PageParts, now: PageParts): string[] {
  const names = [...new Set([...Object.keys(known), ...Object.keys(now)])].toSorted();
  return names.flatMap((name) => {
    const [before, after] = [known[name], now[name]];
    if (before === after) return [];
    if (before === undefined) return `New: ${name}: ${after}`;
    if (after === undefined) return `Gone: ${name}`;
    return `Changed: ${name}: ${after} (was ${before})`;
  });
}

/** The parts accepted last; none before any were. */
export async function readKnownParts(path: string): Promise<PageParts | null> {
  try {
    return PageParts.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (problem) {
    if (problem instanceof Error && "code" in problem && problem.code === "ENOENT") return null;
    throw new Refusal(422, `${path} is not a file of this command.`);
  }
}

/** Whole or not at all. */
export async function keepParts(path: string, parts: PageParts): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(parts, null, 2)}\n`);
  await rename(`${path}.new`, path);
}

const withoutNonce = (policy: string) => policy.replaceAll(/'nonce-[^']+'/g, "'nonce-…'");

const bytesOf = async (url: string) => Buffer.from(await (await fetched(url)).arrayBuffer());

/** As the `integrity` of a script writes it. */
const digestOf = (bytes: Buffer) => `sha384-${createHash("sha384").update(bytes).digest("base64")}`;

async function fetched(url: string): Promise<Response> {
  const answer = await fetch(url, {
    headers: { accept: "text/html,*/*" },
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => null);
  if (answer?.ok) return answer;
  throw new Refusal(502, `${url} could not be read${answer ? `: HTTP ${answer.status}` : ""}.`);
}
