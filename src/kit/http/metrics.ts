import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type pg from "pg";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { isLoopback } from "#kit/ops/loopback.ts";
import { Refusal } from "#kit/contract/refusal.ts";

/** The metrics of this process: memory, event loop, database connections. */
export function newMetricsRegistry(pool: pg.Pool): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // These gauges are named like counters, which Prometheus' own check refuses.
  for (const kind of ["handles", "requests", "resources"])
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  measureConnections(registry, pool);
  return registry;
}

/**
 * `/metrics` for Prometheus: this process, and the metrics read from the database. Served to loopback, or with
 * `Authorization: Bearer` and the token of METRICS_TOKEN.
 */
export function serveMetrics(
  app: FastifyInstance,
  settings: {
    registry: Registry;
    metricsToken: string | null;
    /** The metrics read from the database, in Prometheus's text format. */
    databaseMetrics: () => Promise<string>;
  },
): void {
  const { registry } = settings;
  app.get("/metrics", async (request, reply) => {
    if (!mayRead(request, settings.metricsToken))
      throw new Refusal(
        403,
        "Metrics can be read from this machine, or with the token of METRICS_TOKEN.",
      );
    const [processMetrics, databaseMetrics] = await Promise.all([
      registry.metrics(),
      settings.databaseMetrics(),
    ]);
    return reply.type(registry.contentType).send(`${processMetrics}\n${databaseMetrics}`);
  });
}

/** Response times by method, route and status, never by address. */
export function measureResponseTimes(registry: Registry, app: FastifyInstance): void {
  const answers = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time to answer, by method, route and status",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unknown";
    answers.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
  });
}

function measureConnections(registry: Registry, pool: pg.Pool): void {
  const gauge = new Gauge({
    name: "database_connections",
    help: "Connections of this process's pool, by state",
    labelNames: ["state"],
    registers: [registry],
    collect: () => {
      gauge.set({ state: "open" }, pool.totalCount);
      gauge.set({ state: "idle" }, pool.idleCount);
      gauge.set({ state: "waited for" }, pool.waitingCount);
    },
  });
}

/** Where this process read reports. Each label exists from the start. */
export function countReportReads(registry: Registry): (from: "standby" | "primary") => void {
  const reads = new Counter({
    name: "report_reads_total",
    help: "Reports prepared by this process, by where their data was read",
    labelNames: ["from"],
    registers: [registry],
  });
  for (const from of ["standby", "primary"]) reads.inc({ from }, 0);
  return (from) => reads.inc({ from });
}

/** How far this process's clock is from the database's, as of the last check. */
export function measureClock(registry: Registry, aheadSeconds: () => number): void {
  const gauge: Gauge = new Gauge({
    name: "clock_ahead_seconds",
    help: "How far this process's clock is ahead of the database's; negative: behind",
    registers: [registry],
    collect: () => gauge.set(aheadSeconds()),
  });
}

/** The sockets of the realtime channel. */
export function measureCable(registry: Registry, app: FastifyInstance): void {
  const gauge = (name: string, help: string, read: () => number) => {
    const made: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: () => made.set(read()),
    });
  };
  gauge("cable_sockets", "Open sockets", () => app.cable().sockets);
  gauge("cable_subscriptions", "Live subscriptions", () => app.cable().subscriptions);
  gauge("cable_listening", "1 while the connection between processes is up", () =>
    Number(app.cable().isListening),
  );
  /** A counter whose value the realtime channel keeps. */
  const counter = (name: string, help: string, read: () => number) => {
    const made: Counter = new Counter({
      name,
      help,
      registers: [registry],
      collect: () => {
        made.reset();
        made.inc(read());
      },
    });
  };
  counter("cable_gaps_total", "How often that connection was lost", () => app.cable().gaps);
  counter("cable_deliveries_total", "Messages delivered", () => app.cable().deliveries);
  counter("cable_rejected_total", "Subscriptions rejected", () => app.cable().rejected);
  counter(
    "cable_refused_total",
    "Sockets refused because there were too many",
    () => app.cable().refused,
  );
  const drops: Counter = new Counter({
    name: "cable_drops_total",
    help: "Sockets closed by the server, by reason",
    labelNames: ["reason"],
    registers: [registry],
    collect: () => {
      drops.reset();
      for (const [reason, count] of Object.entries(app.cable().drops)) drops.inc({ reason }, count);
    },
  });
}

/** Behind a proxy on this machine every address is loopback, so there only the token counts. */
function mayRead(request: FastifyRequest, token: string | null): boolean {
  const isProxied = request.headers["x-forwarded-for"] !== undefined;
  if (!isProxied && isLoopback(request.socket.remoteAddress ?? "")) return true;
  const given = Buffer.from(request.headers.authorization ?? "");
  const expected = Buffer.from(`Bearer ${token ?? ""}`);
  return token !== null && given.length === expected.length && timingSafeEqual(given, expected);
}
