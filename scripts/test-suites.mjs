import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Which test files make up a suite, in the table's order. A file belongs to the first that matches. */
const suites = [
  ["rules of money and days", /^src\/kit\/domain\//],
  ["random histories", /histories\.test|crashes\.test/],
  ["random requests", /^tests\/interface\/fuzz\//],
  ["security", /^tests\/security\//],
  ["resilience", /^tests\/resilience\//],
  ["start, stop, deployment", /^tests\/deploy\//],
  ["screens in a browser", /^tests\/e2e\/|^sandboxes\/page/],
  ["card sandboxes", /^sandboxes\//],
  ["interface", /^tests\/interface\//],
  ["house", /^tests\/house\//],
  ["the shared foundation (kit)", /^src\/kit\//],
  ["the features", /^src\//],
  ["other", /^/],
];

/** Tests that take long, or need programs that a bare machine lacks: `missing` names the missing one. */
export const rehearsals = [
  { suite: "rehearsal: backups", file: "backup", missing: missingPostgres },
  { suite: "rehearsal: point-in-time restore", file: "point-in-time", missing: missingBackRest },
  { suite: "rehearsal: copying the database", file: "copy-database", missing: missingPostgres },
  { suite: "rehearsal: a database in trouble", file: "database-trouble", missing: missingPostgres },
  { suite: "rehearsal: failover", file: "failover", missing: missingPatroni },
  { suite: "rehearsal: restarts behind a proxy", file: "restarts", missing: missingProxy },
  { suite: "rehearsal: a year on the clock", file: "year", missing: () => null },
];

/** The rows of the table, from the results of each test file. */
export function suitesOf(files) {
  return suites.flatMap(([suite, pattern]) => {
    const own = files.filter(
      ({ path }) => suites.find(([, fits]) => fits.test(path))[1] === pattern,
    );
    const sum = (name) => own.reduce((total, file) => total + file[name], 0);
    if (own.length === 0) return [];
    const [passed, failed] = [sum("passed"), sum("failed")];
    return [{ suite, passed, failed, rounds: sum("rounds"), seconds: sum("seconds") }];
  });
}

export function printTable(rows) {
  const lines = rows.map(({ suite, passed, failed, rounds, seconds, leftOut }) => [
    suite,
    String(passed + failed),
    rounds > 0 ? String(rounds) : "",
    seconds.toFixed(0),
    leftOut ? `left out: ${leftOut}` : failed > 0 ? `${failed} FAILED` : "passed",
  ]);
  const table = [["suite", "tests", "rounds", "seconds", "result"], ...lines];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  console.log("");
  for (const row of table)
    console.log(
      row
        .map((cell, column) => pad(cell, widths[column], column))
        .join("  ")
        .trimEnd(),
    );
  console.log("");
}

const pad = (cell, width, column) =>
  [1, 2, 3].includes(column) ? cell.padStart(width) : cell.padEnd(width);

function missingPostgres() {
  return existsSync("/usr/lib/postgresql") ? null : "PostgreSQL";
}

function missingBackRest() {
  return missingPostgres() ?? (isInstalled("pgbackrest") ? null : "pgBackRest");
}

function missingPatroni() {
  const without = ["patroni", "etcd", "ip"].find((program) => !isInstalled(program));
  const root = process.getuid() === 0 ? null : "root, for networks of its own";
  return missingPostgres() ?? without ?? root;
}

function missingProxy() {
  return isInstalled("nginx") || isInstalled("caddy") ? null : "nginx or Caddy";
}

function isInstalled(program) {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"];
  return folders.some((folder) => existsSync(join(folder, program)));
}
