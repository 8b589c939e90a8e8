import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { deploy, type Deployed } from "#tests/support/deployed.ts";
import { cookiesOf } from "#tests/support/cable.ts";
import { installed } from "#tests/support/installed.ts";
import { shippedCaddy, shippedNginx, type ShippedProxy } from "#tests/support/installed-proxies.ts";
import { freePort, projectFolder } from "#tests/support/launched.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn } from "#tests/support/visitor.ts";

/*
 * Two web processes behind a proxy as shipped, restarted in turn as the systemd unit does, while 200 requests
 * are always under way, three in four of them POSTs: `npm run rehearse`.
 */

const requestsUnderWay = 200;
const restarts = 10;

const proxies = [
  ...installed("nginx").map((program) => ({
    name: "nginx",
    before: (ports: [number, number]) => shippedNginx(program, ports, { workers: 2 }),
  })),
  ...installed("caddy").map((program) => ({
    name: "Caddy",
    before: (ports: [number, number]) => shippedCaddy(program, ports),
  })),
];

test("nginx or Caddy is installed", () => {
  expect(proxies).not.toEqual([]);
});

describe.each(proxies)("behind $name", ({ name, before }) => {
  test("ten restarts fail no request, and do nothing twice", { timeout: 900_000 }, async () => {
    const app = await anApp();
    onTestFinished(() => app.close());
    const network = await makeNetwork(app.db);
    const ports: [number, number] = [await freePort(), await freePort()];
    const proxy = await before(ports);
    onTestFinished(() => proxy.close());
    const running = await Promise.all(ports.map((port) => start(app, proxy, port)));
    onTestFinished(() => running.forEach((each) => each.signal("SIGKILL")));
    await Promise.all(ports.map(untilNoticed));

    const load = await Load.begin(app, network, proxy);
    for (let restart = 0; restart < restarts; restart += 1) {
      const [leaving] = running.splice(0, 1);
      if (!leaving) throw new Error("Nothing runs.");
      const answersBefore = load.answers;
      leaving.signal("SIGTERM");
      expect({ code: await leaving.ended, said: leaving.stderr() }).toMatchObject({ code: 0 });
      running.push(await start(app, proxy, leaving.port));
      await untilNoticed(leaving.port);
      expect(load.answers).toBeGreaterThan(answersBefore);
    }
    await load.end();

    console.log(
      `${name}: ${restarts} restarts, ${load.answers.toLocaleString("en-US")} requests, ` +
        `${load.posts.toLocaleString("en-US")} of them POSTs, ${load.failures.length} failed, ` +
        `the slowest took ${(load.slowestMs / 1000).toFixed(1)} s`,
    );
    expect(load.failures).toEqual([]);
    expect(await load.balances()).toEqual(load.owed);
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });
});

async function start(app: RunningApp, proxy: ShippedProxy, port: number): Promise<Deployed> {
  return await deploy(port, {
    ROLES: "web",
    DATABASE_URL: app.connectionString,
    DATA_DIR: app.dataDir,
    APP_SECRET: app.secret,
    PUBLIC_URL: `http://127.0.0.1:${proxy.port}`,
    TRUST_PROXY: "1",
    RATE_LIMITS: "0",
  });
}

/** The unit's steps before systemd reports the service as restarted. */
async function untilNoticed(port: number): Promise<void> {
  const unit = readFileSync(join(projectFolder, "deploy/referral-network-web@.service"), "utf8");
  const [, words = ""] = /^ExecStartPost=\S+\/node (.*)$/m.exec(unit) ?? [];
  const env = { PATH: process.env["PATH"], ROLES: "web", PORT: String(port) };
  await promisify(execFile)(process.execPath, words.split(" "), { cwd: projectFolder, env });
}

/** People who repeat requests as soon as they are answered, each with a debit of their own. */
class Load {
  answers = 0;
  posts = 0;
  slowestMs = 0;
  readonly failures: string[] = [];
  /** The balance of each debit, by the answers. */
  readonly owed = new Map<number, number>();
  readonly #app: RunningApp;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #over = new AbortController();
  #all: Promise<void>[] = [];

  private constructor(app: RunningApp) {
    this.#app = app;
  }

  static async begin(app: RunningApp, network: MadeNetwork, proxy: ShippedProxy): Promise<Load> {
    const load = new Load(app);
    const admin = await signedIn(app, "admin", network);
    const headers = {
      cookie: cookiesOf(admin),
      "x-csrf-token": admin.csrf,
      "content-type": "application/json",
    };
    for (let person = 0; person < requestsUnderWay; person += 1) {
      const attorney = await makeAttorney(app.db, network);
      load.owed.set(await makeDebit(app.db, network, attorney, { dueOn: "2099-01-01" }), 5_000);
    }
    load.#all = [...load.owed.keys()].map((debit) =>
      load.#ask(debit, { port: proxy.port, headers }),
    );
    return load;
  }

  async end(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#all);
    this.#agent.destroy();
  }

  async balances(): Promise<Map<number, number>> {
    const rows = await this.#app.db.selectFrom("debits").select(["id", "balanceCents"]).execute();
    return new Map(rows.map((row) => [row.id, row.balanceCents as number])); // branded numbers
  }

  async #ask(debit: number, to: { port: number; headers: Record<string, string> }): Promise<void> {
    const increase = JSON.stringify({ debit_id: debit, direction: "increase", amount: "0.01" });
    for (let turn = 0; !this.#over.signal.aborted; turn += 1) {
      const isPost = turn % 4 > 0;
      const path = isPost ? "/lrs_subscription_debit_adjustments/" : "/lrs_subscriptions/";
      const begun = performance.now();
      const said = await this.#send(path, { ...to, body: isPost ? increase : undefined });
      this.slowestMs = Math.max(this.slowestMs, performance.now() - begun);
      this.answers += 1;
      if (isPost) this.posts += 1;
      if (said !== null) this.failures.push(`${isPost ? "POST" : "GET"} ${path}: ${said}`);
      else if (isPost) this.owed.set(debit, (this.owed.get(debit) ?? 0) + 1);
    }
  }

  /** Null if it went well, otherwise what came instead. */
  #send(
    path: string,
    { body, ...to }: { port: number; headers: Record<string, string>; body: string | undefined },
  ): Promise<string | null> {
    return new Promise((resolve) => {
      const fail = ({ message }: Error) => resolve(message);
      const method = body === undefined ? "GET" : "POST";
      request({ host: "127.0.0.1", ...to, path, method, agent: this.#agent })
        .on("response", (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
          answer.on("error", fail);
          answer.on("end", () =>
            resolve(
              answer.statusCode === 200 ? null : `${answer.statusCode} ${text.slice(0, 200)}`,
            ),
          );
        })
        .on("error", fail)
        .end(body);
    });
  }
}
