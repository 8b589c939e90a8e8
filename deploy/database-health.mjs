/**
 * Tells a load balancer what this machine's PostgreSQL is: GET /primary is 200 only where it takes writes,
 * GET /standby only where it streams from its primary and is at most MAX_LAG_SECONDS behind; else 503.
 * It asks by psql (or what PSQL names), whose own variables say where: PGHOST, PGUSER, PGPASSFILE.
 */
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";

const { HOST = "127.0.0.1", HEALTH_PORT = "8008", MAX_LAG_SECONDS = "10" } = process.env;
const { PSQL = "psql", ...psqlEnvironment } = process.env;
const maxLagSeconds = Number(MAX_LAG_SECONDS);
if (!(maxLagSeconds > 0)) {
  console.error("MAX_LAG_SECONDS must be a number of seconds.");
  process.exit(1);
}

// A standby that has replayed all it received is not behind, however old the last transaction is.
const question = `select json_build_object(
  'in_recovery', pg_is_in_recovery(),
  'read_only', current_setting('transaction_read_only') = 'on',
  'streams', exists (select from pg_stat_wal_receiver where status = 'streaming'),
  'lag_seconds', case
    when not pg_is_in_recovery() or pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
    else extract(epoch from now() - pg_last_xact_replay_timestamp()) end)`;
const words = ["--no-psqlrc", "--no-password", "--quiet", "--tuples-only", "--no-align"];
const reuseMs = 500;
const timeoutMs = 4_000;

/** At most one psql at a time, however many ask. */
let last = { at: -Infinity, answer: Promise.resolve(null) };
function ask() {
  if (performance.now() - last.at > reuseMs) {
    const env = { PGDATABASE: "postgres", PGCONNECT_TIMEOUT: "3", ...psqlEnvironment };
    const answer = promisify(execFile)(PSQL, [...words, "--command", question], {
      env,
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    }).then(
      ({ stdout }) => JSON.parse(stdout),
      () => null,
    );
    last = { at: Infinity, answer };
    void answer.then(() => (last.at = performance.now()));
  }
  return last.answer;
}

const isPrimary = (server) => !server.in_recovery && !server.read_only;
const isStandby = (server) =>
  server.in_recovery &&
  server.streams &&
  server.lag_seconds !== null &&
  server.lag_seconds <= maxLagSeconds;
const checks = { "/primary": isPrimary, "/standby": isStandby };

const server = createServer((request, response) => {
  const isFine = checks[request.url.split("?")[0]];
  if (!isFine) response.writeHead(404).end();
  else if (!["GET", "HEAD"].includes(request.method)) response.writeHead(405).end();
  else void answer(isFine, response);
});

async function answer(isFine, response) {
  const state = await ask();
  response.writeHead(state && isFine(state) ? 200 : 503, {
    "content-type": "application/json",
    "cache-control": "no-store",
  });
  response.end(`${JSON.stringify(state ?? { answers: false })}\n`);
}

server.listen(Number(HEALTH_PORT), HOST, () => {
  console.log(`The database's health is told at http://${HOST}:${server.address().port}`);
});
