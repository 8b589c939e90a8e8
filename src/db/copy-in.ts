import { once } from "node:events";
import type { ClientBase, Connection, Submittable } from "pg";

/** Sends a piece; resolves when there is room for the next, so that a slow database slows its source. */
export type Write = (piece: Buffer) => Promise<void>;

/**
 * Run `copy … from stdin` with what `writeAll` writes, in PostgreSQL's own text format. Answers how many
 * rows were copied. Throws what the database or `writeAll` throws; either way no row is copied.
 */
export async function copyIn(
  client: ClientBase,
  statement: string,
  writeAll: (write: Write) => Promise<void>,
): Promise<number> {
  return await new Promise<number>((resolve, reject) => {
    client.query(new CopyIn(statement, writeAll, { resolve, reject }));
  });
}

interface Outcome {
  resolve: (rows: number) => void;
  reject: (problem: unknown) => void;
}

/** Methods of pg's connection that its types do not name. */
interface CopyingConnection extends Connection {
  sendCopyFromChunk(piece: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** A pg Submittable: pg calls it when the database is ready for the rows, and with the result. */
class CopyIn implements Submittable {
  readonly #statement: string;
  readonly #writeAll: (write: Write) => Promise<void>;
  readonly #outcome: Outcome;
  readonly #failed = new AbortController();
  #rows = 0;

  constructor(statement: string, writeAll: (write: Write) => Promise<void>, outcome: Outcome) {
    this.#statement = statement;
    this.#writeAll = writeAll;
    this.#outcome = outcome;
  }

  submit(connection: Connection): void {
    connection.query(this.#statement);
  }

  handleCopyInResponse(connection: CopyingConnection): void {
    void this.#send(connection);
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

  async #send(connection: CopyingConnection): Promise<void> {
    try {
      await this.#writeAll(async (piece) => await this.#write(connection, piece));
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
