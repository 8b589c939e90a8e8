import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Envelope } from "#kit/contract/envelope.ts";
import { CableSocket, cookiesOf } from "#tests/support/cable.ts";
import type { Visitor } from "#tests/support/visitor.ts";

const agent = new Agent({ keepAlive: true });

/** A person's calls over the network, as from a browser: every bad answer is noted. */
export class Caller {
  readonly port: number;
  readonly visitor: Visitor;
  readonly failures: string[] = [];
  answers = 0;

  constructor(port: number, visitor: Visitor) {
    this.port = port;
    this.visitor = visitor;
  }

  /** Resolves with the envelope's object; null after a failure. */
  async call(method: "GET" | "POST", path: string, body?: object): Promise<unknown> {
    const { status, text } = await this.#send(method, path, body);
    this.answers += 1;
    if (status === 200) return Envelope.partial().parse(JSON.parse(text)).object;
    this.failures.push(`${method} ${path}: ${status} ${text}`);
    return null;
  }

  #send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    const headers = {
      cookie: cookiesOf(this.visitor),
      "x-csrf-token": this.visitor.csrf,
      ...(body && { "content-type": "application/json" }),
    };
    return new Promise((resolve) => {
      const fail = ({ message }: Error) => resolve({ status: 0, text: message });
      request({ port: this.port, agent, method, path, headers })
        .on("response", (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
          answer.on("error", fail);
        })
        .on("error", fail)
        .end(body && JSON.stringify(body));
    });
  }
}

/**
 * An administrator's open page: it loads all it shows when it connects, refetches what a hint names, and
 * reconnects when its socket closes.
 */
export class OpenPage {
  /** Balances by attorney, as the page shows them. */
  readonly shown = new Map<number, string>();
  connections = 0;
  readonly #caller: Caller;
  readonly #identifier: string;
  readonly #closed = new AbortController();
  readonly #living: Promise<void>;
  #socket: CableSocket | null = null;

  constructor(caller: Caller, identifier: string) {
    this.#caller = caller;
    this.#identifier = identifier;
    this.#living = this.#live();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#socket?.socket.terminate();
    await this.#living;
  }

  async #live(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      await this.#listen().catch(() => undefined); // its socket has closed
      await pause(20);
    }
  }

  async #listen(): Promise<void> {
    const { port, visitor } = this.#caller;
    const socket = new CableSocket(`ws://127.0.0.1:${port}/cable`, {
      origin: `http://127.0.0.1:${port}`,
      cookie: cookiesOf(visitor),
    });
    this.#socket = socket;
    await socket.frame((frame) => frame.type === "welcome");
    if (!(await socket.subscribe(this.#identifier))) throw new Error("rejected");
    this.connections += 1;
    let heard = socket.frames.length;
    await this.#show(null);
    for (;;) {
      await socket.frame(({ message }) => typeof message === "object", heard);
      const frames = socket.frames.slice(heard);
      heard += frames.length;
      for (const { message } of frames)
        if (typeof message === "object" && message && "attorney_id" in message)
          await this.#show(message.attorney_id);
    }
  }

  /** One attorney, or all of them without an id. */
  async #show(attorneyId: unknown): Promise<void> {
    const path = typeof attorneyId === "number" ? `/attorneys/${attorneyId}` : "/attorneys";
    const answer = await this.#caller.call("GET", `${path}?per_page=200`);
    const rows = (
      typeof attorneyId === "number" ? [answer] : (answer as { items: unknown[] } | null)?.items
    ) as ({ id: number; balance: string } | null)[] | undefined;
    for (const row of rows ?? []) if (row) this.shown.set(row.id, row.balance);
  }
}
