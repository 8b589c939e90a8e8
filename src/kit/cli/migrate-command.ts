import { command } from "#kit/cli/command.ts";

/** Every command migrates first. This one does nothing else. */
export const migrateCommand = command({
  name: "migrate",
  summary: "Migrate the database to this version",
  options: {},
  async run({ migrated }) {
    const text =
      migrated.length === 0
        ? "The database is up to date."
        : `Applied ${migrated.length === 1 ? "one migration" : `${migrated.length} migrations`}: ${migrated.join(", ")}.`;
    return { text, json: { applied: migrated } };
  },
});
