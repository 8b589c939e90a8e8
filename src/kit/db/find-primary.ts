import { EventEmitter } from "node:events";
import { setTimeout as after } from "node:timers/promises";
import pg from "pg";
import { type DatabaseHost, hostsOf } from "#kit/ops/database-hosts.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/*
 * If an address names several hosts, each connection goes to the one that accepts writes. libpq searches for it for
 * each connection; here one search serves the whole process, so that connecting is as fast as to a single host. All
 * hosts are asked again every two seconds, and when a connection is lost. If another one accepts writes by then,
 * connections to other hosts are cut, including hanging statements. Callers see a lost connection.
 */

const lookEveryMs = 2_000;
/** A hanging host, such as one whose machine is gone, delays no one for longer. */
const answerWithinMs = 2_000;
/** Longer at the start, which would otherwise fail on a machine that is briefly busy. */
const firstAnswerWithinMs = 5_000;
/**
 * How long a former primary that accepts writes again is ignored. By then the hosts' manager has stopped it
 * (Patroni within its ttl, 20 seconds in deploy/patroni.yml), or has left it in charge.
 */
const leftAloneForMs = 30_000;
/** While no host accepts writes, they are not asked again for every connection. */
const noneForMs = 250;

/** Emits each change as a sentence, without user and password. */
export const primaryChanges = new EventEmitter<{ change: [sentence: string] }>();

/** A pool whose connections go to the primary if its address names several hosts. */
export function newPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, Client: clientClass(config.connectionString) });
  // The pool replaces a connection that dies. Without a listener, its error would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
    // Leave a server that became read-only, also if one name always leads to the current primary.
    onReadOnly(client, () => cut(client));
  });
  return pool;
}

/** One connection to the primary, not yet open. */
export function newPgClient(config: pg.ClientConfig): pg.Client {
  return new (clientClass(config.connectionString))(config);
}

/** No host accepts writes: `errors` say why, in the order of the address. The code is SQL's for "cannot connect". */
class NoPrimary extends AggregateError {
  readonly code = "08001";
}

const classes = new Map<string, typeof pg.Client>();

function clientClass(connectionString = ""): typeof pg.Client {
  const hosts = hostsOf(connectionString);
  if (hosts.length === 0) return pg.Client;
  const known = classes.get(connectionString) ?? clientOf(new Primary(hosts));
  classes.set(connectionString, known);
  return known;
}

type Connected = ((problem: Error) => void) | ((problem: null, client: pg.Client) => void);

