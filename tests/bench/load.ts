import { once } from "node:events";
import { connect, type Socket } from "node:net";
import pg from "pg";

/** Result of a load: calls per second, and how long each took, in milliseconds. */
export interface Load {
  rate: number;
  times: number[];
}

const connections = 32;

/** Run `call` on 32 connections, each one call after the other, for some seconds. */
async function load(
  seconds: number,
  callers: ((number: number) => Promise<void>)[],
): Promise<Load> {
  const times: number[] = [];
  let number = 0;
  const begun = performance.now();
  const end = begun + seconds * 1000;
  await Promise.all(
    callers.map(async (call) => {
      for (let now = performance.now(); now < end;) {
        await call(number++);
        const then = performance.now();
        times.push(then - now);
        now = then;
      }
    }),
  );
  return { rate: times.length / ((performance.now() - begun) / 1000), times };
}

/** Statements on 32 database connections. */
export async function databaseLoad(
  connectionString: string,
  seconds: number,
  call: (client: pg.Client, number: number) => Promise<void>,
): Promise<Load> {
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new pg.Client({ connectionString });
      client.on("error", () => undefined); // its statement fails with it
      await client.connect();
      return client;
    }),
  );
  try {
    return await load(
      seconds,
      clients.map((client) => (number) => call(client, number)),
    );
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

/** Calls on 32 HTTP connections that stay open; each must be answered with 200. */
export async function httpLoad(
  port: number,
  seconds: number,
  request: (number: number) => string,
): Promise<Load> {
  const callers = await Promise.all(
    Array.from({ length: connections }, async () => await HttpConnection.to(port)),
  );
  try {
    return await load(
      seconds,
      callers.map((caller) => async (number) => {
        await caller.ask(request(number));
      }),
    );
  } finally {
    for (const caller of callers) caller.close();
  }
}

/** The text of a request, as it is sent. */
export function requestText(
  method: "GET" | "POST",
  path: string,
  headers: Record<string, string>,
  body = "",
): string {
  const all = { host: "bench", ...headers, "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** A minimal HTTP connection: a full client would take as much of the machine as the server does. */
export class HttpConnection {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #length = 0;
  #wanted = 0;
  #head = "";
  #answer: { resolve: (body: string) => void; reject: (problem: Error) => void } | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => this.#receive(chunk));
    socket.on("close", () => this.#answer?.reject(new Error("The server closed a connection.")));
    socket.on("error", (problem) => this.#answer?.reject(problem));
  }

  static async to(port: number): Promise<HttpConnection> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    return new HttpConnection(socket);
  }

  /** Resolves with the body; rejects unless the status is 200. */
  async ask(request: string): Promise<string> {
    return await new Promise((resolve, reject) => {
      if (this.#socket.destroyed) throw new Error("The server has closed a connection.");
      this.#answer = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#answer = null;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#length += chunk.length;
    if (this.#wanted === 0) this.#readHead();
    if (this.#wanted === 0 || this.#length < this.#wanted) return;
    const body = Buffer.concat(this.#received).toString("utf8", this.#head.length, this.#wanted);
    const isGood = this.#head.startsWith("HTTP/1.1 200");
    const problem = new Error(`${this.#head.split("\r\n")[0]}: ${body}`);
    const answer = this.#answer;
    this.#received = [];
    this.#length = 0;
    this.#wanted = 0;
    this.#answer = null;
    if (isGood) answer?.resolve(body);
    else answer?.reject(problem);
  }

  #readHead(): void {
    const all = this.#received.length === 1 ? this.#received[0] : Buffer.concat(this.#received);
    const end = all?.indexOf("\r\n\r\n") ?? -1;
    if (!all || end < 0) return;
    this.#head = all.toString("latin1", 0, end + 4);
    const length = /^content-length: (\d+)/im.exec(this.#head)?.[1];
    if (length === undefined)
      this.#socket.destroy(new Error("The answer is chunked, which this connection cannot read."));
    this.#wanted = this.#head.length + Number(length ?? 0);
  }
}
