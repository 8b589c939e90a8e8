import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import type { Endpoint } from "#kit/contract/endpoint.ts";
import { maxFileBytes } from "#kit/contract/file.ts";
import { attorneyImports } from "#people/contract.ts";
import { matterImports } from "#referrals/matters/contract.ts";
import { readConfig, variables } from "#kit/ops/config.ts";
import { serverIsStopping } from "#kit/http/shutdown.ts";
import { projectFolder } from "#tests/support/launched.ts";
import { packagesReachedFrom } from "#tests/support/reached-packages.ts";

/*
 * These files cannot run on a bare machine, so the test checks that every file, program, variable and metric
 * they name exists.
 */

const read = (path: string) => readFileSync(join(projectFolder, path), "utf8");
const fileExists = (path: string) => existsSync(join(projectFolder, path));
const described: {
  dependencies: Record<string, string>;
  scripts: Record<string, string>;
  config: { serverFlags: string; serverEnvironment: Record<string, string> };
} = JSON.parse(read("package.json"));

const nodeImage = `node:${described.dependencies["node"]}-bookworm-slim`;
const heapMegabytes = Number(/--max-old-space-size=(\d+)/.exec(described.config.serverFlags)?.[1]);
const { stop: stopping } = readConfig({ TRUST_PROXY: "1", PUBLIC_URL: "https://a.example" });
const stopSeconds = stopping.timeoutMs / 1000;

/** The seconds within which Caddy notices what `/readyz` says. */
function caddyNoticesAfter(): number {
  const file = read("deploy/Caddyfile");
  const [interval = Number.NaN, timeout = Number.NaN] = ["health_interval", "health_timeout"].map(
    (name) => Number(new RegExp(`${name} (\\d+)s`).exec(file)?.[1]),
  );
  return interval + timeout;
}

/** Read by Node and the surrounding programs, not by the server's configuration. */
const known = new Set([
  ...variables,
  ...Object.keys(described.config.serverEnvironment),
  "NODE_ENV",
]);
const unknownAmong = (names: string[]) => names.filter((name) => !known.has(name));

