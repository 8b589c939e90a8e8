/** The calls that can be made to fail; README.md lists each call's name at each processor. */
export const callNames = [
  "script",
  "core",
  "session",
  "tokenise",
  "charge",
  "lookup",
  "void",
  "refund",
  "check",
  "webhook",
] as const;

export type CallName = (typeof callNames)[number];

export const faultKinds = [
  "drop-before",
  "500-before",
  "503-before",
  "hang-before",
  "busy",
  "unsure-before",
  "unsure-after",
  "drop-after",
  "500-after",
  "503-after",
  "hang-after",
  "malformed",
  "truncated",
  "html",
  "bom",
  "slow",
  "slow-after",
  "unlisted",
  "webhook-lost",
  "webhook-twice",
  "webhook-late",
  "webhook-forged",
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface FaultOrder {
  call?: CallName | undefined;
  kind: FaultKind;
  /** How often it fires; 1, or without end if `chance` is given. */
  times?: number | undefined;
  /** From 0 to 1: the probability of firing at each call. */
  chance?: number | undefined;
  /** For the slow, late and unlisted kinds; 2,000. */
  delayMs?: number | undefined;
}

export interface Fault {
  kind: FaultKind;
  delayMs: number;
}

/** The active orders at one processor, tried in the order given. */
export class Faults {
  readonly #random: () => number;
  #standing: { order: FaultOrder; left: number }[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  add(order: FaultOrder): void {
    const left = order.times ?? (order.chance === undefined ? 1 : Infinity);
    this.#standing.push({ order, left });
  }

  clear(): void {
    this.#standing = [];
  }

  standing(): FaultOrder[] {
    return this.#standing.map(({ order, left }) =>
      Number.isFinite(left) ? { ...order, times: left } : order,
    );
  }

  /** The fault for this call, if any; removes an order that has fired often enough. */
  next(call: CallName): Fault | null {
    const found = this.#standing.find(({ order }) => appliesTo(order, call) && this.#fires(order));
    if (!found) return null;
    found.left -= 1;
    if (found.left <= 0) this.#standing = this.#standing.filter((each) => each !== found);
    return { kind: found.order.kind, delayMs: found.order.delayMs ?? 2_000 };
  }

  #fires(order: FaultOrder): boolean {
    return order.chance === undefined || this.#random() < order.chance;
  }
}

function appliesTo(order: FaultOrder, call: CallName): boolean {
  if (order.call !== undefined && order.call !== call) return false;
  if (order.kind.startsWith("webhook-") !== (call === "webhook")) return false;
  return order.kind !== "unlisted" || call === "lookup";
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
