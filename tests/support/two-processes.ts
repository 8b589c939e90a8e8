import { createServer, request, type Server } from "node:http";
import { vi } from "vitest";

export interface Answered {
  status: number;
  location?: string;
  retryAfter: string | undefined;
  body: string;
}

/**
 * Two processes that a proxy takes for the product's: they do what the path says, and record what they begin.
 */
export class TwoProcesses {
  /** What they began, in order, and "handed back" for what one did not begin. */
  readonly asked: string[] = [];
  /** The process that is about to stop. */
  stopping: Server | null = null;
  first: Server;
  readonly second: Server;
  readonly #reached = new Map<Server, number>();
  readonly #keepsConnections: boolean;

  private constructor(keepsConnections: boolean) {
    this.#keepsConnections = keepsConnections;
    this.first = this.#serve();
    this.second = this.#serve();
  }

  static async start({ keepsConnections = true } = {}): Promise<TwoProcesses> {
    const both = new TwoProcesses(keepsConnections);
    await listen(both.first, 0);
    await listen(both.second, 0);
    return both;
  }

  get ports(): [number, number] {
    return [portOf(this.first), portOf(this.second)];
  }

  close(): void {
    for (const server of [this.first, this.second]) {
      server.close();
      server.closeAllConnections();
    }
  }

  /** While `work` runs, the first one is down. */
  async withoutFirst(work: () => Promise<void>): Promise<void> {
    const port = portOf(this.first);
    this.first.close();
    this.first.closeAllConnections();
    await work();
    this.first = this.#serve();
    await listen(this.first, port);
  }

  /** Resolves once a proxy sends requests to each of them: a failed one is skipped for a while. */
  async areBothReached(proxyPort: number): Promise<void> {
    this.stopping = null;
    for (const server of [this.first, this.second]) {
      const isReached = async () => {
        const before = this.#reached.get(server) ?? 0;
        await ask(proxyPort, "GET", "/good").catch(() => null); // the proxy may not have started yet
        return (this.#reached.get(server) ?? 0) > before;
      };
      await vi.waitUntil(isReached, { timeout: 30_000 });
    }
    this.asked.length = 0;
  }

  #serve(): Server {
    const server = createServer((from, to) => {
      from.resume();
      if (!this.#keepsConnections) to.setHeader("Connection", "close");
      if (from.url === "/readyz") {
        to.end("ready");
        return;
      }
      this.#reached.set(server, (this.#reached.get(server) ?? 0) + 1);
      if (server === this.stopping && from.headers["x-when-stopping"] === "502") {
        this.asked.push("handed back");
        to.writeHead(502, { Connection: "close" }).end("handed back");
        return;
      }
      this.asked.push(`${from.method} ${from.url}`);
      if (from.url === "/dies") from.socket.destroy();
      else if (from.url === "/busy") to.writeHead(503, { "Retry-After": "2" }).end("busy");
      else if (from.url === "/good") to.end("good");
    });
    return server;
  }
}

/** Request as a browser that also sends nginx's header; over a connection of its own. */
export function ask(
  port: number,
  method: string,
  path: string,
  more: Record<string, string> = {},
): Promise<Answered> {
  const headers = { "x-when-stopping": "502", ...more };
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (text: string) => (body += text));
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          retryAfter: answer.headers["retry-after"],
          body,
          ...(answer.headers.location && { location: answer.headers.location }),
        }),
      );
    })
      .on("error", reject)
      .end(method === "GET" ? undefined : "{}");
  });
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resume) => server.listen(port, "127.0.0.1", resume));
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The process does not listen.");
  return address.port;
}
