import { setTimeout as after } from "node:timers/promises";
import { type Running, start } from "#tests/resilience/faults/processes.ts";

export type Role = "web" | "worker";

/** The product's two processes, restarted whenever they are killed. */
export interface Product {
  address: string;
  /** Start the stopped processes, and wait until they are ready. */
  heal(): Promise<void>;
  kill(role: Role, pauseMs: number): Promise<void>;
  /** Stop a process as a supervisor does, and start it again. */
  restart(role: Role): Promise<void>;
  isRunning(role: Role): boolean;
  /** Processes that ended without being told to, or did not end when told to. */
  offences: string[];
  stop(): Promise<void>;
}

const attempts = 5;

export function startProduct(env: Record<string, string>, address: string): Product {
  const offences: string[] = [];
  const running = new Map<Role, Running>();
  const started = new Set<Running>();
  const pending = new Set<Promise<void>>();
  const turns = new Map<Role, Promise<void>>();

  /**
   * A supervisor does one thing at a time: of two starts at the same time, the first would never be stopped.
   */
  function inTurn(role: Role, work: () => Promise<void>): Promise<void> {
    const mine = (turns.get(role) ?? Promise.resolve()).then(work);
    turns.set(
      role,
      mine.catch(() => undefined), // the caller of inTurn reports it
    );
    return mine;
  }

  function begin(role: Role): Running {
    const process = start({
      name: role,
      program: "dist/server/start.js",
      env: { ...env, ROLES: role },
    });
    running.set(role, process);
    started.add(process);
    return process;
  }

  /** A process that finds no database exits and is restarted, as a supervisor does. */
  async function beginUntilReady(role: Role): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const process = begin(role);
      try {
        await process.ready;
        void watch(process);
        return;
      } catch (problem) {
        if (attempt === attempts) throw problem;
        await after(300);
      }
    }
  }

  const told = new WeakSet<Running>();
  async function watch(process: Running): Promise<void> {
    const code = await process.ended;
    if (!told.has(process))
      offences.push(`${process.name} exited on its own with ${code}: ${process.lastWords()}`);
  }

  async function end(process: Running | undefined): Promise<void> {
    if (!process?.isRunning()) return;
    told.add(process);
    const isUp = await Promise.race([process.ready.then(() => true), after(0).then(() => false)]);
    const code = await process.stop();
    // Before it is up, the signal ends it as it ends any program.
    if (code !== 0 && isUp)
      offences.push(`${process.name} ended with ${code} when told to stop: ${process.lastWords()}`);
  }

  return {
    address,
    offences,
    isRunning: (role) => running.get(role)?.isRunning() ?? false,
    heal: async () => {
      await Promise.all(pending);
      const missing = (["web", "worker"] as const).filter(
        (role) => !running.get(role)?.isRunning(),
      );
      await Promise.all(missing.map((role) => beginUntilReady(role)));
      await isReady(address);
    },
    kill: async (role, pauseMs) => {
      const process = running.get(role);
      if (!process?.isRunning() || told.has(process)) return;
      told.add(process);
      await process.kill();
      const again = after(pauseMs).then(() =>
        inTurn(role, async () => {
          if (!running.get(role)?.isRunning()) await beginUntilReady(role);
        }),
      );
      again.catch(() => undefined); // heal reports it
      pending.add(again);
    },
    restart: async (role) =>
      await inTurn(role, async () => {
        await end(running.get(role));
        await beginUntilReady(role);
      }),
    stop: async () => {
      await Promise.allSettled(pending);
      await Promise.all([...started].map(end));
    },
  };
}

const readyMs = 90_000;

async function isReady(address: string): Promise<void> {
  const limit = performance.now() + readyMs;
  for (;;) {
    const answer = await fetch(`${address}/readyz`).catch(() => null);
    if (answer?.ok) return;
    if (performance.now() > limit)
      throw new Error(`Not ready again: ${answer?.status} ${await answer?.text()}`);
    await after(100);
  }
}
