import type { Duplex } from "node:stream";
import type { ClientBase, Connection, Submittable } from "pg";

/** Receives a piece of the output and its number of lines. Reading waits for the promise. */
type OnPiece = (piece: Buffer, lines: number) => Promise<void>;

const pieceBytes = 512 * 1024;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const semicolon = 0x3b;

/**
 * Run `copy (…) to stdout (format csv)` and pass its lines on in pieces of about half a megabyte. Each line ends
 * with CRLF as in RFC 4180; PostgreSQL writes only a line feed. Cells with a semicolon are quoted as in `csvLine`;
 * PostgreSQL only quotes commas. A piece's memory is reused once the promise is settled. Nothing is read until
 * then, so that a slow writer slows the database and memory does not grow. Throws what the database or `onPiece`
 * throws; after the latter the connection cannot be used any more.
 */
export async function copyOut(
  client: ClientBase,
  statement: string,
  onPiece: OnPiece,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    client.query(new CopyOut(statement, onPiece, { resolve, reject }));
  });
}

interface Outcome {
  resolve: () => void;
  reject: (problem: unknown) => void;
}

/** A pg Submittable: pg calls it for each message of the database, which is one line. */
class CopyOut implements Submittable {
  readonly #statement: string;
  readonly #onPiece: OnPiece;
  readonly #outcome: Outcome;
  #connection: Connection | null = null;
  #piece = Buffer.allocUnsafe(pieceBytes * 2);
  #spare = Buffer.allocUnsafe(pieceBytes * 2);
  #length = 0;
  #lines = 0;
  #handled: Promise<void> | null = null;
  #hasFailed = false;

  constructor(statement: string, onPiece: OnPiece, outcome: Outcome) {
    this.#statement = statement;
    this.#onPiece = onPiece;
    this.#outcome = outcome;
  }

  submit(connection: Connection): void {
    this.#connection = connection;
    connection.query(this.#statement);
  }

  handleCopyData({ chunk: line }: { chunk: Buffer }): void {
    const chunk = line.includes(semicolon) ? quoteSemicolons(line) : line;
    this.#makeRoom(chunk.length + 1);
    chunk.copy(this.#piece, this.#length);
    this.#length += chunk.length;
    this.#endByCrlf();
    this.#lines += 1;
    if (this.#length >= pieceBytes && !this.#handled) this.#passOn();
  }

  handleCommandComplete(): void {
    // readyForQuery follows
  }

  handleReadyForQuery(): void {
    if (this.#hasFailed) return;
    if (this.#handled) void this.#handled.then(() => this.handleReadyForQuery());
    else if (this.#length > 0) {
      this.#passOn();
      this.handleReadyForQuery();
    } else this.#outcome.resolve();
  }

  handleError(problem: unknown): void {
    void (this.#handled ?? Promise.resolve()).then(() => this.#outcome.reject(problem));
  }

  #endByCrlf(): void {
    this.#piece[this.#length - 1] = carriageReturn;
    this.#piece[this.#length] = lineFeed;
    this.#length += 1;
  }

  /** A piece only grows by data already received when reading paused: 64 kB, or one long line. */
  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#piece.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + bytes));
    this.#piece.copy(larger, 0, 0, this.#length);
    this.#piece = larger;
  }

  #passOn(): void {
    const piece = this.#piece.subarray(0, this.#length);
    const lines = this.#lines;
    [this.#piece, this.#spare] = [this.#spare, this.#piece];
    this.#length = 0;
    this.#lines = 0;
    const stream = this.#connection?.stream;
    stream?.pause();
    this.#handled = this.#awaitHandling(this.#onPiece(piece, lines), stream);
  }

  async #awaitHandling(handling: Promise<void>, stream: Duplex | undefined): Promise<void> {
    try {
      await handling;
      this.#handled = null;
      stream?.resume();
    } catch (problem) {
      this.#hasFailed = true;
      this.#outcome.reject(problem);
      stream?.destroy();
    }
  }
}

/** Quote a CSV line's cells that contain a semicolon. Latin-1 has a letter for each byte. */
function quoteSemicolons(line: Buffer): Buffer {
  const quoted = line
    .toString("latin1")
    .replace(/"(?:[^"]|"")*"|[^,\r\n]+/g, (cell) =>
      cell.startsWith('"') || !cell.includes(";") ? cell : `"${cell}"`,
    );
  return Buffer.from(quoted, "latin1");
}
