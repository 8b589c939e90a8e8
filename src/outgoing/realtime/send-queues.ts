const defaultMaxBytes = 64 * 1024 * 1024;

/**
 * The unsent bytes of all sockets of the process. A limit per socket does not limit the sum of thousands. While the
 * sum is too large, sockets with more than an equal share are closed.
 */
export class SendQueues {
  readonly #max: number;
  #sockets = 0;
  #bytes = 0;

  constructor(maxBytes = defaultMaxBytes) {
    this.#max = maxBytes;
  }

  /** Count one more socket's queue. Call `leave` once it has closed. */
  join(): { update(bytes: number): void; leave(): void } {
    let counted = 0;
    let isOpen = true;
    const update = (bytes: number) => {
      if (!isOpen) return;
      this.#bytes += bytes - counted;
      counted = bytes;
    };
    this.#sockets += 1;
    return {
      update,
      leave: () => {
        if (!isOpen) return;
        update(0);
        isOpen = false;
        this.#sockets -= 1;
      },
    };
  }

  /** Whether the total is too large and a socket with `bytes` unsent has more than its share. */
  isTooMuch(bytes: number): boolean {
    return this.#bytes > this.#max && bytes > this.#max / this.#sockets;
  }
}
