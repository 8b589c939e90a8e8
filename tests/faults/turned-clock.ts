import { readFileSync } from "node:fs";

/*
 * Loaded before the product (`node --import`): its clock is ahead by as many milliseconds as the file
 * CLOCK_FILE says, which may change while it runs. Timers and PostgreSQL keep the real time.
 */

const file = process.env["CLOCK_FILE"] ?? "";
const RealDate = Date;
const lookEveryMs = 20;

let ahead = 0;
let lookedAt = -Infinity;

function now(): number {
  if (performance.now() - lookedAt > lookEveryMs) {
    lookedAt = performance.now();
    const read = Number.parseInt(readFileSync(file, "utf8"), 10);
    if (!Number.isNaN(read)) ahead = read; // else it is being written
  }
  return RealDate.now() + ahead;
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === "now" ? now : Reflect.get(target, name, receiver)),
});
