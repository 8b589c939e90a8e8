import { dayIn } from "#kit/domain/calendar.ts";
import { type Command, command } from "#kit/cli/command.ts";
import { importMatters } from "#referrals/matters/import-matters.ts";
import { chooseNetwork } from "#kit/cli/chosen-networks.ts";
import { importOptions, importOutcome } from "#kit/imports/import-command.ts";
import { operator } from "#access/networks/networks.ts";

const importMattersCommand = command({
  name: "import-matters",
  summary: "Record or update referrals from a CSV file",
  details: `The first row names the columns, in any order. First name and last name are needed. Optional: phone,
email, address line 1, address line 2, city, state, zip, contact preference (phone, email or either),
follow-up consent (yes or no), note, reference, submitted on, attorney (an email address or a bar
number), referred on, last report on, closed on. A referral is matched by its reference, or else by
the client's name and the submission date, so a file can be imported twice. Empty cells change
nothing, and a status only moves forward. Suspensions are reviewed afterwards. A bad row stops the
whole import, unless --skip-bad is given.`,
  operands: ["FILE.csv"],
  options: importOptions,
  async run({ db, now, progress }, given, [path = ""]) {
    const startedAt = performance.now();
    const network = await chooseNetwork(db, given.network);
    const today = dayIn(network.timeZone, now());
    const file = { path, encoding: given.encoding, skipsBad: given["skip-bad"], today };
    const report = await importMatters(db, operator(network.id), file, (_step, rows) =>
      progress(`Read ${rows.toLocaleString("en-US")} rows`),
    );
    const suspensions = `; attorneys suspended: ${report.suspended}, suspensions lifted: ${report.lifted}`;
    return importOutcome(report, {
      network,
      ofRecord: "a referral's",
      extra: suspensions,
      startedAt,
    });
  },
});

export const matterCommands: Command[] = [importMattersCommand];
