import { z } from "zod";
import { type Command, type Outcome, standaloneCommand } from "#cli/command.ts";
import { flag, UsageProblem } from "#cli/command-arguments.ts";
import { type CalledOff, callOffMove } from "#features/cells/move-call-off.ts";
import {
  type MovePlan,
  moveNetwork,
  planMove,
  type WantedMove,
} from "#features/cells/move-network.ts";
import { removeMovedNetwork } from "#features/cells/move-removal.ts";
import { ledgerOutcome } from "#features/ledger/commands.ts";

const to = {
  value: "VARIABLE",
  help: "The variable with the address of the other cell's database, for its owner; or an address without a password",
  schema: z.string().min(1),
};

const moveNetworkCommand = standaloneCommand({
  name: "move-network",
  summary: "Move a network to another cell, while it is worked with",
  details: `Run it in the cell that serves the network. Its rows are copied and followed by logical replication; then its
writes pause for seconds while all of it is compared, and the other cell serves it. Killed at any moment, the command can be
given again, or called off until the other cell serves the network. OTHER_APP_SECRET is the other cell's APP_SECRET,
where that is another.
PUBLISHER_DATABASE_URL is this cell's database as PostgreSQL of the other cell reaches it, for a role that may replicate;
without it, the owner's address counts. People sign in again afterwards. docs/operations.md, “Moving a network”, has all of it.`,
  operands: ["ID"],
  options: {
    to,
    "call-off": flag("Have everything as it was before the move began"),
    "dry-run": flag("Say what would be done and what is in the way, and change nothing"),
  },
  async run(context, given, [id = ""]) {
    const wanted = wantedMove(id, given);
    const isDryRun = given["dry-run"];
    if (given["call-off"])
      return callOffOutcome(wanted, isDryRun, await callOffMove(context, { ...wanted, isDryRun }));
    if (isDryRun) return planOutcome(wanted, await planMove(context, wanted));
    const moved = await moveNetwork(context, wanted);
    const ledger = ledgerOutcome(moved.checks);
    const { networkId } = wanted;
    const seconds = moved.pausedMs === null ? null : Math.round(moved.pausedMs / 10) / 100;
    return {
      text: [
        `Network ${networkId} is served by ${moved.to}.`,
        ...(moved.rows === null
          ? []
          : [`${counted(moved.rows, "row")} were compared and are the same in both cells.`]),
        ...(seconds === null ? [] : [`Its writes were refused for ${seconds} s.`]),
        ledger.text,
        `Its people sign in again. Its rows are still here, served to nobody: remove-moved-network ${networkId} removes them.`,
      ].join("\n"),
      json: {
        network: networkId,
        from: moved.from,
        to: moved.to,
        rows: moved.rows,
        pausedSeconds: seconds,
        ledger: ledger.json,
      },
      hasFailed: ledger.hasFailed,
    };
  },
});

const removeMovedNetworkCommand = standaloneCommand({
  name: "remove-moved-network",
  summary: "Remove from this cell, for good, a network that was moved to another",
  details:
    "Refused unless the other cell serves it, or has moved it on. Killed at any moment, it can be given again, and must be.",
  operands: ["ID"],
  options: { to, "dry-run": flag("Say what would be removed, and remove nothing") },
  async run(context, given, [id = ""]) {
    const isDryRun = given["dry-run"];
    const wanted = wantedMove(id, given);
    const { to: other, rows, tables } = await removeMovedNetwork(context, { ...wanted, isDryRun });
    const what = `${counted(rows, "row")} of ${counted(tables, "table")} of network ${wanted.networkId}, which was moved to ${other}`;
    return {
      text: isDryRun ? `Would remove ${what}.` : `Removed ${what}.`,
      json: { network: wanted.networkId, to: other, rows, tables, isDryRun },
    };
  },
});

function callOffOutcome(
  { networkId }: WantedMove,
  isDryRun: boolean,
  { removed, isBack }: CalledOff,
): Outcome {
  const as = isBack ? "as it was when it was switched" : "as before";
  const rows = `${counted(removed, "row")} that had arrived`;
  return {
    text: isDryRun
      ? `Would call off: network ${networkId} would be served here ${as}, and ${rows} removed from the other cell. Nothing was changed.`
      : `Called off: network ${networkId} is served here ${as}, and ${rows} were removed from the other cell.`,
    json: { network: networkId, calledOff: !isDryRun, removed, isBack, isDryRun },
  };
}

function wantedMove(id: string, given: { to: string }): WantedMove {
  if (!/^[1-9]\d{0,14}$/.test(id))
    throw new UsageProblem("ID must be the number of a network, such as 12.");
  return { networkId: Number(id), to: given.to };
}

/** Rows a second that an ordinary machine copies and compares, as tests/move-network.rehearsal.ts has measured. */
const rowsASecond = 20_000;

function planOutcome({ networkId }: WantedMove, plan: MovePlan): Outcome {
  const { tables, obstacles, slot } = plan;
  const filled = tables.filter(({ rows }) => rows > 0);
  const rows = filled.reduce((sum, one) => sum + one.rows, 0);
  const seconds = Math.ceil(30 + rows / rowsASecond);
  const width = Math.max(0, ...filled.map(({ table }) => table.length)) + 2;
  return {
    text: [
      `Would move network ${networkId} from ${plan.from} to ${plan.to}: ${counted(rows, "row")}, in about ${seconds} s.`,
      ...filled.map((one) => `  ${one.table.padEnd(width)}${one.rows.toLocaleString("en-US")}`),
      `Until the switch PostgreSQL here keeps its log for the other cell, in the replication slot ${slot}.`,
      ...(obstacles.length === 0 ? ["Nothing is in the way."] : ["In the way:", ...obstacles]),
    ].join("\n"),
    json: { network: networkId, ...plan, rows, seconds },
    hasFailed: obstacles.length > 0,
  };
}

const counted = (count: number, noun: string) =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

export const moveCommands: Command[] = [moveNetworkCommand, removeMovedNetworkCommand];
