import { Refusal } from "#kit/contract/refusal.ts";
import type { RawJson } from "#kit/db/json-query.ts";
import { Threads } from "#kit/ops/threads.ts";
import type { Statement } from "#dues/ledger/statements/contract.ts";
import type { DrawnStatement, ToDraw } from "#dues/ledger/statements/pdf-thread.ts";

/** Statements that a process draws at once: each takes a processor for as long as it is drawn. */
export const maxDrawnAtOnce = 2;

/** A statement as its PDF needs it. */
export interface StatementToDraw {
  statement: RawJson<Statement>;
  /** As `printedLogo` makes it. */
  logo: Uint8Array | null;
}

/**
 * Draws statements as PDFs, in threads and few at once: two in this process, one of a network. There is no queue: a
 * crowd would only wait for what is refused in the end. docs/decisions/085.
 */
export class StatementDrawing {
  readonly #networks = new Set<number>();
  readonly #threads = new Threads({
    file: new URL("./pdf-thread.ts", import.meta.url),
    heapMegabytes: 64,
    idleMs: 30_000,
  });

  /**
   * Draw what `read` finds, unless the places are taken: that is known before anything is read. Once `signal` is
   * aborted, the drawing is given up and its place is free. Throws 503.
   */
  async draw(
    networkId: number,
    signal: AbortSignal,
    read: () => Promise<StatementToDraw>,
  ): Promise<DrawnStatement> {
    if (this.#networks.has(networkId)) throw busy("Another PDF of your network is");
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

const busy = (who: string) =>
  new Refusal(503, `${who} being drawn. Try again in a few seconds.`, { retryAfterSeconds: 3 });