describe("the image", () => {
  const lines = read("Dockerfile")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const told = (instruction: string) =>
    lines.flatMap((line) =>
      line.startsWith(`${instruction} `) ? [line.slice(instruction.length + 1)] : [],
    );

  test("is built on exactly the Node version that package.json names, or on a digest of it", () => {
    const images = told("FROM").map((from) => from.split(" ")[0]);
    expect(new Set(images)).toEqual(new Set(["${NODE_IMAGE}"]));
    expect(told("ARG")).toEqual([`NODE_IMAGE=${nodeImage}`]);
  });

  test("copies and runs only what exists and the ignore file lets through", () => {
    const copied = told("COPY")
      .filter((line) => !line.startsWith("--from"))
      .flatMap((line) => line.split(" ").slice(0, -1));
    expect(copied.length).toBeGreaterThan(8);
    expect(copied.filter((path) => !fileExists(path))).toEqual([]);
    const allowed = read(".dockerignore")
      .split("\n")
      .flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
    expect(allowed.toSorted()).toEqual([...new Set(copied)].toSorted());
    const programs = lines.join("\n").matchAll(/"node", (?:"--[^"]+", )*"([^"]+)"/g);
    expect([...programs].map(([, path = ""]) => [path, fileExists(path)])).toEqual([
      ["deploy/health.mjs", true],
      ["dist/server/start.js", true],
    ]);
    const command: string[] = JSON.parse(told("CMD").join());
    expect(command.slice(1, -1).join(" ")).toBe(described.config.serverFlags);
  });

  test("runs as an ordinary user, has a health check, and holds no secret", () => {
    expect(told("USER")).toEqual(["node"]);
    expect(lines.findIndex((line) => line.startsWith("USER"))).toBeGreaterThan(
      lines.findLastIndex((line) => line.startsWith("COPY")),
    );
    expect(told("HEALTHCHECK")).toHaveLength(1);
    const set = Object.fromEntries(told("ENV").map((line) => line.split("=") as [string, string]));
    expect(unknownAmong(Object.keys(set))).toEqual([]);
    expect(set).toMatchObject(described.config.serverEnvironment);
    expect(Object.keys(set).filter((name) => /SECRET|PASSWORD|TOKEN|_URL/.test(name))).toEqual([]);
    expect(told("EXPOSE")).toEqual([set["PORT"]]);
    expect(told("ARG").filter((line) => !line.startsWith("NODE_IMAGE="))).toEqual([]);
  });

  test.each(["src/main/server.ts", "src/main/cli.ts"])(
    "%s needs no package for building or testing, and no optional one",
    (entry) => {
      const reached = packagesReachedFrom(entry);
      expect(reached).toEqual(expect.arrayContaining(["kysely", "pg", "zod"]));
      expect(reached.filter((name) => !(name in described.dependencies))).toEqual([]);
      const lock: { packages: Record<string, { dev?: boolean; optional?: boolean }> } = JSON.parse(
        read("package-lock.json"),
      );
      const left = reached.filter((name) => {
        const { dev = false, optional = false } = lock.packages[`node_modules/${name}`] ?? {};
        return dev || optional;
      });
      expect(left).toEqual([]);
    },
  );
});

describe("compose.yaml", () => {
  const Service = z.object({
    image: z.string(),
    build: z.object({ context: z.string(), args: z.record(z.string(), z.string()) }).optional(),
    mem_limit: z.string(),
    logging: z.object({ driver: z.string(), options: z.record(z.string(), z.string()) }),
    stop_grace_period: z.string().optional(),
    read_only: z.boolean().optional(),
    environment: z.record(z.string(), z.string()).default({}),
    volumes: z.array(z.string()).default([]),
    command: z.array(z.string()).optional(),
    restart: z.string().optional(),
    depends_on: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).default([]),
    healthcheck: z.unknown().optional(),
  });
  const text = read("compose.yaml");
  const { services, volumes } = z
    .object({ services: z.record(z.string(), Service), volumes: z.record(z.string(), z.null()) })
    .parse(parse(text, { merge: true }));
  const ours = Object.entries(services).filter(([, { image }]) => image === "referral-network");

  test("has the database, two web processes, a worker and TLS in front", () => {
    expect(services["database"]?.healthcheck).toBeDefined();
    expect(ours.map(([name, { environment }]) => [name, environment["ROLES"]])).toEqual([
      ["migrate", undefined],
      ["web-1", "web"],
      ["web-2", "web"],
      ["worker", "worker"],
    ]);
  });

  test("migrates once as the owner, before anything serves as another role", () => {
    const user = (address = "") => /^postgresql:\/\/(\w+):/.exec(address)?.[1];
    const waitsFor = (name: string) => ({
      [name]: { condition: "service_completed_successfully" },
    });
    for (const [, { environment }] of ours)
      expect(user(environment["DATABASE_URL"])).toBe("referral_network_server");
    const migrating = services["migrate"];
    expect(user(migrating?.environment["MIGRATE_DATABASE_URL"])).toBe(
      services["database"]?.environment["POSTGRES_USER"],
    );
    expect(migrating?.command).toEqual(["node", "dist/server/cli.js", "migrate"]);
    expect(migrating?.restart).toBe("no");
    expect(migrating?.depends_on).toEqual(waitsFor("roles"));
    for (const [, { environment, depends_on }] of ours.filter(([name]) => name !== "migrate")) {
      expect(Object.keys(environment)).not.toContain("MIGRATE_DATABASE_URL");
      expect(depends_on).toEqual(waitsFor("migrate"));
    }
    const making = read("deploy/serving-role.sql");
    expect(making).toContain("create role referral_network_server");
    expect(services["roles"]?.environment).toHaveProperty(
      /\\getenv password (\w+)/.exec(making)?.[1] ?? "",
    );
  });

  test("sets only variables that the server knows, and all that it requires", () => {
    for (const [, { environment, read_only }] of ours) {
      expect(unknownAmong(Object.keys(environment))).toEqual([]);
      expect(environment).toMatchObject({
        DATABASE_URL: expect.anything(),
        PUBLIC_URL: expect.anything(),
      });
      expect(read_only).toBe(true);
    }
  });

  test("starts with no password or secret except the operator's own", () => {
    const asked = [...text.matchAll(/\$\{(\w+)([^}]*)\}/g)];
    const secrets = asked.filter(([, name = ""]) => /SECRET|PASSWORD/.test(name));
    expect(secrets.length).toBeGreaterThanOrEqual(5);
    expect(secrets.every(([, , rule = ""]) => rule.startsWith(":?"))).toBe(true);
    expect(asked.filter(([, , rule = ""]) => !/^:[?-]/.test(rule))).toEqual([]);
    // What may be missing is empty, not a guess; images are named below.
    expect(
      asked.filter(([, name = "", rule = ""]) => !name.endsWith("_IMAGE") && /^:-./.test(rule)),
    ).toEqual([]);
  });

  test("names images by their exact version, which a digest can replace", () => {
    const images = Object.entries(services).flatMap(([name, { image, build }]) =>
      build ? [[name, build.args["NODE_IMAGE"]]] : [[name, image]],
    );
    expect(new Map(images as [string, string][])).toEqual(
      new Map([
        ["database", expect.stringMatching(/^\$\{POSTGRES_IMAGE:-postgres:\d+\.\d+-\w+\}$/)],
        ["roles", services["database"]?.image],
        ["proxy", expect.stringMatching(/^\$\{CADDY_IMAGE:-caddy:\d+\.\d+\.\d+\}$/)],
        ...ours.map(([name]) => [name, `\${NODE_IMAGE:-${nodeImage}}`] as const),
      ]),
    );
  });

  test("limits each service's memory and log, and its heap to half of that memory", () => {
    for (const [name, { mem_limit, logging }] of Object.entries(services)) {
      const [, amount = "", unit = ""] = /^(\d+)([gm])$/.exec(mem_limit) ?? [];
      const megabytes = Number(amount) * (unit === "g" ? 1024 : 1);
      const least = ours.some(([one]) => one === name) ? 2 * heapMegabytes : heapMegabytes;
      expect([name, megabytes >= least]).toEqual([name, true]);
      expect([name, logging.options]).toEqual([
        name,
        { "max-size": expect.stringMatching(/^\d+m$/), "max-file": expect.stringMatching(/^\d+$/) },
      ]);
    }
  });

  test("gives each process time to stop", () => {
    for (const [, { stop_grace_period = "" }] of ours)
      expect(Number(/^(\d+)s$/.exec(stop_grace_period)?.[1])).toBeGreaterThan(stopSeconds);
  });

  test("names services, volumes and files that exist", () => {
    for (const { depends_on, volumes: mounted } of Object.values(services)) {
      const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
      expect(needed.filter((name) => !services[name])).toEqual([]);
      for (const mount of mounted) {
        const [source = ""] = mount.split(":");
        expect([mount, source.startsWith("./") ? fileExists(source) : source in volumes]).toEqual([
          mount,
          true,
        ]);
      }
    }
    const upstreams = services["proxy"]?.environment["UPSTREAMS"]?.split(" ") ?? [];
    expect(upstreams).toEqual(["web-1:3000", "web-2:3000"]);
    for (const name of Object.keys(services["proxy"]?.environment ?? {}))
      expect(read("deploy/Caddyfile")).toContain(`{$${name}}`);
  });
});

