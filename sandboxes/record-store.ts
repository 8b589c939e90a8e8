import { appendFileSync, existsSync, readFileSync } from "node:fs";

interface Line<T> {
  collection?: string;
  id?: string;
  value?: T;
  reset?: true;
}

/**
 * All records of the sandboxes: in memory, and in an append-only file of JSON lines if a file was given.
 *
 * Lines are written immediately, before the answer is sent, so a charge survives a kill.
 */
export class RecordStore {
  readonly #path: string | undefined;
  /** The last line of each record, by collection and id. */
  readonly #saved = new Map<string, Map<string, string>>();
  readonly #collections: Map<string, unknown>[] = [];

  constructor(path?: string) {
    this.#path = path;
    if (path === undefined || !existsSync(path)) return;
    const text = readFileSync(path, "utf8");
    for (const line of text.split("\n")) this.#replay(line);
    if (text !== "" && !text.endsWith("\n")) appendFileSync(path, "\n"); // a line cut off by a kill
  }

  /** Open each collection only once. */
  collection<T>(name: string): Collection<T> {
    const records = new Map<string, T>();
    for (const [id, text] of this.#saved.get(name) ?? []) {
      const { value } = parsed<T>(text) ?? {};
      if (value !== undefined) records.set(id, value);
    }
    this.#collections.push(records);
    return new Collection<T>(records, (id, value) => this.#append({ collection: name, id, value }));
  }

  clear(): void {
    for (const records of this.#collections) records.clear();
    this.#append({ reset: true });
  }

  #replay(text: string): void {
    const line = parsed(text);
    if (line?.reset) this.#saved.clear();
    if (line?.collection === undefined || line.id === undefined) return;
    const lines = this.#saved.get(line.collection) ?? new Map<string, string>();
    this.#saved.set(line.collection, lines.set(line.id, text));
  }

  #append(line: Line<unknown>): void {
    if (this.#path !== undefined) {
      appendFileSync(this.#path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    }
  }
}

/**
 * Records by id, oldest first. Replace a record, never change it in place: only replacing writes it to the
 * file.
 */
export class Collection<T> {
  readonly #records: Map<string, T>;
  readonly #write: (id: string, value: T) => void;

  constructor(records: Map<string, T>, write: (id: string, value: T) => void) {
    this.#records = records;
    this.#write = write;
  }

  get size(): number {
    return this.#records.size;
  }

  get(id: string): T | undefined {
    return this.#records.get(id);
  }

  values(): T[] {
    return [...this.#records.values()];
  }

  set(id: string, value: T): T {
    this.#records.set(id, value);
    this.#write(id, value);
    return value;
  }
}

function parsed<T>(text: string): Line<T> | null {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return null; // cut off by a kill; the call was never answered
  }
}
