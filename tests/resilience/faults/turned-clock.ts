import { readFileSync } from "node:fs";

/*
 * Loaded before the product (`node --import`): its clock is ahead by the milliseconds in the file CLOCK_FILE,
 * which may change while it runs; "at" and an instant in milliseconds stops the clock there. Timers and
 * PostgreSQL keep the real time.
 */

const file = process.env["CLOCK_FILE"] ?? "";
const RealDate = Date;
const lookEveryMs = 20;

let read = "0";
let readAt = -Infinity;

function shiftedNow(): number {
  if (performance.now() - readAt > lookEveryMs) {
    readAt = performance.now();
    read = readFileSync(file, "utf8") || read; // empty while it is being written
  }
  return read.startsWith("at ") ? Number(read.slice(3)) : RealDate.now() + Number(read);
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [shiftedNow()] : args, newTarget),
  apply: () => new RealDate(shiftedNow()).toString(),
  get: (target, name, receiver) =>
    name === "now" ? shiftedNow : Reflect.get(target, name, receiver),
});
