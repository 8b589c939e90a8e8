/** The limit of cached frames. */
const maxSharedBytes = 8 * 1024 * 1024;

/**
 * A cache of frames for sockets with the same messages. They bypass ws, which would make and buffer them again for
 * each socket; one user's hundred sockets could exhaust the memory of a small process. Measured: docs/decisions/043.
 */
export class SharedFrames {
  readonly #frames = new Map<string, Buffer>();
  #bytes = 0;

  /** The concatenated frames of some texts, cached by the key. */
  framesOf(key: string, textsOf: () => string[]): Buffer {
    const known = this.#frames.get(key);
    if (known) return known;
    const made = Buffer.concat(textsOf().map(textFrame));
    if (this.#bytes > maxSharedBytes) {
      this.#frames.clear();
      this.#bytes = 0;
    }
    this.#frames.set(key, made);
    this.#bytes += made.length;
    return made;
  }
}

/** A server's WebSocket frame: whole, unmasked, uncompressed (RFC 6455, 5.2). */
function textFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const extended = body.length < 126 ? 0 : body.length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + extended);
  head[0] = 0x81;
  head[1] = { 0: body.length, 2: 126, 8: 127 }[extended];
  if (extended === 2) head.writeUInt16BE(body.length, 2);
  if (extended === 8) head.writeBigUInt64BE(BigInt(body.length), 2);
  return Buffer.concat([head, body]);
}
