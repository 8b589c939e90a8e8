import { Refusal } from "#kit/contract/refusal.ts";
import type { RawJson } from "#kit/db/json-query.ts";
import { Threads } from "#kit/ops/threads.ts";
import type { Statement } from "#dues/ledger/statements/contract.ts";
import type { DrawnStatement, ToDraw } from "#dues/ledger/statements/pdf-thread.ts";

/** Statements that a process draws at the same time. Each keeps a processor busy. */
export const maxDrawnAtOnce = 2;

export interface StatementToDraw {
  statement: RawJson<Statement>;
  /** A picture made by `printedLogo`. */
  logo: Uint8Array | null;
}

/**
 * Draws statements as PDFs in threads, at most two at a time in this process and one per network. There is no
 * queue: under load, callers would wait only to be refused. docs/decisions/085.
 */
export class StatementDrawing {
  readonly #networks = new Set<number>();
  readonly #threads = new Threads({
    file: new URL("./pdf-thread.ts", import.meta.url),
    heapMegabytes: 64,
    idleMs: 30_000,
  });

  /**
   * Draw the statement that `read` returns. Throws 503, before reading anything, if too many are being drawn.
   * Aborting `signal` stops the drawing.
   */
  async draw(
    networkId: number,
    signal: AbortSignal,
    read: () => Promise<StatementToDraw>,
  ): Promise<DrawnStatement> {
    if (this.#networks.has(networkId)) throw busy("Another PDF for your network is");
    if (this.#networks.size >= maxDrawnAtOnce) throw busy("Other PDFs are");
    this.#networks.add(networkId);
    try {
      return await this.#threads.run<DrawnStatement>(messagesOf(await read()), signal);
    } finally {
      this.#networks.delete(networkId);
    }
  }

  close(): void {
    this.#threads.close();
  }
}

function* messagesOf({ statement, logo }: StatementToDraw): Generator<ToDraw> {
  for (const piece of statement.pieces) yield { piece };
  yield { logo };
}

const busy = (subject: string) =>
  new Refusal(503, `${subject} being prepared. Try again in a few seconds.`, {
    retryAfterSeconds: 3,
  });
