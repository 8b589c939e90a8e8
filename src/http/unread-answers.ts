import type { FastifyReply, FastifyRequest } from "fastify";

/** Of all answers together: what they may take of the memory that serves everybody. */
const maxBytes = 64 * 1024 * 1024;
/** Beyond it, whoever lets so much of that wait loses an answer of their own, not of others. */
const maxShare = maxBytes / 4;
/** What an answer takes besides its text, about. */
const bytesOfAnswer = 4 * 1024;

interface Unread {
  key: string;
  bytes: number;
  giveUp: () => void;
}

/**
 * Answers that are made and not handed over yet, because the other side does not read, or asked for
 * others before (HTTP pipelining). When they are too much together, connections are given up: the one
 * whose answer has waited longest, of the same sender first if a large share is theirs.
 */
export class UnreadResponses {
  givenUp = 0;
  #bytes = 0;
  /** Oldest first, as sets keep them. */
  readonly #all = new Set<Unread>();
  readonly #ofSender = new Map<string, { answers: Set<Unread>; bytes: number }>();

  follow(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: { key: string; bytes: number },
  ): void {
    const { socket } = request.raw;
    const unread = {
      key: answer.key,
      bytes: answer.bytes + bytesOfAnswer,
      giveUp: () => socket.destroy(),
    };
    this.#count(unread);
    const forget = () => this.#forget(unread);
    reply.raw.once("finish", forget);
    reply.raw.once("close", forget);
    while (this.#bytes > maxBytes) {
      const own = this.#ofSender.get(unread.key);
      const [oldest] = own && own.bytes > maxShare ? own.answers : this.#all;
      if (!oldest) return;
      this.givenUp += 1;
      this.#forget(oldest);
      oldest.giveUp();
    }
  }

  #count(unread: Unread): void {
    const own = this.#ofSender.get(unread.key) ?? { answers: new Set(), bytes: 0 };
    this.#ofSender.set(unread.key, own);
    own.answers.add(unread);
    own.bytes += unread.bytes;
    this.#all.add(unread);
    this.#bytes += unread.bytes;
  }

  #forget(unread: Unread): void {
    if (!this.#all.delete(unread)) return;
    this.#bytes -= unread.bytes;
    const own = this.#ofSender.get(unread.key);
    own?.answers.delete(unread);
    if (own) own.bytes -= unread.bytes;
    if (own?.answers.size === 0) this.#ofSender.delete(unread.key);
  }
}
