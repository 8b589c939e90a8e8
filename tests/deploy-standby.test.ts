import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { accountFor } from "#embedded-postgres/account.ts";
import { databaseHealth } from "#tests/support/database-health.ts";
import { freePort, projectFolder } from "#tests/support/launched.ts";
import { aBareDatabase, aTestDatabase } from "#tests/support/test-database.ts";

/*
 * Of what is shipped for a primary and its standby, and for going back to a moment, what a machine without
 * PostgreSQL's programs can try; the rest is in failover.rehearsal.ts and point-in-time.rehearsal.ts.
 */

const folder = mkdtempSync(join(tmpdir(), "database-health-"));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (path: string) => readFileSync(join(projectFolder, path), "utf8");

/** In place of psql, which a machine need not have: what it is asked last, `body` has as `question`. */
function aPsql(name: string, body: string): string {
  const path = join(folder, name);
  const text = `#!${process.execPath}\nconst question = process.argv.at(-1);\n${body}\n`;
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

const toDatabase = `const { default: pg } = await import(${JSON.stringify(import.meta.resolve("pg"))});
  const client = new pg.Client({ connectionString: process.env.TEST_DATABASE });
  await client.connect();
  const { rows } = await client.query({ text: question, rowMode: "array" });
  console.log(JSON.stringify(rows[0][0]));
  await client.end();`;

async function answers(env: Record<string, string>): Promise<number[]> {
  const health = await databaseHealth(env);
  onTestFinished(() => health.stop());
  return [await health.status("/primary"), await health.status("/standby")];
}

describe("the health check of a database", () => {
  test("sends writes to a server that takes them, and to no other", async () => {
    const PSQL = aPsql("psql.mjs", toDatabase);
    const database = await aTestDatabase();
    onTestFinished(() => database.drop());
    const { connectionString } = database;
    expect(await answers({ PSQL, TEST_DATABASE: connectionString })).toEqual([200, 503]);
    const readOnly = new URL(connectionString);
    readOnly.searchParams.set("options", "-c default_transaction_read_only=on");
    expect(await answers({ PSQL, TEST_DATABASE: readOnly.href })).toEqual([503, 503]);
  });

  test.each([
    { what: "streams and is not behind", streams: true, lag_seconds: 0, status: 200 },
    { what: "is as far behind as may be", streams: true, lag_seconds: 4, status: 200 },
    { what: "is further behind", streams: true, lag_seconds: 4.1, status: 503 },
    { what: "has never replayed anything", streams: true, lag_seconds: null, status: 503 },
    { what: "does not stream", streams: false, lag_seconds: 0, status: 503 },
  ])("of a standby that $what: $status", async ({ streams, lag_seconds, status }) => {
    const state = JSON.stringify({ in_recovery: true, read_only: true, streams, lag_seconds });
    const PSQL = aPsql("standby.mjs", `console.log(${JSON.stringify(state)});`);
    expect(await answers({ PSQL, MAX_LAG_SECONDS: "4" })).toEqual([503, status]);
  });

  test("says no where PostgreSQL or psql is not there, and knows no other address", async () => {
    const health = await databaseHealth({ PSQL: join(folder, "nothing") });
    onTestFinished(() => health.stop());
    expect(await health.status("/primary")).toBe(503);
    expect(await health.status("/standby")).toBe(503);
    expect(await health.status("/")).toBe(404);
  });
});

describe("the scripts", () => {
  const scripts = readdirSync(join(projectFolder, "deploy")).filter((name) => name.endsWith(".sh"));
  const forStandbys = ["one-primary.sh", "promote.sh", "standby.sh", "synchronous.sh"];

  test.each(scripts)("%s can be read by its shell, and stops at what fails", (name) => {
    const text = read(`deploy/${name}`);
    const [shell = ""] = /(?<=^#!\/bin\/)(sh|bash)$/m.exec(text) ?? [];
    const path = join(projectFolder, "deploy", name);
    expect(spawnSync(shell, ["-n", path], { encoding: "utf8" })).toMatchObject({ status: 0 });
    expect(text).toMatch(shell === "bash" ? /^set -euo pipefail$/m : /^set -eu$/m);
    expect(statSync(path).mode & 0o111).toBe(0o111);
  });

  test.each(forStandbys)("%s is given no password on a command line", (name) => {
    expect(read(`deploy/${name}`)).not.toMatch(/PGPASSWORD|--password=|user=\S+:\S+@/);
    expect(read("docs/operations.md")).toContain(`deploy/${name}`);
  });

  test("standby.sh refuses an address with a password, and a name that is none", () => {
    const run = (primary: string, name: string) =>
      spawnSync(join(projectFolder, "deploy/standby.sh"), ["--primary", primary, "--name", name], {
        env: { PATH: process.env["PATH"], PGDATA: join(folder, "data") },
        encoding: "utf8",
      });
    for (const address of ["host=db password=x", "postgresql://me:x@db/"])
      expect(run(address, "db_2")).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/without a password/),
      });
    expect(run("host=db", "DB-2")).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/small letters/),
    });
  });
});

