import { parseArgs } from "node:util";
import { analyzingRows } from "./analyzing.ts";
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
import { missedIn, tableOf } from "./row.ts";
import { type Groups, measureGroups, refuseUnknown } from "./run-groups.ts";
import { searchRows } from "./search.ts";
import { socketRows } from "./sockets.ts";
import { subscribingRows } from "./subscribing.ts";
import { withWorld } from "./world.ts";

/*
 * `npm run bench [-- --quick] [--json] [--only GROUP]`: the speeds that the product promises, each beside the
 * raw statements on the same data in the same run. docs/performance.md has the last table and how each row is
 * measured. Exit code 1 if a limit is missed or a row fails.
 */

const groups: Groups = {
  billing: billingRows,
  "billing-credit": billingFromCreditRows,
  subscribing: subscribingRows,
  analyzing: analyzingRows,
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

refuseUnknown(groups, values.only);
await withWorld({ isQuick: values.quick }, async (world) => {
  const rows = await measureGroups(world, groups, values.only);
  const missed = missedIn(rows);
  process.exitCode = missed === 0 ? 0 : 1;
  if (values.json) console.log(JSON.stringify({ quick: values.quick, missed, rows }, null, 2));
  else
    console.log(
      `${tableOf(rows)}\n\n${missed === 0 ? "Every limit is met." : `Limits missed: ${missed}.`}`,
    );
});
process.exit(); // anything a failed row left open
