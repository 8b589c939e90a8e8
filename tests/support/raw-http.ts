import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { RunningApp } from "#tests/support/running-app.ts";
import type { Visitor } from "#tests/support/visitor.ts";

/** Let a server listen on a port of its own, once. Returns the port. */
export async function portOf({ server }: RunningApp): Promise<number> {
  if (!server.server.listening) await server.listen({ port: 0, host: "127.0.0.1" });
  return (server.server.address() as AddressInfo).port; // it listens on TCP, so this is not a path
}

/** A connection that writes anything, and records all it receives. */
export class RawConnection {
  readonly socket: Socket;
  text = "";
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (piece: string) => (this.text += piece));
    socket.on("error", () => undefined); // the server cut it off on purpose
    this.closed = once(socket, "close").then(() => undefined);
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new RawConnection(socket);
  }

  /** True while the other side can be written to. */
  write(text: string): boolean {
    if (this.socket.destroyed || !this.socket.writable) return false;
    this.socket.write(text);
    return true;
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.text)?.[1] ?? 0);
  }
}

/** The headers that identify a visitor. */
export function headersOf(visitor: Visitor): string {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return `Host: localhost\r\nCookie: ${cookie}\r\nX-CSRF-Token: ${visitor.csrf}\r\n`;
}