/** In bash, by name: what stands in for PostgreSQL's programs. psql is asked its last argument, `question`. */
type Programs = Record<string, string>;

/** A machine on which scripts find these programs first, and note how they were called. */
function aMachine(programs: Programs) {
  const home = mkdtempSync(join(tmpdir(), "standby-machine-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  chmodSync(home, 0o755);
  cpSync(join(projectFolder, "deploy"), join(home, "deploy"), { recursive: true });
  const path = (name: string) => join(home, name);
  const [bin, calls, data] = [path("bin"), path("calls"), path("data")];
  mkdirSync(bin);
  const account = accountFor(home);
  writeFileSync(calls, "");
  if (account) for (const path of [home, calls]) chownSync(path, account.uid, account.gid);
  for (const [name, body] of Object.entries(programs)) {
    const note = `echo "\${0##*/} $*" >> '${calls}'; question="\${*: -1}"`;
    writeFileSync(join(bin, name), `#!/bin/bash\n${note}\n${body}\n`, { mode: 0o755 });
  }
  return {
    data,
    path,
    calls: () => readFileSync(calls, "utf8"),
    run: (script: string, args: string[] = [], env: Record<string, string> = {}) => {
      const { status, stdout, stderr } = spawnSync(join(home, "deploy", script), args, {
        cwd: home,
        env: { PATH: `${bin}:${process.env["PATH"] ?? ""}`, PGDATA: data, ...env },
        ...(account && { uid: account.uid, gid: account.gid }),
        encoding: "utf8",
      });
      return { status, stdout, stderr };
    },
  };
}

describe("standby.sh", () => {
  const primary = ["--primary", "host=db-1 user=replication", "--name", "db_2"];

  /** pg_controldata of a folder whose last checkpoint has the log replayed from the file `redo` on. */
  const controlFile = (redo: string, minimum = "0/0") => `echo "\
Database system identifier:           42
Latest checkpoint's REDO WAL file:    ${redo}
Minimum recovery ending location:     ${minimum}
Bytes per WAL segment:                16777216"`;

  /** Of a primary that answers, where `streaming` standbys of this name are there. */
  const programs = (streaming: number): Programs => ({
    psql: `case $question in
      *pg_is_in_recovery*) echo t ;;
      IDENTIFY_SYSTEM) echo "42|1|0/0|" ;;
      *pg_stat_replication*active*) echo ${streaming} ;;
      *) echo ;;
      esac`,
    pg_basebackup: `mkdir -p "$PGDATA/global" "$PGDATA/pg_replslot"
      touch "$PGDATA/global/pg_control" "$PGDATA/postgresql.auto.conf"`,
    pg_controldata: controlFile("000000010000000000000001"),
    pg_ctl: "exit 3", // no server runs
    pg_rewind: "",
  });

  test("copies under no name that commits wait for, and follows under its own", () => {
    const machine = aMachine(programs(0));
    expect(machine.run("standby.sh", primary)).toMatchObject({ status: 0, stderr: "" });
    const [, copying = ""] = /^pg_basebackup (.*)$/m.exec(machine.calls()) ?? [];
    expect(copying).toContain("--dbname=host=db-1 user=replication --slot=db_2");
    expect(copying).not.toContain("application_name");
    expect(readFileSync(join(machine.data, "postgresql.auto.conf"), "utf8")).toContain(
      "primary_conninfo = 'host=db-1 user=replication application_name=db_2'",
    );
  });

  test("refuses a name that somebody streams or copies by, and a user whom PostgreSQL tells nothing", () => {
    expect(aMachine(programs(1)).run("standby.sh", primary)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^A standby named "db_2" streams .*, or is being copied/),
    });
    const byRoot = aMachine({ ...programs(0), id: "echo 0" });
    expect(byRoot.run("standby.sh", primary)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/not as root\.$/m),
    });
    expect(byRoot.calls()).toBe("id -u\n");
  });

  test("takes back only what nobody was told of, unless forced", () => {
    const machine = aMachine(programs(0));
    expect(machine.run("standby.sh", primary)).toMatchObject({ status: 0 });
    const rejoined = (names: string, ...more: string[]) => {
      rmSync(join(machine.data, "standby.signal"), { force: true });
      const settings = `synchronous_standby_names = '${names}'\n`;
      writeFileSync(join(machine.data, "postgresql.auto.conf"), settings);
      return machine.run("standby.sh", [...primary, "--rejoin", ...more]);
    };
    expect(rejoined("")).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Commits waited for nobody .* would be taken back for good\./),
    });
    expect(machine.calls()).not.toContain("pg_rewind");
    writeFileSync(`${machine.data}.being-made`, "rejoin\n"); // with the new primary's settings
    chmodSync(`${machine.data}.being-made`, 0o666);
    expect(rejoined("")).toMatchObject({ status: 0 });
    expect(rejoined("ANY 1 (db_1)")).toMatchObject({ status: 0 });
    expect(rejoined("", "--force")).toMatchObject({ status: 0 });
  });

  describe("rejoins only while the primary has the log that it needs", () => {
    const needsB = {
      "back to where the two parted": {
        pg_rewind: `[ ! -e "$PGDATA/backup_label" ] || exit 1 # it cannot be repeated
          echo "START WAL LOCATION: 1/B000310 (file 00000003000000010000000B)" > "$PGDATA/backup_label"`,
      },
      "from where it was stopped": { pg_controldata: controlFile("00000003000000010000000B") },
      "from where it had come to as a standby": {
        pg_controldata: controlFile("000000030000000100000009", "1/B0001F8"),
      },
    };
    const hasFrom = (oldest: string, of: Programs) => {
      const found = { ...programs(0), ...of };
      const psql = `case $question in *pg_ls_waldir*) echo ${oldest}; exit ;; esac\n${found["psql"]}`;
      const machine = aMachine({ ...found, psql });
      expect(machine.run("standby.sh", primary)).toMatchObject({ status: 0 });
      return machine;
    };
    const refusal = {
      status: 1,
      stderr: expect.stringMatching(/^The primary has removed log .* in vain: --anew copies it/m),
    };

    test.each(Object.entries(needsB))("%s", (_, of) => {
      const machine = hasFrom("000000010000000B", of);
      expect(machine.run("standby.sh", [...primary, "--rejoin"])).toMatchObject({ status: 0 });
      expect(existsSync(`${machine.data}.being-made`)).toBe(false);
    });

    test.each(Object.entries(needsB))("%s: refused, and copied anew", (_, of) => {
      const machine = hasFrom("000000010000000C", of);
      for (const way of [["--rejoin"], [], ["--rejoin"]]) {
        expect(machine.run("standby.sh", [...primary, ...way])).toMatchObject(refusal);
        expect(existsSync(`${machine.data}.being-made`)).toBe(true); // it is not started
      }
      expect(machine.run("standby.sh", [...primary, "--anew"])).toMatchObject({ status: 0 });
      expect(existsSync(`${machine.data}.being-made`)).toBe(false);
    });
  });

  test("takes a standby back whole after pg_rewind was interrupted", () => {
    const interrupted = "[ -e repeated ] || { touch repeated; exit 1; }";
    const machine = aMachine({ ...programs(0), pg_rewind: interrupted });
    expect(machine.run("standby.sh", primary)).toMatchObject({ status: 0 });
    expect(machine.run("standby.sh", [...primary, "--rejoin"])).toMatchObject({ status: 1 });
    expect(machine.run("standby.sh", primary)).toMatchObject({ status: 0 });
    expect(machine.calls().match(/^pg_rewind /gm)).toHaveLength(2);
  });

  describe("of a primary that died in a container", () => {
    const primaryThatDied = (answers: number) => {
      const machine = aMachine({
        ...programs(0),
        pg_rewind: `[ ! -e "$PGDATA/postmaster.pid" ]`, // it names a process that lives in any container
        pg_isready: `exit ${answers}`,
      });
      expect(machine.run("standby.sh", primary)).toMatchObject({ status: 0 });
      rmSync(join(machine.data, "standby.signal"));
      writeFileSync(join(machine.data, "postmaster.pid"), "1\n");
      return machine;
    };
    const rejoin = [...primary, "--rejoin", "--force"];

    test("the folder is brought back although it names a process", () => {
      const machine = primaryThatDied(2);
      const environments: Record<string, string>[] = [{}, { SELF: "host=db-2" }];
      for (const environment of environments) {
        writeFileSync(join(machine.data, "postmaster.pid"), "1\n");
        rmSync(join(machine.data, "standby.signal"), { force: true });
        expect(machine.run("standby.sh", rejoin, environment)).toMatchObject({
          status: 0,
          stderr: "",
        });
      }
    });

    test.each([0, 1])("nothing is touched while it answers by network: %i", (answers) => {
      const machine = primaryThatDied(answers);
      expect(machine.run("standby.sh", rejoin, { SELF: "host=db-2" })).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^PostgreSQL runs in \S+: stop it first\.$/m),
      });
      expect(machine.calls()).not.toMatch(/^pg_rewind/m);
      expect(existsSync(join(machine.data, "postmaster.pid"))).toBe(true);
    });
  });

  test("takes a folder that was started since for no piece of a copy", () => {
    const machine = aMachine(programs(0));
    expect(machine.run("standby.sh", primary)).toMatchObject({ status: 0 });
    rmSync(join(machine.data, "standby.signal")); // promoted
    writeFileSync(join(machine.data, "postmaster.opts"), "");
    writeFileSync(`${machine.data}.being-made`, "copy\n");
    expect(machine.run("standby.sh", primary)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^The folder \S+ was a primary's\./),
    });
    expect(machine.run("standby.sh", [...primary, "--rejoin"])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Commits waited for nobody /),
    });
  });
});

