import { Day } from "#kit/contract/fields.ts";
import { dayIn, plainDate } from "#kit/domain/calendar.ts";
import { formatDay } from "#kit/domain/day.ts";
import { type Command, command } from "#kit/cli/command.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { chooseNetworks, networkOption } from "#kit/cli/chosen-networks.ts";
import { operator } from "#access/networks/networks.ts";
import { reviewNetwork } from "#referrals/suspension/suspension.ts";

const suspensionCommand = command({
  name: "suspension",
  summary: "Suspend for overdue reports, and lift suspensions, as of a date",
  details:
    "The server does this automatically every hour and after every change. The date may be in the past or\nthe future, and applies until the next review. Default: today in each network's time zone.",
  options: {
    "as-of": { value: "DATE", help: "The date, written YYYY-MM-DD", schema: Day.optional() },
    network: networkOption("all of them"),
  },
  async run({ db, now, progress }, given) {
    const networks = await chooseNetworks(db, given.network);
    const reviews = [];
    for (const { id, name, timeZone } of networks) {
      progress(`Reviewing ${name}`);
      const asOf = given["as-of"] ?? dayIn(timeZone, now()).toString();
      const reviewed = await inTransaction(db, (tx) =>
        reviewNetwork(tx, operator(id), plainDate(asOf)),
      );
      reviews.push({ network: { id, name }, asOf, ...reviewed });
    }
    const lines = reviews.map(
      ({ network, asOf, suspended, lifted }) =>
        `${network.name}, as of ${formatDay(asOf)}: ${suspended} suspended, ${lifted} lifted.`,
    );
    return { text: lines.join("\n") || "There is no network to review.", json: { reviews } };
  },
});

export const suspensionCommands: Command[] = [suspensionCommand];
