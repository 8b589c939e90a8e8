import { once } from "node:events";
import type { ClientBase, Connection, Submittable } from "pg";

/** Sends a piece; resolves when there is room for the next, so that a slow database holds its source up. */
export type Write = (piece: Buffer) => Promise<void>;

/**
 * Run `copy … from stdin` with what `give` writes, in PostgreSQL's own text format. Answers how many
 * rows the database took. Throws what it throws, or `give`; either way nothing of it is kept.
 */
export async function copyIn(
  client: ClientBase,
  statement: string,
  give: (write: Write) => Promise<void>,
): Promise<number> {
  return await new Promise<number>((resolve, reject) => {
    client.query(new CopyIn(statement, give, { resolve, reject }));
  });
}

interface Outcome {
  resolve: (rows: number) => void;
  reject: (problem: unknown) => void;
}

/** Of pg's connection what its types do not name. */
interface CopyingConnection extends Connection {
  sendCopyFromChunk(piece: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** What pg calls a query: it is told when the database listens, and what it says of the rows. */
class CopyIn implements Submittable {
  readonly #statement: string;
  readonly #give: (write: Write) => Promise<void>;
  readonly #outcome: Outcome;
  readonly #failed = new AbortController();
  #rows = 0;

  constructor(statement: string, give: (write: Write) => Promise<void>, outcome: Outcome) {
    this.#statement = statement;
    this.#give = give;
    this.#outcome = outcome;
  }

  submit(connection: Connection): void {
    connection.query(this.#statement);
  }

  handleCopyInResponse(connection: CopyingConnection): void {
    void this.#giveAll(connection);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#rows = Number(text.replace("COPY ", ""));
  }

  handleReadyForQuery(): void {
    this.#outcome.resolve(this.#rows); // after an error it was rejected already
  }

  handleError(problem: unknown): void {
    this.#failed.abort(problem);
    this.#outcome.reject(problem);
  }

  async #giveAll(connection: CopyingConnection): Promise<void> {
    try {
      await this.#give(async (piece) => await this.#write(connection, piece));
      connection.endCopyFrom();
    } catch (problem) {
      this.#outcome.reject(problem);
      connection.sendCopyFail("What was copied could not be read.");
    }
  }

  async #write(connection: CopyingConnection, piece: Buffer): Promise<void> {
    const { signal } = this.#failed;
    signal.throwIfAborted();
    if (!connection.stream.writable) throw new Error("The connection to the database was lost.");
    connection.sendCopyFromChunk(piece);
    if (!connection.stream.writableNeedDrain) return;
    try {
      await once(connection.stream, "drain", { signal });
    } catch (problem) {
      throw signal.aborted ? signal.reason : problem;
    }
  }
}