describe("promote.sh", () => {
  /** Of a standby whose primary is silent; `other` is what another standby answers. */
  const programs = (other: string): Programs => ({
    psql: `case $* in
      *--dbname=host=db-3*) echo "${other}" ;;
      *"select pg_promote"*) echo t ;;
      *transaction_read_only*) echo t ;;
      *"select pg_is_in_recovery()") echo t ;;
      *primary_conninfo*) echo "host=db-1 user=replication sslmode=verify-full sslrootcert=system application_name=db_2" ;;
      *pg_wal_lsn_diff*) echo 0 ;;
      *) echo ;;
      esac`,
    pg_isready: "exit 2",
  });

  test("looks for the old primary whatever has become of its certificate", () => {
    const machine = aMachine(programs(""));
    expect(machine.run("promote.sh")).toMatchObject({ status: 0, stderr: "" });
    expect(machine.calls()).toMatch(
      /^pg_isready .*--dbname=host=db-1 user=replication application_name=db_2 dbname=postgres sslmode=prefer$/m,
    );
    expect(machine.calls()).toContain("select pg_promote");
  });

  test.each([
    { what: "streams", streaming: 1, status: 0, said: /^$/ },
    { what: "does not stream", streaming: 0, status: 1, said: /would lack what was written since/ },
  ])("a planned change to a standby that $what", ({ streaming, status, said }) => {
    const found = programs("");
    const machine = aMachine({
      psql: `case $question in *pg_stat_wal_receiver*) echo ${streaming}; exit ;; esac\n${found["psql"]}`,
      pg_isready: "[ ! -e fenced ] || exit 2",
    });
    for (const more of [["--dry-run"], []])
      expect(machine.run("promote.sh", ["--fence", "touch fenced", ...more])).toMatchObject({
        status,
        stderr: expect.stringMatching(said),
      });
    expect(existsSync(machine.path("fenced"))).toBe(status === 0);
  });

  test("says in a dry run, too, that another one is a primary by now", () => {
    const machine = aMachine(programs(""));
    expect(machine.run("promote.sh", ["--dry-run", "--other", "host=db-3"])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/is a primary already/),
    });
  });

  test.each([
    { what: "a standby that has no more", other: "0/5000000", status: 0, said: /^$/ },
    {
      what: "a primary by now",
      other: "",
      status: 1,
      said: /^The other one .* is a primary already/,
    },
  ])("promotes beside another one: $what", ({ other, status, said }) => {
    const machine = aMachine(programs(other));
    const done = machine.run("promote.sh", ["--force", "--other", "host=db-3"]);
    expect(done).toMatchObject({ status, stderr: expect.stringMatching(said) });
    expect(machine.calls().includes("select pg_promote")).toBe(status === 0);
  });
});

