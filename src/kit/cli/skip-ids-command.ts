import pg from "pg";
import { wholeNumber } from "#kit/cli/command-arguments.ts";
import { standaloneCommand } from "#kit/cli/command.ts";
import { withClient } from "#kit/db/database.ts";
import { openConfiguredDatabase } from "#kit/db/configured-database.ts";
import { readConfig } from "#kit/ops/config.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/** More than an installation gives in any time that a restore goes back. */
const usual = 1_000_000;
const statementMs = 600_000;

/**
 * Raises every sequence of the tables, and names those with too few numbers left. A sequence without a last value
 * had given none by that moment, but may have given some since.
 */
const raise = `
  select sequencename as name, case when max_value - given > $1
    then setval(format('%I.%I', schemaname, sequencename), given + $1) end as raised
  from pg_sequences cross join lateral (select coalesce(last_value, start_value - 1) as given) as by_then
  where schemaname = 'public' order by name`;

/**
 * After a point-in-time restore: ids given since then are in emails, links and receipts, and must not be given
 * again.
 */
export const skipIdsCommand = standaloneCommand({
  name: "skip-ids",
  summary: "After a point-in-time restore, skip the ids that were used after that time",
  details: `New records get ids that are 1,000,000 higher. --by gives another number. Run it
before the servers start, as the owner of the tables (MIGRATE_DATABASE_URL). docs/backups.md has the whole procedure.`,
  options: {
    by: {
      value: "NUMBER",
      help: "How many ids to skip. Default: 1,000,000",
      schema: wholeNumber(1, 1_000_000_000).optional(),
    },
  },
  async run({ environment, log, closeAfter }, { by = usual }) {
    const database = await openConfiguredDatabase(readConfig(environment), log);
    closeAfter(() => database.close());
    const { rows } = await withClient(
      database.ownerConnectionString,
      "skip-ids",
      { statementMs },
      (client) => client.query<{ name: string; raised: string | null }>(raise, [by]),
    ).catch(refuseOtherRole);
    const left = rows.flatMap(({ name, raised }) => (raised === null ? name : []));
    const raised = rows.length - left.length;
    const lines = [
      `New records start ${by.toLocaleString("en-US")} ids higher, in ${raised} ${raised === 1 ? "sequence" : "sequences"}.`,
      ...(left.length > 0
        ? [
            `${left.join(", ")}: too few ids are left, so these were not raised. Before the servers start, raise each above the last id that the old database gave, or run this again with a smaller --by.`,
          ]
        : []),
    ];
    return { text: lines.join("\n"), json: { by, raised, left }, hasFailed: left.length > 0 };
  },
});

function refuseOtherRole(problem: unknown): never {
  const isRefused = problem instanceof pg.DatabaseError && problem.code === "42501";
  if (!isRefused) throw problem;
  throw new StartupProblem(
    "Only the owner of the tables may skip ids. Give its address as MIGRATE_DATABASE_URL.",
  );
}
