import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply } from "fastify";
import { type CallName, type Fault, type FaultKind, Faults } from "./faults.ts";
import type { House } from "./house.ts";

export interface WireAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

export interface Acting {
  /** Records younger than this instant (milliseconds) must not be found yet. */
  listedUntil: number;
}

/** One call that has arrived: what it is, and how this processor would answer it. */
export interface Visit {
  call: CallName;
  reference?: string | null;
  /** Do it, all at once, and answer truthfully. */
  act: (acting: Acting) => WireAnswer;
  /** The processor's own "not now"; nothing was done. */
  busy?: () => WireAnswer;
  /** The processor's own "cannot say"; `acted` is the true answer, or null when nothing was done. */
  unsure?: (acted: WireAnswer | null) => WireAnswer;
  /** The call ended without anything having been done. */
  abandoned?: () => void;
}

export interface CallRecord {
  at: string;
  call: CallName;
  reference: string | null;
  /** Null: never answered. */
  status: number | null;
  fault: FaultKind | null;
}

const keptCalls = 1_000;

/** Where every wire call of one processor arrives: it acts, answers, and suffers the faults ordered. */
export class Desk {
  readonly faults: Faults;
  readonly #house: House;
  #calls: CallRecord[] = [];

  constructor(house: House) {
    this.#house = house;
    this.faults = new Faults(house.random);
  }

  calls(): CallRecord[] {
    return [...this.#calls];
  }

  forget(): void {
    this.#calls = [];
    this.faults.clear();
  }

  async receive(reply: FastifyReply, visit: Visit): Promise<void> {
    const fault = this.faults.next(visit.call);
    const record: CallRecord = {
      at: new Date(this.#house.clock.now()).toISOString(),
      call: visit.call,
      reference: visit.reference ?? null,
      status: null,
      fault: fault?.kind ?? null,
    };
    this.#calls = [...this.#calls.slice(1 - keptCalls), record];
    if (this.#house.latencyMs > 0) await sleep(this.#house.latencyMs, undefined, { ref: false });
    if (fault?.kind === "slow") await sleep(fault.delayMs, undefined, { ref: false });

    const way = fault && instead[fault.kind]?.(visit);
    if (way && way !== "hang") visit.abandoned?.();
    if (way === "hang") return hang(reply, visit.abandoned);
    this.#leave(reply, record, way ?? (await this.#actAnd(fault, visit)));
  }

  #leave(reply: FastifyReply, record: CallRecord, way: Way): void {
    if (way === "drop") return drop(reply);
    if (way === "hang") return hang(reply);
    record.status = way.answer.status;
    if (way.isCut) cutInTheMiddle(reply, way.answer);
    else send(reply, way.answer);
  }

  async #actAnd(fault: Fault | null, visit: Visit): Promise<Way> {
    const now = this.#house.clock.now();
    const listedUntil = fault?.kind === "unlisted" ? now - fault.delayMs : Infinity;
    const acted = visit.act({ listedUntil });
    if (fault?.kind === "slow-after") await sleep(fault.delayMs, undefined, { ref: false });
    const spoil = fault && spoiled[fault.kind];
    return spoil ? spoil(acted, visit) : { answer: acted };
  }
}

/** How a call ends: with an answer, whole or cut in the middle, or without one. */
type Way = "drop" | "hang" | { answer: WireAnswer; isCut?: boolean };

/** What happens instead of acting. */
const instead: Partial<Record<FaultKind, (visit: Visit) => Way>> = {
  "drop-before": () => "drop",
  "hang-before": () => "hang",
  "500-before": () => ({ answer: serverError }),
  "503-before": () => ({ answer: unavailable }),
  busy: ({ busy }) => ({ answer: busy?.() ?? unavailable }),
  "unsure-before": ({ unsure }) => ({ answer: unsure?.(null) ?? serverError }),
};

/** What becomes of the true answer on its way. */
const spoiled: Partial<Record<FaultKind, (acted: WireAnswer, visit: Visit) => Way>> = {
  "drop-after": () => "drop",
  "hang-after": () => "hang",
  "500-after": () => ({ answer: serverError }),
  "503-after": () => ({ answer: unavailable }),
  "unsure-after": (acted, { unsure }) => ({ answer: unsure?.(acted) ?? serverError }),
  malformed: (acted) => ({
    answer: { ...acted, status: 200, body: "%% this is no answer %% <{[" },
  }),
  truncated: (acted) => ({ answer: acted, isCut: true }),
  html: () => ({ answer: proxyPage }),
  bom: (acted) => ({ answer: { ...acted, body: `\uFEFF${acted.body.replace(/^\uFEFF/, "")}` } }),
};

const proxyPage: WireAnswer = {
  status: 502,
  headers: { "content-type": "text/html" },
  body: "<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>",
};

const serverError: WireAnswer = { status: 500, body: "Internal Server Error" };
const unavailable: WireAnswer = { status: 503, body: "Service Unavailable" };

function send(reply: FastifyReply, answer: WireAnswer): void {
  void reply
    .code(answer.status)
    .headers({ "content-type": "text/plain; charset=utf-8", ...answer.headers })
    .send(answer.body);
}

function drop(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.socket?.destroy();
}

/** The connection stays open until the caller, or the sandboxes' end, closes it. */
function hang(reply: FastifyReply, ended: () => void = () => undefined): void {
  reply.hijack();
  reply.raw.socket?.once("close", ended);
}

/** The headers promise the whole body; half of it comes. */
function cutInTheMiddle(reply: FastifyReply, answer: WireAnswer): void {
  reply.hijack();
  const body = Buffer.from(answer.body);
  const { raw } = reply;
  raw.writeHead(answer.status, {
    ...headersOf(reply),
    "content-type": "text/plain; charset=utf-8",
    ...answer.headers,
    "content-length": String(body.length),
  });
  raw.write(body.subarray(0, Math.floor(body.length / 2)), () => raw.socket?.destroy());
}

function headersOf(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]),
  );
}