describe("the systemd unit of the migrations", () => {
  const unit = read("deploy/referral-network-migrate.service");
  const told = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);

  test("runs them as the owner, whom no other unit knows, before the services", () => {
    expect(told("Type")).toEqual(["oneshot"]);
    const [program = "", script = "", command] = told("ExecStart")[0]?.split(" ") ?? [];
    const [folder] = told("WorkingDirectory");
    expect(fileExists(program.slice(`${folder}/`.length))).toBe(true);
    expect([fileExists(script), command]).toEqual([true, "migrate"]);
    expect(unknownAmong(told("Environment").map((value) => value.split("=")[0] ?? ""))).toEqual([]);
    const owner = "/etc/referral-network/owner";
    expect(told("EnvironmentFile")).toEqual(["/etc/referral-network/environment", owner]);
    for (const role of ["web", "worker"]) {
      const serving = read(`deploy/referral-network-${role}@.service`);
      expect(serving).not.toContain(owner);
      for (const name of ["After", "Wants"])
        expect(serving).toMatch(new RegExp(`^${name}=.* referral-network-migrate.service$`, "m"));
    }
  });

  test("gives it no more rights than the services have", () => {
    const hardened = (text: string) => text.slice(text.indexOf("StateDirectory=")).split("\n[")[0];
    const serving = read("deploy/referral-network-worker@.service");
    expect(hardened(unit)?.trim()).toBe(hardened(serving)?.trim());
    expect(told("User")).toEqual(["referral-network"]);
  });
});

