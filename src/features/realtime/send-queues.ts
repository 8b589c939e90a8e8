const maxTogether = 64 * 1024 * 1024;

/**
 * What waits to be sent to all sockets of the process together: each one's own bound does not bound
 * the sum of thousands. While it is too much, whoever has more than an equal share waiting is cut off.
 */
export class SendQueues {
  readonly #max: number;
  #sockets = 0;
  #bytes = 0;

  constructor(maxBytes = maxTogether) {
    this.#max = maxBytes;
  }

  /** Follow one more socket's queue. `leave` once it has closed. */
  join(): { waits(bytes: number): void; leave(): void } {
    let counted = 0;
    let isOpen = true;
    const waits = (bytes: number) => {
      if (!isOpen) return;
      this.#bytes += bytes - counted;
      counted = bytes;
    };
    this.#sockets += 1;
    return {
      waits,
      leave: () => {
        if (!isOpen) return;
        waits(0);
        isOpen = false;
        this.#sockets -= 1;
      },
    };
  }

  /** Whether a socket with so many bytes waiting is one of those that make it too much. */
  isTooMuch(bytes: number): boolean {
    return this.#bytes > this.#max && bytes > this.#max / this.#sockets;
  }
}