function clientOf(primary: Primary): typeof pg.Client {
  return class PrimaryClient extends pg.Client {
    #isEnding = false;

    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connecting = this.#connect();
      if (!callback) return connecting;
      const answer = callback as (problem: Error | null, client?: pg.Client) => void; // either of its forms
      connecting.then((client) => answer(null, client), answer);
      return undefined;
    }

    override end(): Promise<void>;
    override end(callback: (problem: Error) => void): void;
    override end(callback?: (problem: Error) => void): Promise<void> | undefined {
      this.#isEnding = true;
      if (!callback) return super.end();
      super.end(callback);
      return undefined;
    }

    async #connect(): Promise<pg.Client> {
      this.on("error", () => undefined); // it may die before anyone listens
      const { host, port } = await primary.join(this);
      try {
        if (this.#isEnding) throw new Error("Connection terminated");
        this.host = host; // set again, since they were not known before
        this.port = port;
        this.once("end", () => primary.leave(this, { isLost: !this.#isEnding }));
        onReadOnly(this, () => primary.doubt());
        return await super.connect();
      } catch (problem) {
        primary.leave(this, { isLost: !this.#isEnding });
        throw problem;
      }
    }
  };
}

interface Answer {
  /** The same for a primary and its standbys. */
  system: string;
  /** Of a host that accepts writes. Each promotion starts a timeline, so the later one is the primary's. */
  timeline: string | null;
}

type Found = { host: Host } & ({ answer: Answer } | { problem: Error });

/** Which host accepts writes, for all connections of this process to one address. */
class Primary {
  readonly #hosts: Host[];
  /** The connections and their hosts; null while unknown. */
  readonly #clients = new Map<pg.Client, Host | null>();
  #host: Host | null = null;
  #system: string | null = null;
  /**
   * The latest timeline on which a host accepted writes. A host with an earlier one is a former primary, and lacks
   * changes.
   */
  #timeline = "";
  /** Since when only a former primary has accepted writes. */
  #formerSince: number | null = null;
  /** How often a connection was lost, and how many of those were known at the last check. */
  #doubts = 0;
  #doubtsSeen = 0;
  #lookedAt = -Infinity;
  #problem: Error | null = null;
  #looking: Promise<Host> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(hosts: DatabaseHost[]) {
    this.#hosts = hosts.map((host) => new Host(host));
  }

  /** Where the client is to connect. It counts until it leaves. Throws if no host accepts writes. */
  async join(client: pg.Client): Promise<Host> {
    this.#clients.set(client, null);
    this.#timer ??= setInterval(() => this.#lookAgain(), lookEveryMs).unref();
    try {
      const host = await this.#find();
      this.#clients.set(client, host);
      return host;
    } catch (problem) {
      this.leave(client, { isLost: false });
      throw problem;
    }
  }

  /** The last one to leave also closes our own connections, so that a command can end. */
  leave(client: pg.Client, { isLost }: { isLost: boolean }): void {
    if (!this.#clients.has(client)) return;
    if (isLost) this.doubt();
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (!this.#looking) this.#closeHosts();
  }

  /** A connection was lost, or accepted no writes. */
  doubt(): void {
    this.#doubts += 1;
    this.#lookAgain();
  }

  async #find(): Promise<Host> {
    const ageMs = performance.now() - this.#lookedAt;
    if (this.#problem && ageMs < noneForMs) throw this.#problem;
    const isKnown = this.#doubts === this.#doubtsSeen && ageMs < lookEveryMs + answerWithinMs;
    return this.#host && isKnown ? this.#host : await this.#look();
  }

  #lookAgain(): void {
    this.#look().catch(() => undefined); // reported when someone connects
  }

  async #look(): Promise<Host> {
    this.#looking ??= this.#askAll().finally(() => (this.#looking = null));
    return await this.#looking;
  }

  async #askAll(): Promise<Host> {
    const doubts = this.#doubts;
    const withinMs = this.#timeline === "" ? firstAnswerWithinMs : answerWithinMs;
    const found = await Promise.all(this.#hosts.map((host) => host.ask(withinMs)));
    this.#lookedAt = performance.now();
    this.#doubtsSeen = doubts;
    if (this.#clients.size === 0) this.#closeHosts();
    try {
      const host = this.#choose(found);
      if (host !== this.#host)
        primaryChanges.emit("change", `The database accepts writes at ${host.name}.`);
      this.#problem = null;
      return (this.#host = host);
    } catch (problem) {
      if (!(problem instanceof Error)) throw problem;
      if (this.#host) primaryChanges.emit("change", problem.message);
      this.#host = null;
      throw (this.#problem = problem);
    }
  }

  #choose(found: Found[]): Host {
    this.#system ??= systemOf(found);
    const timelineOf = (one: Found) =>
      "answer" in one && one.answer.system === this.#system ? one.answer.timeline : null;
    this.#follow(
      found
        .map((one) => timelineOf(one) ?? "")
        .toSorted()
        .at(-1) ?? "",
    );
    const best = found.filter((one) => timelineOf(one) === this.#timeline).map(({ host }) => host);
    const host = best.find((one) => one === this.#host) ?? best[0];
    const isUseless = (one: Found) => (host ? one.host !== host : "answer" in one);
    for (const one of found) if (isUseless(one)) this.#cutAll(one.host);
    if (host) return host;
    const known = found.find((one) => one.host === this.#host);
    // A host that only hangs may recover, and there is no better one.
    if (known && "problem" in known && known.problem instanceof NoAnswer) return known.host;
    const reasons = found.map((one) => `${one.host.name}: ${whyNot(one, this.#system)}`).join("; ");
    const problems = found.flatMap((one) => ("problem" in one ? one.problem : []));
    throw new NoPrimary(problems, `No host of the database accepts writes: ${reasons}`);
  }

  /** `latest` is the latest timeline on which a host accepts writes now; empty: none. */
  #follow(latest: string): void {
    const isFormer = latest !== "" && latest < this.#timeline;
    this.#formerSince = isFormer ? (this.#formerSince ?? this.#lookedAt) : null;
    const isLeftAlone =
      latest === "" ||
      (this.#formerSince !== null && this.#lookedAt - this.#formerSince < leftAloneForMs);
    if (!isLeftAlone) this.#timeline = latest;
  }

  #cutAll(host: Host): void {
    for (const [client, to] of this.#clients) if (to === host) cut(client);
  }

  #closeHosts(): void {
    for (const host of this.#hosts) host.close();
  }
}

/** Throws a StartupProblem if two hosts are not a primary and its standby. Better to fail now than when one dies. */
function systemOf(found: Found[]): string | null {
  const answers = found.flatMap((one) => ("answer" in one ? one : []));
  const [first] = answers;
  const other = answers.find(({ answer }) => answer.system !== first?.answer.system);
  if (first && other)
    throw new StartupProblem(
      `The hosts ${first.host.name} and ${other.host.name} are different databases. One address may only name a primary and its standbys.`,
    );
  return first?.answer.system ?? null;
}

function whyNot(one: Found, system: string | null): string {
  if ("problem" in one) return one.problem.message || codeOf(one.problem); // for two addresses, Node's errors have no message
  if (one.answer.system !== system) return "another database";
  return one.answer.timeline === null ? "a standby, or read-only" : "a former primary";
}

const codeOf = (problem: Error) => ("code" in problem ? String(problem.code) : problem.name);

class NoAnswer extends Error {
  override readonly message = "it does not answer";
}

const question = `
  select system_identifier::text as system,
    case when not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off'
      then left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) end as timeline
  from pg_control_system()`;

/** A host with our own connection, open from the first question on. */
class Host {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly #address: string;
  #client: pg.Client | null = null;

  constructor({ host, port, address }: DatabaseHost) {
    this.name = `${host}:${port}`;
    this.host = host;
    this.port = port;
    this.#address = address;
  }

  async ask(withinMs: number): Promise<Found> {
    try {
      const inTime = after(withinMs, null, { ref: false });
      const answer = await Promise.race([this.#answer(), inTime]);
      if (!answer) throw new NoAnswer();
      return { host: this, answer };
    } catch (problem) {
      if (this.#client) cut(this.#client);
      this.#client = null;
      return {
        host: this,
        problem: problem instanceof Error ? problem : new Error(String(problem)),
      };
    }
  }

  close(): void {
    this.#client?.end().catch(() => undefined); // it may have ended already
    this.#client = null;
  }

  async #answer(): Promise<Answer> {
    const client = this.#client ?? (await this.#connect());
    const { rows } = await client.query<Answer>(question);
    const [answer] = rows;
    if (!answer) throw new Error("it does not report its identity");
    return answer;
  }

  /** Without time limits, which a pooler does not accept. */
  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#address,
      application_name: "referral-network hosts",
      keepAlive: true,
    });
    this.#client = client;
    client.on("error", () => undefined); // the next question fails
    await client.connect();
    return client;
  }
}

/** Whatever it is doing fails as with a lost connection. */
function cut(client: pg.Client): void {
  client.connection.stream.destroy(
    new Error("Connection terminated: the host no longer accepts writes."),
  );
}

function onReadOnly(client: pg.Client, then: () => void): void {
  client.connection.on("errorMessage", ({ code }: { code?: string }) => {
    if (code === "25006") then();
  });
}