describe.each(["web", "worker"])("the systemd unit of %s", (role) => {
  const unit = read(`deploy/referral-network-${role}@.service`);
  const told = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);

  test("starts what exists, with variables that the server knows", () => {
    const words = told("ExecStart")[0]?.split(" ") ?? [];
    const isFlag = (word: string) => word.startsWith("--");
    const [program = "", script = ""] = words.filter((word) => !isFlag(word));
    expect(words.filter(isFlag).join(" ")).toBe(described.config.serverFlags);
    const [folder] = told("WorkingDirectory");
    expect(program.startsWith(`${folder}/`)).toBe(true);
    expect(fileExists(program.slice(`${folder}/`.length))).toBe(true);
    expect(fileExists(script)).toBe(true);
    const set = told("Environment").map((value) => value.split("=")[0] ?? "");
    expect(unknownAmong(set)).toEqual([]);
    const asStarted = Object.entries(described.config.serverEnvironment);
    expect(told("Environment")).toEqual(
      expect.arrayContaining([
        `ROLES=${role}`,
        ...asStarted.map(([name, value]) => `${name}=${value}`),
      ]),
    );
  });

  test("gives it time to stop, and says when it is ready again", () => {
    expect(Number(told("TimeoutStopSec")[0])).toBeGreaterThan(stopSeconds);
    const [, waits = "", seconds = ""] =
      /^\S+\/node (\S+) --wait (\d+)$/.exec(told("ExecStartPost")[0] ?? "") ?? [];
    expect(fileExists(waits)).toBe(true);
    // nginx skips a failed process for at most two seconds.
    expect(Number(seconds)).toBeGreaterThanOrEqual(role === "web" ? caddyNoticesAfter() : 0);
    expect(told("TimeoutStartSec")).toEqual(["infinity"]); // migrations take as long as they take
  });

  test("notices when it exits before it is ready, since systemd restarts nothing it still waits for", () => {
    const ended = spawnSync(process.execPath, ["--version"]); // reaped: nobody has this pid
    const [, ...words] = told("ExecStartPost")[0]?.split(" ") ?? [];
    const waited = spawnSync(process.execPath, words, {
      cwd: projectFolder,
      env: { ROLES: role, PORT: "1", HEALTH_PORT: "1", MAINPID: String(ended.pid) },
      encoding: "utf8",
      timeout: 60_000, // instead of waiting forever
    });
    expect([waited.signal, waited.status]).toEqual([null, 1]);
  });

  test("gives it no rights, and nobody its secrets", () => {
    expect(told("User")).toEqual(["referral-network"]);
    expect(told("NoNewPrivileges")).toEqual(["yes"]);
    expect(told("ProtectSystem")).toEqual(["strict"]);
    expect(told("CapabilityBoundingSet")).toEqual([""]);
    expect(told("InaccessiblePaths")).toEqual([`-${told("WorkingDirectory")[0]}/.git`]);
    expect(told("EnvironmentFile")).toHaveLength(1);
    expect(unit).not.toMatch(/^Environment=.*(SECRET|PASSWORD|TOKEN)/m);
  });
});

describe("the files for Patroni and pgBackRest", () => {
  const patroni = z
    .object({
      bootstrap: z.object({
        dcs: z.looseObject({
          ttl: z.number(),
          postgresql: z.looseObject({ parameters: z.record(z.string(), z.unknown()) }),
        }),
      }),
      postgresql: z.looseObject({ data_dir: z.string(), pg_hba: z.array(z.string()) }),
      watchdog: z.unknown(),
    })
    .parse(parse(read("deploy/patroni.yml")));
  const { dcs } = patroni.bootstrap;
  const backRest = read("deploy/pgbackrest.conf");

  test("make a commit wait for a standby, and only a watched server become primary", () => {
    expect(dcs).toMatchObject({
      synchronous_mode: true,
      synchronous_mode_strict: false, // three machines set it to true: docs/standby.md
      postgresql: { use_pg_rewind: true, use_slots: true },
    });
    expect(dcs.postgresql.parameters).toHaveProperty("max_slot_wal_keep_size");
    expect(patroni.watchdog).toMatchObject({ mode: "required" });
    // A process leaves a former primary alone until Patroni must have shut it down.
    const [, ms = ""] = /leftAloneForMs = (\S+);/.exec(read("src/kit/db/find-primary.ts")) ?? [];
    expect(Number(ms.replace("_", ""))).toBeGreaterThan(1000 * dcs.ttl);
  });

  test("name the same database, and archive into the repository that it is restored from", () => {
    const [, stanza] = /^\[(referral.*)\]$/m.exec(backRest) ?? [];
    expect(dcs.postgresql.parameters).toMatchObject({
      archive_mode: "on",
      archive_command: `pgbackrest --stanza=${stanza} archive-push %p`,
    });
    expect(/^pg1-path=(.*)$/m.exec(backRest)?.[1]).toBe(patroni.postgresql.data_dir);
  });

  test("hold no password, and let nobody in over the network without TLS", () => {
    expect(read("deploy/patroni.yml")).not.toMatch(/^\s*password:/m);
    expect(backRest).not.toMatch(/^repo1-cipher-pass=/m);
    expect(patroni.postgresql.pg_hba.filter((line) => !/^(local|hostssl) /.test(line))).toEqual([]);
  });
});

