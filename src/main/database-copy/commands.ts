import { z } from "zod";
import { type Command, standaloneCommand } from "#kit/cli/command.ts";
import { flag, UsageProblem } from "#kit/cli/command-arguments.ts";
import { copyFromUrl } from "#main/database-copy/copy-from-url.ts";
import { explainRights } from "#main/database-copy/copying.ts";
import { copyToUrl } from "#main/database-copy/copy-to-url.ts";

/** The names of variables with an address, since others would see a password on the command line. */
const variables = ["DATABASE_URL", "MIGRATE_DATABASE_URL"];

const address = z
  .string()
  .refine(
    (text) => variables.includes(text) || /^postgres(ql)?:\/\//.test(text),
    `must begin with postgres:// or postgresql://, or be ${variables.join(" or ")} for the address in that variable`,
  )
  .optional();

const copyDatabaseCommand = standaloneCommand({
  name: "copy-database",
  summary: "Copy the embedded database into your own PostgreSQL, or the other way around",
  details: `--to URL copies the whole embedded database in DATA_DIR into an empty database that the role
in URL owns. Stop the server first. --from URL copies the database at URL as it is now into an empty DATA_DIR,
while its servers keep running. Without --whole it is a rehearsal copy: without the card processors' keys,
sessions, links and waiting email. Both copies are checked by the rules of verify-ledger.
For URL, ${variables.join(" or ")} means the address in that variable. docs/operations.md has the whole procedure.`,
  options: {
    to: { value: "URL", help: "Copy the embedded database into this empty one", schema: address },
    from: { value: "URL", help: "Copy this database into an embedded one", schema: address },
    whole: flag(
      "With --from: also copy keys, sessions, links and waiting email, with the APP_SECRET of that installation",
    ),
    "dry-run": flag("Show what would be copied, and write nothing"),
  },
  async run(context, given) {
    const { to, from, whole } = given;
    if ((to === undefined) === (from === undefined))
      throw new UsageProblem("copy-database needs either --to URL or --from URL.");
    if (whole && from === undefined)
      throw new UsageProblem("--whole is only for --from: --to always copies everything.");
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
  throw new UsageProblem(`${given} must be set to an address that begins with postgres://.`);
}

export const databaseCopyCommands: Command[] = [copyDatabaseCommand];
