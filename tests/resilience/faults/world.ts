import { setTimeout as after } from "node:timers/promises";
import type { QueryResultRow } from "pg";
import type { Sandboxes } from "#sandboxes/start.ts";
import { type Answer, call, type Session } from "#tests/resilience/faults/caller.ts";
import type { Chance } from "#tests/resilience/faults/chance.ts";
import { type Running, start } from "#tests/resilience/faults/processes.ts";
import type { Scene } from "#tests/resilience/faults/scene.ts";

/** A round's product, on a database of its own, and the work done with it. */
export interface World {
  scene: Scene;
  /** Address of the product's web process. */
  address: string;
  /** The environment of its processes. */
  env: Record<string, string>;
  dataDir: string;
  sandboxes: Sandboxes;
  ask: <Row extends QueryResultRow>(query: string, values?: unknown[]) => Promise<Row[]>;
  /** Running commands. */
  commands: Set<Running>;
}

/** Work of people or operators while faults happen. */
export interface Deed {
  /** Do it until `isOver`. */
  go(world: World, chance: Chance, isOver: () => boolean): Promise<void>;
  /** What is left to do once everything works again: repeat what nobody acknowledged. */
  again?(world: World): Promise<void>;
  /** What differs from the acknowledgements, once all is calm. */
  offences(world: World): Promise<string[]>;
  /** The number of requested things. */
  size(): number;
  /** Further facts to print. */
  tell?(): string | null;
}

export async function ask(
  world: World,
  session: Session,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
): Promise<Answer> {
  return await call(world.address, session, method, path, body);
}

/** Repeat something with short pauses, longer ones without an answer. */
export async function keepDoing(
  chance: Chance,
  isOver: () => boolean,
  act: (turn: number) => Promise<Answer | null>,
  greatest = 200,
): Promise<void> {
  for (let turn = 0; turn < greatest && !isOver(); turn += 1) {
    const answer = await act(turn);
    await after(answer?.status === null ? 150 : chance.whole(0, 40));
  }
}

/** Start a command of the product. */
export function startCommand(world: World, args: string[], clockFile?: string): Running {
  const command = start({
    name: args[0] ?? "",
    program: "src/main/cli.ts",
    args: [...args, "--json"],
    env: world.env,
    ...(clockFile && { clockFile }),
  });
  world.commands.add(command);
  void command.ended.then(() => world.commands.delete(command));
  return command;
}

/** Run a command to its end. */
export async function run(
  world: World,
  args: string[],
  clockFile?: string,
): Promise<{ code: number | string; said: string }> {
  const command = startCommand(world, args, clockFile);
  return { code: await command.ended, said: command.lastWords() };
}
