import { Day } from "#kit/contract/fields.ts";
import { dayIn, type PlainDate, plainDate } from "#kit/domain/calendar.ts";
import { formatDay } from "#kit/domain/day.ts";
import { dollarsText, formatMoney, zero } from "#kit/domain/money.ts";
import { isLostConnection } from "#kit/db/lost-connection.ts";
import { type Command, command, type CommandContext, type Outcome } from "#kit/cli/command.ts";
import { flag } from "#kit/cli/command-arguments.ts";
import { dryRunBilling, runBilling, type BillingRunResult } from "#dues/ledger/billing-run.ts";
import { type CheckResult, verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { type ChosenNetwork, chooseNetworks, networkOption } from "#kit/cli/chosen-networks.ts";
import { operator } from "#access/networks/networks.ts";

const billingCommand = command({
  name: "billing",
  summary: "Bill everything due through a date, each period once",
  details: "The date may be in the past or the future. Default: today in each network's time zone.",
  options: {
    "as-of": { value: "DATE", help: "The date, written YYYY-MM-DD", schema: Day.optional() },
    "dry-run": flag("Show what would be billed, and write nothing"),
    network: networkOption("all of them"),
  },
  async run(context, given) {
    const networks = await chooseNetworks(context.db, given.network);
    const results: NetworkResult[] = [];
    for (const network of networks) {
      const asOf = given["as-of"] ?? dayIn(network.timeZone, context.now()).toString();
      results.push(await billNetwork(context, { network, asOf, isDryRun: given["dry-run"] }));
    }
    return outcomeOf(results, given["dry-run"]);
  },
});

interface NetworkResult {
  network: ChosenNetwork;
  result: BillingRunResult;
  seconds: number;
}

async function billNetwork(
  { db, pool, progress }: CommandContext,
  wanted: { network: ChosenNetwork; asOf: string; isDryRun: boolean },
): Promise<NetworkResult> {
  const { network, isDryRun } = wanted;
  const asOf = plainDate(wanted.asOf);
  const begun = performance.now();
  const onProgress = (share?: number) => progress(`Billing ${network.name}`, share);
  onProgress();
  const result = isDryRun
    ? await dryRunBilling(db, network.id, asOf)
    : await runBilling(db, operator(network.id), asOf, { sessions: pool, onProgress }).catch(
        (problem: unknown) => failedRun(asOf, problem),
      );
  return { network, result, seconds: Math.round(performance.now() - begun) / 1000 };
}

/** A result for a network that could not be billed. Rethrows if the database connection was lost. */
function failedRun(asOf: PlainDate, problem: unknown): BillingRunResult {
  if (isLostConnection(problem) || !(problem instanceof Error)) throw problem;
  const failure = { failures: 1, failureReason: problem.message };
  return { asOf: asOf.toString(), debits: 0, amountCents: zero, ...failure };
}

function outcomeOf(results: NetworkResult[], isDryRun: boolean): Outcome {
  const lines = results.map(({ network, result, seconds }) => {
    const count = result.debits.toLocaleString("en-US");
    const debits = `${count} ${result.debits === 1 ? "debit" : "debits"} of ${formatMoney(result.amountCents)}`;
    const failures = result.failures
      ? `; ${result.failures} ${result.failures === 1 ? "failure" : "failures"}: ${result.failureReason}`
      : "";
    return `${network.name}, as of ${formatDay(result.asOf)}: ${isDryRun ? "would bill" : "billed"} ${debits} in ${seconds} s${failures}.`;
  });
  return {
    text: lines.join("\n") || "There is no network to bill.",
    json: {
      dryRun: isDryRun,
      runs: results.map(({ network, result: { amountCents, ...result }, seconds }) => ({
        network: { id: network.id, name: network.name },
        ...result,
        amount: dollarsText(amountCents),
        seconds,
      })),
    },
    hasFailed: results.some(({ result }) => result.failures > 0),
  };
}

const verifyLedgerCommand = command({
  name: "verify-ledger",
  summary: "Check every rule of the ledger, and list the records that break one",
  options: { network: networkOption("all of them") },
  async run({ db, progress }, given) {
    // Networks that have moved are checked too, until their rows are removed.
    const [network] = given.network === undefined ? [] : await chooseNetworks(db, given.network);
    return ledgerOutcome(await verifyLedger(db, network?.id ?? null, progress));
  },
});

export function ledgerOutcome(checks: CheckResult[]) {
  const hasFailed = checks.some((check) => check.offenders > 0);
  const verdict = hasFailed
    ? "The ledger is damaged. Keep this list and find the cause before you change anything."
    : "The ledger is correct.";
  return {
    text: [...checks.map(linesFor), verdict].join("\n"),
    json: { ok: !hasFailed, checks },
    hasFailed,
  };
}

function linesFor({ rule, offenders, examples }: CheckResult): string {
  if (offenders === 0) return `ok      ${rule}.`;
  const more = offenders - examples.length;
  return [
    `BROKEN  ${rule}: ${offenders.toLocaleString("en-US")} times.`,
    ...examples.map(({ networkId, offence }) => `        network ${networkId}, ${offence}`),
    ...(more > 0 ? [`        and ${more.toLocaleString("en-US")} more`] : []),
  ].join("\n");
}

export const ledgerCommands: Command[] = [billingCommand, verifyLedgerCommand];
