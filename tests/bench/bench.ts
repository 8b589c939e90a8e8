import { parseArgs } from "node:util";
import { billingFromCreditRows, billingRows } from "./billing.ts";
import { checkRows } from "./checks.ts";
import { clickRows } from "./clicks.ts";
import { eventLoopRows } from "./event-loop.ts";
import { exportRows, journalRows } from "./exports.ts";
import { firstPaintRows } from "./first-paint.ts";
import { idleRows } from "./memory.ts";
import { overviewRows } from "./overview.ts";
import { paymentRows } from "./payments.ts";
import { readRows } from "./reads.ts";
import { receivableRows } from "./receivables.ts";
import { referralRows } from "./referrals.ts";
import { meets, type Row, tableOf } from "./row.ts";
import { searchRows } from "./search.ts";
import { socketRows } from "./sockets.ts";
import { subscribingRows } from "./subscribing.ts";
import { type World, withWorld } from "./world.ts";

/*
 * `npm run bench [-- --quick] [--json] [--only GROUP]`: what the product promises to be fast at, each
 * beside the raw statements on the same data in the same run. docs/performance.md has the last table
 * and says what is measured how. Exit code 1 when a limit is missed.
 */

const groups: Record<string, (world: World) => Promise<Row[]>> = {
  billing: billingRows,
  "billing-credit": billingFromCreditRows,
  subscribing: subscribingRows,
  memory: idleRows,
  payments: paymentRows,
  checks: checkRows,
  reads: readRows,
  sockets: socketRows,
  exports: exportRows,
  journal: journalRows,
  receivables: receivableRows,
  referrals: referralRows,
  search: searchRows,
  overview: overviewRows,
  "first-paint": firstPaintRows,
  clicks: clickRows,
  "event-loop": eventLoopRows,
};

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: Object.keys(groups) },
  },
});

const rows: Row[] = [];
await withWorld({ isQuick: values.quick }, async (world) => {
  for (const name of values.only) {
    const group = groups[name];
    if (!group) throw new Error(`--only is none of: ${Object.keys(groups).join(", ")}.`);
    const measured = await group(world);
    world.log(`${tableOf(measured)}\n`); // what is known already, should the rest be interrupted
    rows.push(...measured);
  }
});
const missed = rows.flatMap((row) => row.limits).filter((limit) => !meets(limit)).length;
if (values.json) console.log(JSON.stringify({ quick: values.quick, missed, rows }, null, 2));
else
  console.log(
    `${tableOf(rows)}\n\n${missed === 0 ? "Every limit is met." : `Limits missed: ${missed}.`}`,
  );
process.exitCode = missed === 0 ? 0 : 1;
