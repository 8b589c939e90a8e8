import { z } from "zod";
import { type Command, standaloneCommand } from "#kit/cli/command.ts";
import { flag, UsageProblem } from "#kit/cli/command-arguments.ts";
import { copyFromUrl } from "#main/database-copy/copy-from-url.ts";
import { explainRights } from "#main/database-copy/copying.ts";
import { copyToUrl } from "#main/database-copy/copy-to-url.ts";

/** Either stands for the address in the environment, where a password on the command line would be seen. */
const variables = ["DATABASE_URL", "MIGRATE_DATABASE_URL"];

const address = z
  .string()
  .refine(
    (text) => variables.includes(text) || /^postgres(ql)?:\/\//.test(text),
    `must begin with postgres:// or postgresql://, or be the word ${variables.join(" or ")} for the address in the environment`,
  )
  .optional();

const copyDatabaseCommand = standaloneCommand({
  name: "copy-database",
  summary: "Copy the embedded database into a PostgreSQL of your own, or the other way round",
  details: `--to URL takes the embedded database in DATA_DIR, with all that is in it, to an empty database that the role
in URL owns. Stop the server first. --from URL fills an empty DATA_DIR with what the database at URL holds at
this moment, while servers go on working there. It is a copy to rehearse with: without the card processors' keys,
sessions, links and waiting mail, unless --whole is given. Either is verified by the checks of verify-ledger.
The word ${variables.join(" or ")} for URL means the address in the environment. docs/operations.md has the whole procedure.`,
  options: {
    to: { value: "URL", help: "Copy the embedded database into this empty one", schema: address },
    from: { value: "URL", help: "Copy this database into an embedded one", schema: address },
    whole: flag(
      "With --from: take keys, sessions, links and waiting mail along, under the APP_SECRET of there",
    ),
    "dry-run": flag("Say what would be copied, and write nothing into the copy"),
  },
  async run(context, given) {
    const { to, from, whole } = given;
    if ((to === undefined) === (from === undefined))
      throw new UsageProblem("copy-database needs --to URL or --from URL, one of them.");
    if (whole && from === undefined)
      throw new UsageProblem("--whole goes with --from: with --to everything is taken along.");
    const url = addressMeant(to ?? from ?? "", context.environment);
    const wanted = { url, isDryRun: given["dry-run"] };
    return await explainRights(() =>
      to === undefined
        ? copyFromUrl(context, { ...wanted, isWhole: whole })
        : copyToUrl(context, wanted),
    );
  },
});

function addressMeant(given: string, environment: Record<string, string | undefined>): string {
  if (!variables.includes(given)) return given;
  const url = environment[given];
  if (url && address.safeParse(url).success) return url;
  throw new UsageProblem(`${given} is not set to an address that begins with postgres://.`);
}

export const databaseCopyCommands: Command[] = [copyDatabaseCommand];
