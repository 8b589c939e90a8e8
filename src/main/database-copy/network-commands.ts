import { z } from "zod";
import { type Command, standaloneCommand } from "#kit/cli/command.ts";
import { flag, UsageProblem } from "#kit/cli/command-arguments.ts";
import { copyNetwork } from "#main/database-copy/copy-network.ts";
import { explainRights } from "#main/database-copy/copying.ts";
import { removeNetwork } from "#main/database-copy/remove-network.ts";
import { ledgerOutcome } from "#dues/ledger/commands.ts";

const database = (help: string) => ({ value: "VARIABLE", help, schema: z.string().min(1) });

const copyNetworkCommand = standaloneCommand({
  name: "copy-network",
  summary: "Copy a network into another installation's database",
  details: `Stop the servers of both installations first. The network's rows are copied in one transaction, all
or none, except sessions: people sign in again. They are compared in both databases, and verify-ledger runs in
both. TO_APP_SECRET is the other installation's APP_SECRET, if different. The network stays here until
remove-network removes it. Start the servers after that. docs/operations.md has the whole procedure.`,
  operands: ["ID"],
  options: {
    to: database(
      "The variable with the owner's address of the other database, or an address without a password",
    ),
  },
  async run(context, { to }, [id = ""]) {
    const networkId = networkIdOf(id);
    const { rows, checks } = await explainRights(() => copyNetwork(context, { networkId, to }));
    const ledger = ledgerOutcome(checks);
    return {
      text: [
        `Copied network ${networkId}: ${counted(rows)}, compared in both databases.`,
        ledger.text,
        `It is now in both. Run remove-network ${networkId} --kept-in ${to} before you start servers here.`,
      ].join("\n"),
      json: { network: networkId, rows, ledger: ledger.json },
      hasFailed: ledger.hasFailed,
    };
  },
});

const removeNetworkCommand = standaloneCommand({
  name: "remove-network",
  summary: "Permanently remove a network that was copied into another installation's database",
  details: `Stop the servers of this installation first. Refused unless the other database has the network with equal
rows. All of its rows are deleted in one transaction. Nothing else changes.`,
  operands: ["ID"],
  options: {
    "kept-in": database(
      "The variable with the address of the copy's database, or an address without a password",
    ),
    "copy-has-changed": flag("Remove it even if the copy differs because it has been used"),
  },
  async run(context, given, [id = ""]) {
    const networkId = networkIdOf(id);
    const wanted = { keptIn: given["kept-in"], mayDiffer: given["copy-has-changed"] };
    const rows = await explainRights(() => removeNetwork(context, { networkId, ...wanted }));
    return {
      text: `Removed network ${networkId}: ${counted(rows)}.`,
      json: { network: networkId, rows },
    };
  },
});

function networkIdOf(id: string): number {
  if (!/^[1-9]\d{0,14}$/.test(id))
    throw new UsageProblem("ID must be a network's number, such as 12.");
  return Number(id);
}

const counted = (rows: number) => `${rows.toLocaleString("en-US")} row${rows === 1 ? "" : "s"}`;

export const networkCopyCommands: Command[] = [copyNetworkCommand, removeNetworkCommand];
