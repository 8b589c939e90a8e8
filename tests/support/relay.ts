import { connect, createServer, type Socket } from "node:net";

/** A TCP relay between a client and a server that can be cut, fall silent, or lead nowhere. */
export interface Relay {
  port: number;
  cut(): void;
  silence(): void;
  /** Cut it, and refuse new connections until they are let through again. */
  refuse(): void;
  accept(): void;
  close(): void;
}

export async function aRelayTo(port: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isRefusing = false;
  const server = createServer((near) => {
    if (isRefusing) {
      near.destroy();
      return;
    }
    const far = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("data", (bytes) => void other.write(bytes));
      one.on("error", () => other.destroy());
      one.on("close", () => {
        other.destroy();
        sockets.delete(one);
      });
    }
  });
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The relay does not listen.");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: address.port,
    cut,
    refuse: () => {
      isRefusing = true;
      cut();
    },
    accept: () => void (isRefusing = false),
    silence: () => {
      for (const socket of sockets) socket.removeAllListeners("data").resume();
    },
    close: () => {
      cut();
      server.close();
    },
  };
}
