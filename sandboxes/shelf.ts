import { appendFileSync, existsSync, readFileSync } from "node:fs";

interface Line<T> {
  shelf?: string;
  id?: string;
  value?: T;
  reset?: true;
}

/**
 * Everything the sandboxes remember: in memory, and in an append-only file of JSON lines if they were given one.
 *
 * Lines are written as things happen, before the answer leaves, so that a charge survives a kill.
 */
export class Memory {
  readonly #path: string | undefined;
  /** The last line about each record, by shelf and id. */
  readonly #found = new Map<string, Map<string, string>>();
  readonly #forget: (() => void)[] = [];

  constructor(path?: string) {
    this.#path = path;
    if (path === undefined || !existsSync(path)) return;
    const text = readFileSync(path, "utf8");
    for (const line of text.split("\n")) this.#replay(line);
    if (text !== "" && !text.endsWith("\n")) appendFileSync(path, "\n"); // a line torn by a kill
  }

  /** Open each shelf once. */
  shelf<T>(name: string): Shelf<T> {
    const records = new Map<string, T>();
    for (const [id, text] of this.#found.get(name) ?? []) {
      const { value } = parsed<T>(text) ?? {};
      if (value !== undefined) records.set(id, value);
    }
    this.#forget.push(() => records.clear());
    return new Shelf<T>(records, (id, value) => this.#append({ shelf: name, id, value }));
  }

  forgetEverything(): void {
    for (const forget of this.#forget) forget();
    this.#append({ reset: true });
  }

  #replay(text: string): void {
    const line = parsed(text);
    if (line?.reset) this.#found.clear();
    if (line?.shelf === undefined || line.id === undefined) return;
    const lines = this.#found.get(line.shelf) ?? new Map<string, string>();
    this.#found.set(line.shelf, lines.set(line.id, text));
  }

  #append(line: Line<unknown>): void {
    if (this.#path !== undefined) {
      appendFileSync(this.#path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    }
  }
}

/** Records by id, oldest first. A record is replaced, never changed in place: only then is it written down. */
export class Shelf<T> {
  readonly #map: Map<string, T>;
  readonly #write: (id: string, value: T | undefined) => void;

  constructor(map: Map<string, T>, write: (id: string, value: T | undefined) => void) {
    this.#map = map;
    this.#write = write;
  }

  get size(): number {
    return this.#map.size;
  }

  get(id: string): T | undefined {
    return this.#map.get(id);
  }

  values(): T[] {
    return [...this.#map.values()];
  }

  set(id: string, value: T): T {
    this.#map.set(id, value);
    this.#write(id, value);
    return value;
  }

  delete(id: string): void {
    if (this.#map.delete(id)) this.#write(id, undefined);
  }
}

function parsed<T>(line: string): Line<T> | null {
  if (line === "") return null;
  try {
    return JSON.parse(line);
  } catch {
    return null; // torn by a kill; what it said was never answered
  }
}
