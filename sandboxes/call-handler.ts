import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply } from "fastify";
import type { SandboxContext } from "./context.ts";
import { type CallName, type Fault, type FaultKind, Faults } from "./faults.ts";

export interface HttpAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

export interface IncomingCall {
  call: CallName;
  reference?: string | null;
  /**
   * Carry it out in one step and answer truthfully. Lookups must not find records younger than
   * `listedUntil` (milliseconds).
   */
  respond: (listedUntil: number) => HttpAnswer;
  /** The processor's own "not now"; nothing was done. */
  busy?: () => HttpAnswer;
  /** The processor's own "cannot say"; `answer` is the true answer, or null if nothing was done. */
  unsure?: (answer: HttpAnswer | null) => HttpAnswer;
  /** The call ended and nothing was done. */
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

const maxRecords = 1_000;

/** Answers every HTTP call to one processor, records it, and makes it fail if ordered. */
export class CallHandler {
  readonly faults: Faults;
  readonly #context: SandboxContext;
  #calls: CallRecord[] = [];

  constructor(context: SandboxContext) {
    this.#context = context;
    this.faults = new Faults(context.random);
  }

  calls(): CallRecord[] {
    return [...this.#calls];
  }

  reset(): void {
    this.#calls = [];
    this.faults.clear();
  }

  async handle(reply: FastifyReply, incoming: IncomingCall): Promise<FastifyReply> {
    const fault = this.faults.next(incoming.call);
    const record: CallRecord = {
      at: this.#context.clock.iso(),
      call: incoming.call,
      reference: incoming.reference ?? null,
      status: null,
      fault: fault?.kind ?? null,
    };
    this.#calls = [...this.#calls.slice(1 - maxRecords), record];
    if (fault?.kind === "slow") await sleep(fault.delayMs, undefined, { ref: false });

    const refused = fault && faultsBefore[fault.kind]?.(incoming);
    if (refused === "hang") hang(reply, incoming.abandoned);
    else if (refused) incoming.abandoned?.();
    if (refused !== "hang") end(reply, record, refused ?? (await this.#respond(fault, incoming)));
    return reply;
  }

  async #respond(fault: Fault | null, incoming: IncomingCall): Promise<Ending> {
    const now = this.#context.clock.now();
    const answer = incoming.respond(fault?.kind === "unlisted" ? now - fault.delayMs : Infinity);
    if (fault?.kind === "slow-after") await sleep(fault.delayMs, undefined, { ref: false });
    const change = fault && faultsAfter[fault.kind];
    return change ? change(answer, incoming) : { answer };
  }
}

export function jsonAnswer(body: object, status = 200, headers = {}): HttpAnswer {
  const type = "application/json;charset=UTF-8";
  return { status, headers: { "content-type": type, ...headers }, body: JSON.stringify(body) };
}

type Ending = "drop" | "hang" | { answer: HttpAnswer; isCut?: boolean };

const faultsBefore: Partial<Record<FaultKind, (incoming: IncomingCall) => Ending>> = {
  "drop-before": () => "drop",
  "hang-before": () => "hang",
  "500-before": () => ({ answer: serverError }),
  "503-before": () => ({ answer: unavailable }),
  busy: ({ busy }) => ({ answer: busy?.() ?? unavailable }),
  "unsure-before": ({ unsure }) => ({ answer: unsure?.(null) ?? serverError }),
};

const faultsAfter: Partial<
  Record<FaultKind, (answer: HttpAnswer, incoming: IncomingCall) => Ending>
> = {
  "drop-after": () => "drop",
  "hang-after": () => "hang",
  "500-after": () => ({ answer: serverError }),
  "503-after": () => ({ answer: unavailable }),
  "unsure-after": (answer, { unsure }) => ({ answer: unsure?.(answer) ?? serverError }),
  malformed: (answer) => ({
    answer: { ...answer, status: 200, body: "%% this is no answer %% <{[" },
  }),
  truncated: (answer) => ({ answer, isCut: true }),
  html: () => ({ answer: proxyPage }),
  bom: (answer) => ({ answer: { ...answer, body: `\uFEFF${answer.body.replace(/^\uFEFF/, "")}` } }),
};

const proxyPage: HttpAnswer = {
  status: 502,
  headers: { "content-type": "text/html" },
  body: "<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>",
};

const serverError: HttpAnswer = { status: 500, body: "Internal Server Error" };
const unavailable: HttpAnswer = { status: 503, body: "Service Unavailable" };
const plainText = { "content-type": "text/plain; charset=utf-8" };

function end(reply: FastifyReply, record: CallRecord, ending: Ending): void {
  if (ending === "hang") return hang(reply);
  if (ending === "drop") {
    reply.hijack();
    reply.raw.socket?.destroy();
    return;
  }
  const { status, headers, body } = ending.answer;
  record.status = status;
  if (ending.isCut) cutInTheMiddle(reply, ending.answer);
  else
    void reply
      .code(status)
      .headers({ ...plainText, ...headers })
      .send(body);
}

/** The connection stays open until the caller closes it or the sandboxes stop. */
function hang(reply: FastifyReply, ended: () => void = () => undefined): void {
  reply.hijack();
  reply.raw.socket?.once("close", ended);
}

/** The headers announce the whole body, but only half of it is sent. */
function cutInTheMiddle(reply: FastifyReply, { status, headers, body: text }: HttpAnswer): void {
  reply.hijack();
  const body = Buffer.from(text);
  const { raw } = reply;
  const length = { "content-length": String(body.length) };
  const set = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]);
  raw.writeHead(status, { ...Object.fromEntries(set), ...plainText, ...headers, ...length });
  raw.write(body.subarray(0, Math.floor(body.length / 2)), () => raw.socket?.destroy());
}