test("synchronous.sh says that commits wait once every process of the server has heard of it", () => {
  const machine = aMachine({
    psql: `case $question in
      *pg_is_in_recovery*) echo f ;;
      "alter system set"*) touch set ;;
      *current_setting*) [ ! -e set ] || echo "ANY 1 (db_2)" ;;
      *state*streaming*) echo 1 ;;
      esac`,
  });
  const { status, stdout } = machine.run("synchronous.sh", ["on", "db_2"]);
  expect([status, stdout]).toEqual([0, "commits    wait for ANY 1 (db_2)\n"]);
  expect(machine.calls()).toMatch(/pg_reload_conf[^]*--command checkpoint\n[^]*SyncRep/);
});

describe("one-primary.sh", () => {
  test.each([
    { what: "starts where nobody is there", isThere: "exit 2", psql: "exit 2", said: /^$/ },
    { what: "starts beside a standby", isThere: "", psql: "echo t", said: /^$/ },
    {
      what: "not beside a primary",
      isThere: "",
      psql: "echo f",
      said: /other machine has the primary/,
    },
    {
      what: "not beside a server that does not let it ask",
      isThere: "",
      psql: "exit 2",
      said: /does not say whether it is the primary/,
    },
    {
      what: "not beside a primary that was recovering at first",
      isThere: "[ -e recovered ] || { touch recovered; exit 1; }",
      psql: "[ -e recovered ] && echo f",
      said: /other machine has the primary/,
    },
    {
      what: "starts where the other one cannot recover",
      isThere: "exit 1",
      psql: "exit 2",
      said: /^$/,
    },
  ])("$what", ({ isThere, psql, said }) => {
    const machine = aMachine({ pg_isready: isThere, psql, sleep: "" });
    expect(machine.run("one-primary.sh", [], { PEER: "host=db-1" })).toEqual({
      status: said.test("") ? 0 : 1,
      stdout: "",
      stderr: expect.stringMatching(said),
    });
  });
});