describe("the proxies", () => {
  /** Addresses that the server treats as the same. */
  const spellings = ["", "/"].flatMap((end) =>
    ["metrics", "healthz", "readyz"].map((name) => `/${name}${end}`),
  );

  test("nginx hides the probes from the public, also with a slash at the end", () => {
    const [, pattern = ""] =
      /location ~ (\S+) \{\s+return 404;/.exec(read("deploy/nginx.conf")) ?? [];
    // nginx decodes percent signs and merges slashes before it compares.
    const ours = new RegExp(pattern);
    expect(spellings.filter((path) => !ours.test(path))).toEqual([]);
    for (const other of ["/", "/healthzz", "/admin/metrics", "/readyz/x"])
      expect([other, ours.test(other)]).toEqual([other, false]);
  });

  test("Caddy hides them too", () => {
    const file = read("deploy/Caddyfile");
    const [, patterns = ""] = /@ours path (.*)\n\s+respond @ours 404/.exec(file) ?? [];
    expect(patterns.split(" ").toSorted()).toEqual(spellings.toSorted());
  });

  test("let a process stop: nginx retries what it hands back, Caddy asks for readiness in time", () => {
    const nginx = read("deploy/nginx.conf");
    expect(nginx).toContain(`proxy_set_header X-When-Stopping ${serverIsStopping.status};`);
    expect(nginx).toMatch(/zone referral_network \S+;/);
    const servers = nginx.match(/^\tserver .*;$/gm) ?? [];
    expect(servers.filter((line) => !line.endsWith(" max_fails=1 fail_timeout=1s;"))).toEqual([]);
    const kept = Number(/keepalive_timeout (\d+)s;/.exec(nginx)?.[1]);
    expect(kept * 1000).toBeLessThan(stopping.drainMs);
    const caddy = read("deploy/Caddyfile");
    expect(caddy).toContain("header_up -X-When-Stopping");
    expect(1000 * caddyNoticesAfter()).toBeLessThan(stopping.drainMs);
  });
});

test("files of secrets are kept out of the repository and out of the image", () => {
  const [git, docker] = [".gitignore", ".dockerignore"].map((name) => read(name).split("\n"));
  expect(git).toEqual(expect.arrayContaining([".env", ".env.*", "!.env.example"]));
  expect(docker?.findLast((line) => line !== "")).toBe("**/.env*"); // after all the exceptions
});

describe("the documents name only what exists:", () => {
  const operations = ["operations", "standby", "backups"]
    .map((page) => read(`docs/${page}.md`))
    .join("\n");

  test("TRUST_PROXY means the same number to the server", () => {
    const [, meaning = "", fallback = ""] =
      /^\| `TRUST_PROXY` \| (.*) \| (.*) \|$/m.exec(operations) ?? [];
    expect(meaning).toMatch(/^How many reverse proxies .* 0 to 9/);
    expect(fallback).toBe(String(readConfig({}).trustedProxies));
    expect(() => readConfig({ TRUST_PROXY: "10", PUBLIC_URL: "https://a.example" })).toThrow(
      "0 to 9",
    );
  });

  test("the documents agree on how soon a dead worker's jobs are retried", () => {
    const pages = ["docs/operations.md", "docs/processes.md", "docs/decisions/038-one-queue.md"];
    for (const page of pages)
      expect(read(page).replaceAll(/\s+/g, " ")).toMatch(
        /begun again within 30 seconds|begins again within 30 s\b/,
      );
  });

  test("every variable is explained", () => {
    const pages = ["docs/operations.md", "docs/processes.md"].filter(fileExists).map(read).join("");
    expect(variables.filter((name) => !pages.includes(`\`${name}\``))).toEqual([]);
  });

  test("every command and file", () => {
    const scripts = [...operations.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(
      ([, name = ""]) => name,
    );
    expect(scripts.filter((name) => !(name in described.scripts))).toEqual([]);
    const files = [
      ...operations.matchAll(/(?<![\w/.-])((?:deploy|docs|migrations|src|tests)\/[\w./@-]*\w)/g),
    ];
    expect(files.length).toBeGreaterThan(8);
    expect(files.map(([, path = ""]) => path).filter((path) => !fileExists(path))).toEqual([]);
    const shown = spawnSync(process.execPath, [join(projectFolder, "src/main/cli.ts"), "--help"], {
      encoding: "utf8",
    });
    const commands = [...operations.matchAll(/npm run (?:--silent )?cli -- ([\w-]+)/g)].map(
      ([, name = ""]) => name,
    );
    expect(commands.filter((name) => !shown.stdout.includes(name))).toEqual([]);
  });

  test("every metric that an alert watches, and what to do about every alert", () => {
    const rules = z
      .object({
        groups: z.array(
          z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) }),
        ),
      })
      .parse(parse(read("deploy/alerts.yml")))
      .groups.flatMap((group) => group.rules);
    const sources = readdirSync(join(projectFolder, "src"), { recursive: true, encoding: "utf8" })
      .filter((path) => /(figures|metrics|job-watch)\.ts$/.test(path))
      .map((path) => read(join("src", path)))
      .join("");
    const words = rules.flatMap(
      ({ expr }) =>
        expr.replaceAll(/\{[^}]*\}|by \(\w+\)|\w+(?=\()/g, "").match(/[a-z]\w*_\w+/g) ?? [],
    );
    const figures = words.map((word) => word.replace(/(_seconds)_(count|bucket)$/, "$1"));
    expect(figures.length).toBeGreaterThan(15);
    expect(rules.length).toBeLessThanOrEqual(15);
    expect(figures.filter((figure) => !sources.includes(figure))).toEqual([]);
    // For a metric that can fall, such as a count of rows, increase() would alarm at a deletion.
    const increasing = rules.flatMap(({ expr }) => [
      ...expr.matchAll(/\b(?:increase|rate)\(\s*(\w+)/g),
    ]);
    expect(increasing.length).toBeGreaterThan(1);
    expect(increasing.filter(([, figure = ""]) => !/_(total|count|bucket)$/.test(figure))).toEqual(
      [],
    );
    expect(rules.filter(({ alert }) => !operations.includes(`\`${alert}\``))).toEqual([]);
  });

  test("a 503 of a process that is not ready does not count as a failed request: other alerts cover it", () => {
    const [, rule = ""] =
      /alert: RequestsFail\n([^]*?)- alert/.exec(read("deploy/alerts.yml")) ?? [];
    expect(rule.match(/http_request_duration_seconds_count\{.*?\}/g)).toEqual([
      'http_request_duration_seconds_count{status=~"5..",route!="/readyz"}',
      'http_request_duration_seconds_count{route!="/readyz"}',
    ]);
  });
});

test("security headers come once, from the server: neither proxy adds or removes one", () => {
  for (const file of ["deploy/Caddyfile", "deploy/nginx.conf"])
    expect(read(file)).not.toMatch(
      /add_header|hide_header|strict-transport|\bheader\s|header_down/i,
    );
});

test("nginx accepts the files that administrators import, and allows the time to store them", () => {
  const [, pattern = "", bound = ""] =
    /location ~ (\S+import) \{\s+client_max_body_size (\d+)m;\s+proxy_read_timeout 180s;/.exec(
      read("deploy/nginx.conf"),
    ) ?? [];
  const isLetThrough = new RegExp(pattern);
  for (const { path } of [attorneyImports, matterImports].flatMap(Object.values<Endpoint>))
    expect([path, isLetThrough.test(path)]).toEqual([path, true]);
  expect(Number(bound) * 1024 * 1024).toBeGreaterThan(maxFileBytes);
});
