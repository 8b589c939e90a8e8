import { z } from "zod";
import { type Command, command, standaloneCommand } from "#cli/command.ts";
import { flag } from "#cli/command-arguments.ts";
import { type KnownCell, listCells, listConflicts } from "#features/cells/cells.ts";
import { joinCell, leaveCell } from "#features/cells/join-cell.ts";

const cellsCommand = command({
  name: "cells",
  summary:
    "Show the cells of the directory, how they hear of each other, and what two of them claim",
  details:
    "Exit code 1 when another cell is not heard of, or two claim the same email address or network. While a network is moved, both cells claim it for a moment.",
  options: {},
  async run({ db }) {
    const [cells, conflicts] = [await listCells(db), await listConflicts(db)];
    const lines = cells.map(lineOf);
    if (cells.length === 0)
      lines.push(
        "This installation is the only one: it has no CELL (docs/operations.md, “Cells”).",
      );
    for (const { kind, key, cells: claiming } of conflicts)
      lines.push(`Claimed by ${claiming.join(" and ")}: ${kind} ${key}.`);
    const isDeaf = cells.some(({ isOwn, heardSeconds }) => !isOwn && heardSeconds === null);
    return {
      text: lines.join("\n"),
      json: { cells, conflicts },
      hasFailed: isDeaf || conflicts.length > 0,
    };
  },
});

const counted = (count: number, noun: string) =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

function lineOf(cell: KnownCell): string {
  const { name, firstId, lastId, networks, accounts, isOwn } = cell;
  const what = `${name}: ids ${firstId}-${lastId}, ${counted(networks, "network")}, ${counted(accounts, "account")}`;
  if (isOwn) return `${what}. This one.`;
  return `${what}. ${heardWords(cell)}; ${behindWords(cell)}.`;
}

function heardWords({ isJoined, heardSeconds }: KnownCell): string {
  if (!isJoined) return "Not joined from here";
  if (heardSeconds === null) return "NOT HEARD: this cell is not connected with it";
  return `Heard ${counted(heardSeconds, "second")} ago`;
}

const behindWords = ({ bytesBehind }: KnownCell) =>
  bytesBehind === null
    ? "it has not joined this one"
    : bytesBehind === 0
      ? "it has heard all of this one"
      : `it has ${counted(bytesBehind, "byte")} of this one's log still to read`;

const dryRun = flag("Say what would be done, and change nothing");

const joinCellCommand = standaloneCommand({
  name: "join-cell",
  summary: "Have this cell hear of another one's networks and accounts",
  details: `OTHER_CELL_DATABASE_URL is the address of the other cell's database, for a role that may replicate; this cell's
PostgreSQL connects by it as well, and keeps it. SUBSCRIBER_DATABASE_URL is that of this cell's database for a role that may
make subscriptions; without it, the owner's counts. Run it in either cell: each hears of the other by its own. It is safe to
repeat.`,
  options: { "dry-run": dryRun },
  async run(context, given) {
    const isDryRun = given["dry-run"];
    const joined = await joinCell(context, { isDryRun });
    const { cell, other, entries, isOld } = joined;
    const known = counted(entries, "entry").replace(/entrys$/, "entries");
    return {
      text: isOld
        ? `${cell} is joined with ${other} already.`
        : isDryRun
          ? `${cell} would hear of ${other}, and copy ${known}. Nothing was changed.`
          : `${cell} hears of ${other} from now on; ${known} copied. Run join-cell in ${other} as well, if it has not joined ${cell}.`,
      json: { ...joined, isDryRun },
    };
  },
});

const leaveCellCommand = standaloneCommand({
  name: "leave-cell",
  summary: "Have this cell hear no more of another one, and forget what that one serves",
  details:
    "Whose accounts are in the other cell are not led there any more. Run it in either cell. SUBSCRIBER_DATABASE_URL is as for join-cell.",
  options: {
    cell: { value: "NAME", help: "Which cell", schema: z.string().min(1) },
    gone: flag("The other cell's database is gone for good: do not tell it"),
    "dry-run": dryRun,
  },
  async run(context, { cell, gone, "dry-run": isDryRun }) {
    const left = await leaveCell(context, { other: cell, isDryRun, isGone: gone });
    const slot = left.slotLeft
      ? ` Should its database come back, drop the replication slot ${left.slotLeft} there, which keeps its log.`
      : "";
    return {
      text: isDryRun
        ? `This cell would hear no more of ${cell}, and forget what it serves. Nothing was changed.${slot}`
        : `This cell hears no more of ${cell}.${slot}`,
      json: { ...left, isDryRun },
    };
  },
});

export const cellCommands: Command[] = [cellsCommand, joinCellCommand, leaveCellCommand];