describe("restore-to.sh", () => {
  const programs: Programs = {
    pg_ctl: `case $1 in
      --version) echo "pg_ctl (PostgreSQL) 99.1" ;;
      start)
        for word; do case $word in --pgdata=*) data=\${word#*=} ;; --log=*) log=\${word#*=} ;; esac; done
        printf '1\\n%s\\n\\n5433\\n/run\\n\\n\\nready\\n' "$data" > "$data/postmaster.pid"
        echo "LOG:  recovery stopping before commit of transaction 7" > "$log"
        echo "LOG:  last completed transaction was at log time $(cat reached)+00" >> "$log"
        ;;
      esac`,
    df: "echo 999999", // megabytes are free
    pg_verifybackup: "",
    pg_waldump: "echo 'desc: COMMIT 2026-11-21 15:00:00.500000 UTC'",
    pg_controldata: "echo 'Database cluster state:               in production'",
    psql: `case $question in
      *"from pg_database"*) echo referral_network ;;
      *to_regclass*) echo t ;;
      *) echo ;;
      esac`,
  };

  async function restored({
    replaced = {},
    moment = "2026-11-21 14:05:00Z",
    reached = "2026-11-21 14:04:59.1",
    prepare = () => {},
  }: {
    replaced?: Programs;
    moment?: string;
    reached?: string;
    prepare?: (backup: string) => void;
  } = {}) {
    const machine = aMachine({ ...programs, ...replaced });
    writeFileSync(machine.path("reached"), reached);
    mkdirSync(machine.path("wal"));
    writeFileSync(join(machine.path("wal"), "000000010000000000000002"), "");
    const backup = join(machine.path("base"), "2026-11-21T023000Z");
    mkdirSync(backup, { recursive: true });
    writeFileSync(join(backup, "PG_VERSION"), "99\n");
    writeFileSync(join(backup, "backup_label"), "");
    prepare(backup);
    const from = ["--base", machine.path("base"), "--wal", machine.path("wal")];
    const to = ["--to", moment, "--data", machine.path("restored")];
    const on = ["--port", String(await freePort())];
    const said = machine.run("restore-to.sh", [...from, ...to, ...on]);
    return { ...said, calls: machine.calls(), data: machine.path("restored") };
  }

  test("gives the server the time to begin, and skips numbers in each database of ours", async () => {
    const { status, stderr, stdout, calls } = await restored();
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^numbers +new records begin 1000000 above/m);
    // pg_ctl's own patience ends after a minute, in which a large copy is not yet on disk.
    expect(Number(/^pg_ctl start .*--timeout=(\d+)/m.exec(calls)?.[1])).toBeGreaterThan(86_400);
    expect(calls).toMatch(/^psql .*--dbname=referral_network --set=skip=1000000$/m);
  });

  test.each([
    { what: "all of the archive", reached: "2026-11-21 15:00:00.5", status: 0, said: /^$/ },
    {
      what: "less",
      reached: "2026-11-21 15:00:00",
      status: 1,
      said: /a file in between is missing/,
    },
  ])("goes to the end of the archive: $what", async ({ reached, status, said }) => {
    const done = await restored({ moment: "latest", reached });
    expect([done.status, done.stderr]).toEqual([status, expect.stringMatching(said)]);
  });

  test("starts no other folder than the new one, whatever the old server's settings name", async () => {
    const settings = "data_directory = '/old' # where\nport = 5432\n";
    const { status, data } = await restored({
      prepare: (backup) => writeFileSync(join(backup, "postgresql.conf"), settings),
    });
    expect(status).toBe(0);
    expect(readFileSync(join(data, "postgresql.conf"), "utf8")).toBe(`#${settings}`);
  });

  test("writes into no tablespace that another server may have", async () => {
    const { status, stderr, data } = await restored({
      prepare: (backup) => {
        mkdirSync(join(backup, "pg_tblspc"));
        symlinkSync("/srv/fast", join(backup, "pg_tblspc/16385"));
      },
    });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/ has tablespaces outside of /)]);
    expect(existsSync(data)).toBe(false);
  });

  test("names the numbers of which too few are left to skip as many", async () => {
    const psql = `case $* in *--set=skip=*) echo "sessions_id_seq, users_id_seq"; exit ;; esac\n${programs["psql"]}`;
    const { status, stderr, stdout } = await restored({ replaced: { psql } });
    expect([status, stdout.includes("new records begin")]).toEqual([0, false]);
    expect(stderr).toMatch(
      /^Numbers of sessions_id_seq, users_id_seq in referral_network begin where they did then: .* setval\(.* --skip-ids/m,
    );
  });

  test("skips numbers of what had none by then and of a cell's own ids, too", async () => {
    const database = await aBareDatabase();
    onTestFinished(() => database.drop());
    const client = new Client({ connectionString: database.connectionString });
    await client.connect();
    onTestFinished(() => client.end());
    for (const name of ["used", "unused"])
      await client.query(`create table ${name} (id bigint generated always as identity)`);
    const ranged =
      "id bigint generated always as identity (minvalue 2001 maxvalue 3000 start 2001)";
    await client.query(`create table of_cell (${ranged})`);
    for (const [name, last] of [
      ["nearly_full", 2501],
      ["just_enough", 2502],
    ] as const)
      await client.query(`create table ${name} (${ranged.replace("3000", String(last))})`);
    for (const name of ["used", "of_cell", "nearly_full", "just_enough"])
      await client.query(`insert into ${name} default values`);
    const [skipping = ""] =
      /(?<=--set=skip=.* << 'SQL'.*\n)[^]*?(?=^SQL$)/m.exec(read("deploy/restore-to.sh")) ?? [];
    const answer = await client.query({
      text: skipping.replaceAll(":skip", "500"),
      rowMode: "array",
    });
    expect(answer.rows).toEqual([["nearly_full_id_seq"]]);
    const next = async (name: string) =>
      (await client.query(`insert into ${name} default values returning id`)).rows;
    expect(await next("used")).toEqual([{ id: "502" }]);
    expect(await next("unused")).toEqual([{ id: "501" }]);
    expect(await next("of_cell")).toEqual([{ id: "2502" }]);
    expect(await next("nearly_full")).toEqual([{ id: "2002" }]);
    expect(await next("just_enough")).toEqual([{ id: "2502" }]);
  });

  test.each(["from pg_database", "to_regclass"])(
    "has not restored where it cannot ask (%s): numbers would be given out twice",
    async (words) => {
      const psql = `case $question in *"${words}"*) exit 2 ;; esac\n${programs["psql"]}`;
      const { status, stderr, calls } = await restored({ replaced: { psql } });
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/lets nobody ask it .*, so that no numbers were skipped: /),
      ]);
      expect(calls).toMatch(/^pg_ctl stop /m);
    },
  );
});

