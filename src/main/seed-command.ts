import { dayIn } from "#kit/domain/calendar.ts";
import { command } from "#kit/cli/command.ts";
import { wholeNumber } from "#kit/cli/command-arguments.ts";
import { chooseNetwork, networkOption } from "#kit/cli/chosen-networks.ts";
import { operator } from "#access/networks/networks.ts";
import { demoPart } from "#main/demo-part.ts";

export const seedCommand = command({
  name: "seed",
  summary: "Fill a network with made-up attorneys, plans and a billing history",
  options: {
    attorneys: { value: "N", help: "How many attorneys", schema: wholeNumber(1, 1_000_000) },
    plans: { value: "N", help: "How many plans", schema: wholeNumber(0, 100) },
    months: { value: "N", help: "How many months of billing", schema: wholeNumber(0, 120) },
    network: networkOption("the first one"),
    seed: {
      value: "N",
      help: "The same number makes the same records. Default: 1",
      schema: wholeNumber(0, 2 ** 32 - 1).default(1),
    },
  },
  async run({ db, now, progress }, given) {
    const { seed } = await demoPart(import("#main/demo/seed.ts"));
    const network = await chooseNetwork(db, given.network);
    const begun = performance.now();
    const today = dayIn(network.timeZone, now());
    const made = await seed(db, operator(network.id), { ...given, today }, progress);
    const seconds = Math.round(performance.now() - begun) / 1000;
    const counts = Object.entries(made).map(([what, n]) => `${n.toLocaleString("en-US")} ${what}`);
    return {
      text: `${network.name}: made ${counts.join(", ")}, in ${seconds} s.`,
      json: { network: { id: network.id, name: network.name }, ...made, seconds },
    };
  },
});
