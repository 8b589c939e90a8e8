import { sql } from "kysely";
import { plainDate } from "#kit/domain/calendar.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { listChanges, listActors } from "#office/activity/activity.ts";
import { attorneyRows } from "#panel/attorneys.rows.ts";
import { listPage } from "#kit/list/list-page.ts";
import { previewReview, reviewNetwork } from "#referrals/suspension/suspension.ts";
import { queueReminders } from "#referrals/suspension/reminders.ts";
import { listAllMatters, listOwnMatters } from "#referrals/matters/matters.ts";
import { findSuspensionStatus } from "#referrals/suspension/suspension-status.ts";
import { aLargeNetwork } from "#tests/support/many-matters.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import { attempt } from "./attempt.ts";
import { type Measured, percentile, type Row } from "./row.ts";
import type { World } from "./world.ts";

const today = plainDate("2026-07-01");
const limits = { evaluation: 5000, list: 100 };

/**
 * 5,000 attorneys and 100,000 open matters, beside another network: the daily evaluation, and every list, as
 * the server answers it. The median counts; the other rows show how busy the machine is.
 */
export async function referralRows(world: World): Promise<Row[]> {
  const { db, isQuick, log } = world;
  const [attorneys, openMatters] = isQuick ? [500, 10_000] : [5_000, 100_000];
  log(`Making ${openMatters.toLocaleString("en-US")} referrals …`);
  const day = today.toString();
  await aLargeNetwork(db, { attorneys: attorneys / 10, openMatters: openMatters / 10, today: day });
  const network = await aLargeNetwork(db, { attorneys, openMatters, today: day });
  const rows: Row[] = [];
  const measure: Measure = async (name, limitMs, act, runs = 7) =>
    void rows.push(await attempt(world, name, () => medianOf(act, { limitMs, runs })));
  await evaluations(measure, db, network);
  await measureLists(measure, db, network);
  return rows;
}

/** Add a row: how long something takes, run `rounds` times. */
type Measure = (
  name: string,
  limitMs: number,
  act: () => Promise<unknown>,
  runs?: number,
) => Promise<void>;

async function medianOf(
  act: () => Promise<unknown>,
  { limitMs, runs }: { limitMs: number; runs: number },
): Promise<Measured> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const begun = performance.now();
    await act();
    times.push(performance.now() - begun);
  }
  const middle = percentile(times, 0.5);
  return {
    unit: "s",
    product: times.map((time) => time / 1000),
    p50: { product: middle },
    limits: [{ what: "median", measured: middle, unit: " ms", most: limitMs }],
  };
}

async function evaluations(measure: Measure, db: Db, network: MadeNetwork): Promise<void> {
  const review = () => inTransaction(db, (tx) => reviewNetwork(tx, network.admin, today));
  await db.updateTable("networks").set({ suspendsOverdueAttorneys: true }).execute();
  await measure("daily evaluation, suspends one in twenty", limits.evaluation, review, 1);
  await measure("changes nothing", limits.evaluation, review);
  await measure(
    "reminds",
    limits.evaluation,
    () => queueReminders(db, `${today.toString()}T12:00:00Z`),
    1,
  );
  await measure("preview of another rule", limits.evaluation, () =>
    previewReview(db, network.id, { enabled: true, threshold: 0 }, today),
  );
  await db.updateTable("networks").set({ suspendsOverdueAttorneys: false }).execute();
  await measure("lifts all", limits.evaluation, review, 1);
}

async function measureLists(measure: Measure, db: Db, network: MadeNetwork): Promise<void> {
  const { rows } = await sql<{ id: number; name: string; email: string }>`
    select id, first_name as name, email from attorneys where network_id = ${network.id} limit 1`.execute(
    db,
  );
  const [one] = rows;
  if (!one) throw new Error("There are no attorneys.");
  const page = { page: 1, per_page: 50, search: "" };
  const matters: Record<string, object> = {
    "all, first page": {},
    "all, page 2,000": { page: 2000 },
    "200 a page": { per_page: 200 },
    open: { status: "open" },
    "open, page 500": { status: "open", page: 500 },
    closed: { status: "closed" },
    new: { status: "new" },
    "with overdue reports": { report: "overdue" },
    "of an attorney": { attorney_id: one.id },
    "by name": { search: "surname1234" },
    "by two words": { search: "client31 surname12" },
    "by two letters": { search: "su" },
    "by what all have": { search: "client" },
    "by what all have, open": { search: "example.test", status: "open" },
    "by nothing found": { search: "zzzzzz" },
    "by phone": { search: "(555) 100-5100" },
    "by digits": { search: "5100" },
    "by email": { search: "client-4711@example.test" },
  };
  for (const [what, query] of Object.entries(matters))
    await measure(`referrals ${what}`, limits.list, () =>
      listAllMatters(db, network.admin, { ...page, ...query }, today),
    );
  const panel: Record<string, object> = {
    all: {},
    "page 100": { page: 100 },
    suspended: { status: "suspended" },
    active: { status: "active" },
    "by name": { search: "last1234" },
    "by two letters": { search: "la" },
  };
  for (const [what, query] of Object.entries(panel))
    await measure(`attorneys ${what}`, limits.list, () =>
      listPage(db, attorneyRows, { admin: network.admin, today }, { ...page, ...query }),
    );
  const lawyer = await makeAccount(db, network, {
    ...one,
    firstName: one.name,
    lastName: one.name,
  });
  await measure("own referrals", limits.list, () => listOwnMatters(db, lawyer));
  await measure("own standing", limits.list, () => findSuspensionStatus(db, lawyer, today));
  const activity = { ...page, who: "", record_type: "" };
  await measure("activity", limits.list, () => listChanges(db, network.admin, activity, today));
  await measure("activity of an attorney", limits.list, () =>
    listChanges(db, network.admin, { ...activity, attorney_id: one.id }, today),
  );
  await measure("activity of a day", limits.list, () =>
    listChanges(db, network.admin, { ...activity, from: "2026-01-01", to: "2099-01-01" }, today),
  );
  await measure("people of the activity", limits.list, () => listActors(db, network.admin));
}