test.each([
  "postgresql://owner:s%40fe%5Cn100%25@db-1,db-2:5433/dues?sslmode=require",
  "postgresql://owner@db-1,db-2:5433/dues?password=s%40fe%5Cn100%25&sslmode=require",
  "postgresql://owner@db-1,db-2:5433/dues?sslmode=require&password=s%40fe%5Cn100%25",
])("backup.sh and restore.sh show the database's password to no other user: %s", (DATABASE_URL) => {
  const note = 'echo "$PGPASSWORD" >> calls';
  const machine = aMachine({
    pg_dump: `${note}; for word; do case $word in --file=*) touch "\${word#*=}" ;; esac; done`,
    pg_restore: note,
    psql: `${note}; case $question in *pg_tables*) echo 0 ;; *"to_regclass"*) echo t ;; esac`,
  });
  expect(machine.run("backup.sh", [machine.path("backups")], { DATABASE_URL }).status).toBe(0);
  const restoring = machine.run("restore.sh", ["a.dump"], { DATABASE_URL });
  expect(restoring.stderr).toMatch(/^It is not a database of Referral Network/);
  const lines = machine.calls().split("\n");
  const calls = lines.filter((line) => line.includes("postgresql://"));
  expect(calls.length).toBeGreaterThan(4);
  for (const call of calls)
    expect(call).toMatch(/postgresql:\/\/owner@db-1,db-2:5433\/dues\?sslmode=require(?![^ ])/);
  const passwords = lines.filter((line) => line !== "" && !/^(pg_|psql )/.test(line));
  expect(new Set(passwords)).toEqual(new Set(["s@fe\\n100%"]));
});

