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
  summary: "Bill everything due through a day, each period once",
  details:
    "The day may lie in the past or in the future; today, by each network's own calendar, unless given.",
  options: {
    "as-of": { value: "DATE", help: "The day, written YYYY-MM-DD", schema: Day.optional() },
    "dry-run": flag("Say what would be billed, and write nothing"),
    network: networkOption("all of them"),
  },
  async run(context, given) {
    const networks = await chooseNetworks(context.db, given.network);
    const bills: NetworkResult[] = [];
    for (const network of networks) {
      const asOf = given["as-of"] ?? dayIn(network.timeZone, context.now()).toString();
      bills.push(await billNetwork(context, { network, asOf, isDryRun: given["dry-run"] }));
    }
    return outcomeOf(bills, given["dry-run"]);
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

/** What one network's trouble looks like beside the others' runs. Throws when the database went away. */
function failedRun(asOf: PlainDate, problem: unknown): BillingRunResult {
  if (isLostConnection(problem) || !(problem instanceof Error)) throw problem;
  const failure = { failures: 1, failureReason: problem.message };
  return { asOf: asOf.toString(), debits: 0, amountCents: zero, ...failure };
}

function outcomeOf(bills: NetworkResult[], isDryRun: boolean): Outcome {
  const lines = bills.map(({ network, result, seconds }) => {
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
      runs: bills.map(({ network, result: { amountCents, ...result }, seconds }) => ({
        network: { id: network.id, name: network.name },
        ...result,
        amount: dollarsText(amountCents),
        seconds,
      })),
    },
    hasFailed: bills.some(({ result }) => result.failures > 0),
  };
}

const verifyLedgerCommand = command({
  name: "verify-ledger",
  summary: "Check every invariant of the ledger, and name what breaks one",
  options: { network: networkOption("all of them") },
  async run({ db, progress }, given) {
    // Also one that has moved: its rows are proven here until they are removed.
    const [network] = given.network === undefined ? [] : await chooseNetworks(db, given.network);
    return ledgerOutcome(await verifyLedger(db, network?.id ?? null, progress));
  },
});

/** The output of `verify-ledger`. */
export function ledgerOutcome(checks: CheckResult[]) {
  const hasFailed = checks.some((check) => check.offenders > 0);
  const verdict = hasFailed
    ? "The ledger is damaged: keep this list and find the cause before anything is changed."
    : "The ledger is whole.";
  return {
    text: [...checks.map(described), verdict].join("\n"),
    json: { ok: !hasFailed, checks },
    hasFailed,
  };
}

function described({ rule, offenders, examples }: CheckResult): string {
  if (offenders === 0) return `ok      ${rule}.`;
  const more = offenders - examples.length;
  return [
    `BROKEN  ${rule}: ${offenders.toLocaleString("en-US")} times.`,
    ...examples.map(({ networkId, offence }) => `        network ${networkId}, ${offence}`),
    ...(more > 0 ? [`        and ${more.toLocaleString("en-US")} more`] : []),
  ].join("\n");
}

export const ledgerCommands: Command[] = [billingCommand, verifyLedgerCommand];
