import { Desk } from "./desk.ts";
import type { House } from "./house.ts";
import type { Processor } from "./sandbox.ts";

/** A processor that is still to come. */
export function closed(house: House): Processor {
  return { desk: new Desk(house), routes: () => undefined, charges: () => [], settle: () => 0 };
}