describe("base-backup.sh", () => {
  const programs = (tablespaces: number): Programs => ({
    psql: `case $question in
      *server_version_num*) echo 99 ;;
      *archive_mode*) echo on ;;
      *pg_tablespace*) echo ${tablespaces} ;;
      *) echo 1 GB ;;
      esac`,
    pg_basebackup: "",
    pg_verifybackup: "",
    pg_archivecleanup: "",
  });

  function said(tablespaces: number, wal: string) {
    const machine = aMachine(programs(tablespaces));
    for (const name of ["base", "wal", "pg_wal/archive_status"])
      mkdirSync(machine.path(name), { recursive: true });
    chmodSync(machine.path("base"), 0o777);
    const words = [machine.path("base"), "--wal", machine.path(wal), "--dry-run"];
    return machine.run("base-backup.sh", words);
  }

  test("says what it would do", () => {
    expect(said(0, "wal")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Would take a base backup of PostgreSQL 99, 1 GB, into /),
    });
  });

  test("refuses to remove WAL of a server itself, and tablespaces, which would be shared", () => {
    expect(said(0, "pg_wal").stderr).toMatch(/^\S+ is no archive, but the WAL of a server itself/);
    expect(said(1, "wal").stderr).toMatch(/^The server has tablespaces outside of its data folder/);
  });
});

