import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { QueryResultRow } from "pg";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { adjusting } from "#tests/resilience/faults/adjusting.ts";
import { billing } from "#tests/resilience/faults/billing.ts";
import { settleCards, waitForCalm } from "#tests/resilience/faults/settling.ts";
import { type Chance, chanceOf } from "#tests/resilience/faults/chance.ts";
import { type Cluster, openCluster } from "#tests/resilience/faults/database.ts";
import { checksOfFirms } from "#tests/resilience/faults/checks-of-firms.ts";
import { exporting } from "#tests/resilience/faults/exporting.ts";
import { payingByCard } from "#tests/resilience/faults/paying-by-card.ts";
import { payingByCheck } from "#tests/resilience/faults/paying-by-check.ts";
import { startProduct } from "#tests/resilience/faults/product.ts";
import { chooseFaults, type Fault, sabotage } from "#tests/resilience/faults/fault-injection.ts";
import { makeScene, type Scene, secret, template } from "#tests/resilience/faults/scene.ts";
import { subscribingAll } from "#tests/resilience/faults/subscribing-all.ts";
import { undoingAll } from "#tests/resilience/faults/undoing-all.ts";
import { type Deed, run, type World } from "#tests/resilience/faults/world.ts";
import { freePort } from "#tests/support/launched.ts";

/** Shared by rounds: one PostgreSQL, one set of card sandboxes, a template database. */
export interface Stage {
  cluster: Cluster;
  sandboxes: Sandboxes;
  scene: Scene;
  folder: string;
  close(): Promise<void>;
}

export async function openStage(attorneys: number): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "faults-"));
  const cluster = await openCluster(join(folder, "database"));
  const sandboxes = await startSandboxes({ port: 0 });
  const close = async () => {
    await sandboxes.close();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { cluster, sandboxes, folder, close, scene: await makeScene(cluster, attorneys) };
  } catch (problem) {
    await close();
    throw problem;
  }
}

export interface Outcome {
  faults: Fault[];
  /** The number of requested things. */
  asked: number;
  /** Further facts to print. */
  told: string[];
  offences: string[];
}

const deedsLastMs = 5_000;

/** Options that the seed does not choose. */
interface Chosen {
  faults?: Fault[];
  /** How long people work. */
  lastsMs?: number;
}

/**
 * One round: people and operators work while the seed's faults happen. Then everything works again, and the
 * records are compared with what was acknowledged.
 */
export async function playRound(
  stage: Stage,
  seed: number,
  { faults, lastsMs = deedsLastMs }: Chosen = {},
): Promise<Outcome> {
  const chance = chanceOf(seed);
  const chosen = chooseFaults(chance.apart(), lastsMs - 1_000);
  const { database, world, close } = await prepare(stage, seed);
  const product = startProduct(world.env, world.address);
  const deeds = [
    billing(),
    subscribingAll(),
    undoingAll(),
    payingByCheck(),
    checksOfFirms(),
    payingByCard(),
    adjusting(),
    exporting(),
  ];
  const outcome: Outcome = {
    faults: faults ?? chosen,
    asked: 0,
    told: [],
    offences: product.offences,
  };
  const target = { world, product, cluster: stage.cluster, database, chance: chance.apart() };
  try {
    await product.heal();
    await Promise.all([
      work(world, deeds, chance.apart(), lastsMs),
      sabotage(outcome.faults, target),
    ]);
    await Promise.all([...world.commands].map((command) => command.ended));
    stage.sandboxes.anet.stopFailing();
    await product.heal();
    for (const deed of deeds.toReversed()) await deed.again?.(world);
    await waitForCalm(world);
    await settleCards(world, product);
    outcome.told = deeds.flatMap((deed) => deed.tell?.() ?? []);
    outcome.asked = deeds.reduce((sum, deed) => sum + deed.size(), 0);
    for (const deed of deeds) outcome.offences.push(...(await deed.offences(world)));
    outcome.offences.push(...(await ledgerOffences(world)), ...(await numberingOffences(world)));
  } catch (problem) {
    outcome.offences.push(
      problem instanceof Error ? (problem.stack ?? problem.message) : String(problem),
    );
  } finally {
    await product.stop();
    await close();
  }
  return outcome;
}

/** A database of the round's own, and the environment of its processes. */
export async function prepare(
  stage: Stage,
  seed: number,
): Promise<{ database: string; world: World; close: () => Promise<void> }> {
  const { cluster, sandboxes, scene, folder } = stage;
  const database = `round_${seed}`;
  await cluster.ask("referral_network", `drop database if exists ${database} with (force)`);
  // With the default strategy its sequences would fall back to the template's at a crash.
  const copied = `create database ${database} template ${template} strategy file_copy`;
  await cluster.ask("referral_network", copied);
  sandboxes.reset();
  const dataDir = join(folder, database);
  mkdirSync(dataDir, { recursive: true });
  const port = await freePort();
  const world: World = {
    scene,
    address: `http://127.0.0.1:${port}`,
    dataDir,
    sandboxes,
    commands: new Set(),
    ask: async <Row extends QueryResultRow>(query: string, values?: unknown[]) =>
      await cluster.ask<Row>(database, query, values),
    env: {
      DATABASE_URL: cluster.addressOf(database),
      APP_SECRET: secret,
      DATA_DIR: dataDir,
      PORT: String(port),
      SANDBOX_PORT: new URL(sandboxes.origin).port,
      DEMO: "1",
      RATE_LIMITS: "0",
    },
  };
  const close = async () => {
    await cluster.ask("referral_network", `drop database if exists ${database} with (force)`);
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { database, world, close };
}

async function work(world: World, deeds: Deed[], chance: Chance, lastsMs: number): Promise<void> {
  const end = performance.now() + lastsMs;
  const isOver = () => performance.now() > end;
  await Promise.all(deeds.map((deed) => deed.go(world, chance.apart(), isOver)));
}

export async function ledgerOffences(world: World): Promise<string[]> {
  const { code, said } = await run(world, ["verify-ledger"]);
  return code === 0 ? [] : [`verify-ledger ended with ${code}: ${said}`];
}

/** Numbers already used must not be assigned again after a crash. */
async function numberingOffences({ ask }: World): Promise<string[]> {
  const found = await ask<{ name: string; last: string; greatest: string }>(
    `select s.name, s.last, xpath('//m/text()', query_to_xml(
       format('select coalesce(max(id), 0) as m from %I', s.of), false, true, ''))::text as greatest
     from (select c.relname as of, pg_get_serial_sequence(quote_ident(c.relname), 'id') as name,
         (select last_value from pg_sequences q where q.schemaname || '.' || q.sequencename
           = pg_get_serial_sequence(quote_ident(c.relname), 'id')) as last
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'id' and a.attidentity <> ''
       where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace) as s`,
  );
  return found
    .filter(({ last, greatest }) => Number(last ?? 0) < Number(greatest.replace(/[{}]/g, "")))
    .map(({ name, last, greatest }) => `${name} is at ${last}, but ${greatest} is in use`);
}
