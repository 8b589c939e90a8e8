import { EventEmitter } from "node:events";
import { setTimeout as after } from "node:timers/promises";
import pg from "pg";
import { type DatabaseHost, hostsOf } from "#kit/ops/database-hosts.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/*
 * Where an address names several hosts, each connection goes to the one that takes writes. libpq looks
 * for it anew for each connection; here one look serves the whole process, so that a connection takes
 * as long as to a single host. All hosts are asked again every two seconds, and when a connection is
 * lost. When another one takes writes by then, what is connected elsewhere is cut, hanging statements
 * included: to those who wait it is a lost connection.
 */

const lookEveryMs = 2_000;
/** A host that hangs, as one does whose machine is gone, keeps nobody waiting for longer. */
const answerWithinMs = 2_000;
/** A start is no hurry: it would fail where a machine is busy for a moment. */
const firstAnswerWithinMs = 5_000;
/**
 * How long a former primary that takes writes again is ignored. By then the hosts' manager has stopped it (Patroni
 * within its ttl, 20 seconds in deploy/patroni.yml), or has left it in charge.
 */
const leftAloneForMs = 30_000;
/** While no host takes writes, they are not asked again for every connection that is wanted. */
const noneForMs = 250;

/** Tells of each change in a sentence, without user and password. */
export const primaryChanges = new EventEmitter<{ change: [sentence: string] }>();

/** A pool whose connections go to the primary, where its address names several hosts. */
export function newPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, Client: clientClass(config.connectionString) });
  // A connection that dies is replaced by the pool; without listeners its death ends the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
    // A server that became read-only is left, also where one name leads to whichever is the primary.
    onReadOnly(client, () => cut(client));
  });
  return pool;
}

/** One connection, not yet open, that goes there too. */
export function newPgClient(config: pg.ClientConfig): pg.Client {
  return new (clientClass(config.connectionString))(config);
}

/** No host takes writes: `errors` say why, in the order of the address. The code is SQL's for "cannot connect". */
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
      this.on("error", () => undefined); // it may die before anybody listens
      const { host, port } = await primary.join(this);
      try {
        if (this.#isEnding) throw new Error("Connection terminated");
        this.host = host; // it was made before they were known
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
  /** Of a host that takes writes; each promotion begins one, so of two the later is the primary's. */
  timeline: string | null;
}

type Found = { host: Host } & ({ answer: Answer } | { problem: Error });

/** Which of the hosts takes writes, for all connections of this process to one address. */
class Primary {
  readonly #hosts: Host[];
  /** Connections and whom they are to; null while that is not known. */
  readonly #clients = new Map<pg.Client, Host | null>();
  #host: Host | null = null;
  #system: string | null = null;
  /** The latest that a host took writes on: with an earlier one it is a former primary, and lacks changes. */
  #timeline = "";
  /** Since when only a former primary has taken writes. */
  #formerSince: number | null = null;
  /** Times that a connection was lost, and how many of them were known when it was looked at last. */
  #doubts = 0;
  #doubtsSeen = 0;
  #lookedAt = -Infinity;
  #problem: Error | null = null;
  #looking: Promise<Host> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(hosts: DatabaseHost[]) {
    this.#hosts = hosts.map((host) => new Host(host));
  }

  /** Where the client is to connect; it counts until it leaves. Throws when no host takes writes. */
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

  /** The last one to leave takes our own connections along, so that a command can end. */
  leave(client: pg.Client, { isLost }: { isLost: boolean }): void {
    if (!this.#clients.has(client)) return;
    if (isLost) this.doubt();
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (!this.#looking) this.#closeHosts();
  }

  /** A connection was lost, or took no writes. */
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
    this.#look().catch(() => undefined); // told to whoever connects
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
        primaryChanges.emit("change", `The database takes writes at ${host.name}.`);
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
    // One that only hangs may come back, and there is none that is better.
    if (known && "problem" in known && known.problem instanceof NoAnswer) return known.host;
    const reasons = found.map((one) => `${one.host.name}: ${whyNot(one, this.#system)}`).join("; ");
    const problems = found.flatMap((one) => ("problem" in one ? one.problem : []));
    throw new NoPrimary(problems, `No host of the database takes writes: ${reasons}`);
  }

  /** `latest` is the latest timeline on which a host takes writes now; empty: none does. */
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

/** Throws a StartupProblem when two hosts are no primary and standby: better now than when one dies. */
function systemOf(found: Found[]): string | null {
  const answers = found.flatMap((one) => ("answer" in one ? one : []));
  const [first] = answers;
  const other = answers.find(({ answer }) => answer.system !== first?.answer.system);
  if (first && other)
    throw new StartupProblem(
      `The hosts ${first.host.name} and ${other.host.name} are different databases: one address may only name a primary and its standbys.`,
    );
  return first?.answer.system ?? null;
}

function whyNot(one: Found, system: string | null): string {
  if ("problem" in one) return one.problem.message || codeOf(one.problem); // Node's have none for two addresses
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

/** A host with a connection of our own, open from the first question on. */
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
    if (!answer) throw new Error("it does not say what it is");
    return answer;
  }

  /** Without time limits of its own, which a pooler does not accept. */
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

/** Whatever it is at fails as with a lost connection. */
function cut(client: pg.Client): void {
  client.connection.stream.destroy(
    new Error("Connection terminated: the host takes no writes any more."),
  );
}

function onReadOnly(client: pg.Client, then: () => void): void {
  client.connection.on("errorMessage", ({ code }: { code?: string }) => {
    if (code === "25006") then();
  });
}