describe("compose.standby.yaml", () => {
  const Services = z.object({
    services: z.record(
      z.string(),
      z.object({
        image: z.string().optional(),
        mem_limit: z.string().optional(),
        environment: z.record(z.string(), z.string()).default({}),
        command: z.array(z.string()).default([]),
      }),
    ),
  });
  const text = read("compose.standby.yaml");
  const { services } = Services.parse(parse(text, { merge: true }));
  const base = Services.parse(parse(read("compose.yaml"), { merge: true })).services;

  test("has the same PostgreSQL in both, and every process name both", () => {
    expect(services["standby"]).toMatchObject({
      image: base["database"]?.image,
      mem_limit: base["database"]?.mem_limit,
    });
    for (const name of ["migrate", "web-1", "web-2", "worker"])
      for (const [variable, address] of Object.entries(services[name]?.environment ?? {}))
        expect(address).toBe(
          `${base[name]?.environment[variable]?.replace("@database:5432/", "@database:5432,standby:5432/")}?target_session_attrs=read-write`,
        );
  });

  test("makes its roles in whichever of the two takes writes", () => {
    for (const name of ["roles", "replication"])
      expect(services[name]?.command[1]).toMatch(
        /^host=database,standby .*target_session_attrs=read-write$/,
      );
    const words = (command: string[] = []) => command.filter((word) => !word.includes("="));
    expect(words(services["roles"]?.command)).toEqual(words(base["roles"]?.command));
  });

  test("brings the old primary back past the check that keeps it from starting", () => {
    expect(text).toMatch(/entrypoint: .*\/deploy\/one-primary\.sh && exec docker-entrypoint/);
    expect(text).toMatch(/^# .* run --rm .* --entrypoint \/deploy\/standby\.sh database$/m);
  });

  test("has no password but the operator's own, and names files that there are", () => {
    const asked = [...text.matchAll(/\$\{(\w*PASSWORD)([^}]*)\}/g)];
    expect(asked.length).toBeGreaterThan(4);
    expect(asked.filter(([, , rule = ""]) => !rule.startsWith(":?"))).toEqual([]);
    const named = `${text}${read("deploy/compose-postgres.conf")}`.matchAll(
      /\/(deploy\/[\w.-]+\w)/g,
    );
    const paths = [...named].map(([, path = ""]) => path);
    expect(paths.filter((path) => !existsSync(join(projectFolder, path)))).toEqual([]);
  });
});

describe("the units", () => {
  test("of the health check names what there is, and holds no secret", () => {
    const unit = read("deploy/referral-network-database-health.service");
    const [, script = ""] = /^ExecStart=\S+ \/opt\/referral-network\/(\S+)$/m.exec(unit) ?? [];
    expect(statSync(join(projectFolder, script)).isFile()).toBe(true);
    for (const name of ["HOST", "HEALTH_PORT", "MAX_LAG_SECONDS"]) {
      expect(read(script)).toContain(name);
      expect(unit).toMatch(new RegExp(`^Environment=${name}=`, "m"));
    }
    expect(unit).not.toMatch(/^Environment=.*(SECRET|PASSWORD|TOKEN)/m);
    // psql passes over a file of passwords that a group may read, as systemd's own is.
    const [, copy] = /^ExecStartPre=\S+install --mode=0600 %d\/pgpass (\S+)$/m.exec(unit) ?? [];
    expect(/^Environment=PGPASSFILE=(.*)$/m.exec(unit)?.[1]).toBe(copy);
    expect(copy).toContain(`/${/^RuntimeDirectory=(.*)$/m.exec(unit)?.[1]}/`);
    const hardened = (text: string) => text.slice(text.indexOf("\nUMask=")).split("\n[")[0];
    expect(hardened(unit)).toBe(hardened(read("deploy/referral-network-worker@.service")));
  });

  test("of PostgreSQL do not start a primary again that died, nor a second one", () => {
    const drop = read("deploy/postgresql-one-primary.conf");
    expect(drop).toMatch(/^Restart=no$/m);
    expect(drop).toMatch(/^ExecStartPre=\S+ .* \/opt\/referral-network\/deploy\/one-primary\.sh$/m);
  });
});
