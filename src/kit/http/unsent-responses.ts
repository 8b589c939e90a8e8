import type { FastifyReply, FastifyRequest } from "fastify";

/** For all responses together, since they share the process's memory. */
const maxBytes = 64 * 1024 * 1024;
/** A sender above this share loses its own response first, not someone else's. */
const maxBytesPerSender = maxBytes / 4;
/** The approximate memory of a response in addition to its text. */
const overheadBytes = 4 * 1024;

interface Unsent {
  key: string;
  bytes: number;
  abort: () => void;
}

/**
 * Responses that wait because the client does not read, or asked for others first (HTTP pipelining). If they use
 * too much memory, the connection whose response has waited longest is destroyed, first of the same sender if it
 * has a large share.
 */
export class UnsentResponses {
  aborted = 0;
  #bytes = 0;
  /** Oldest first: a Set iterates in insertion order. */
  readonly #all = new Set<Unsent>();
  readonly #bySender = new Map<string, { answers: Set<Unsent>; bytes: number }>();

  track(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: { key: string; bytes: number },
  ): void {
    const { socket } = request.raw;
    const unsent = {
      key: answer.key,
      bytes: answer.bytes + overheadBytes,
      abort: () => socket.destroy(),
    };
    this.#add(unsent);
    const remove = () => this.#remove(unsent);
    reply.raw.once("finish", remove);
    reply.raw.once("close", remove);
    while (this.#bytes > maxBytes) {
      const own = this.#bySender.get(unsent.key);
      const [oldest] = own && own.bytes > maxBytesPerSender ? own.answers : this.#all;
      if (!oldest) return;
      this.aborted += 1;
      this.#remove(oldest);
      oldest.abort();
    }
  }

  #add(unsent: Unsent): void {
    const own = this.#bySender.get(unsent.key) ?? { answers: new Set(), bytes: 0 };
    this.#bySender.set(unsent.key, own);
    own.answers.add(unsent);
    own.bytes += unsent.bytes;
    this.#all.add(unsent);
    this.#bytes += unsent.bytes;
  }

  #remove(unsent: Unsent): void {
    if (!this.#all.delete(unsent)) return;
    this.#bytes -= unsent.bytes;
    const own = this.#bySender.get(unsent.key);
    own?.answers.delete(unsent);
    if (own) own.bytes -= unsent.bytes;
    if (own?.answers.size === 0) this.#bySender.delete(unsent.key);
  }
}
