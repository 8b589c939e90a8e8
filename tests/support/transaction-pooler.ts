import { createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Client } from "pg";

/** A pooler of transactions, as pgbouncer is in that mode. */
export interface Pooler {
  /** The address of a database by way of the pooler. */
  connectionString: string;
  close(): Promise<void>;
}

/** What pgbouncer knows by itself; it refuses to be connected to with anything else. */
const knownParameters = new Set(["user", "database", "application_name", "client_encoding"]);

const sslRequest = 80_877_103;
const sessions = 3;

/**
 * Stand in for pgbouncer where there is none: each transaction, or statement outside of one, is run
 * by whichever of three sessions has been idle for longest, so that nothing which needs its session
 * can work by chance. It lets everybody in.
 */
export async function aTransactionPooler(connectionString: string): Promise<Pooler> {
  const idle: Session[] = [];
  const waiting: ((session: Session) => void)[] = [];
  const clients = new Set<Socket>();
  const clientsOfServer: Client[] = [];

  const give = (session: Session) => {
    const next = waiting.shift();
    if (next) next(session);
    else idle.push(session);
  };
  const take = (): Promise<Session> => {
    const session = idle.shift();
    return session ? Promise.resolve(session) : new Promise((resolve) => waiting.push(resolve));
  };
  const open = async () => {
    const client = new Client({ connectionString });
    client.on("error", () => undefined); // cut off when the database is dropped
    await client.connect();
    clientsOfServer.push(client);
    give(new Session(streamOf(client)));
  };
  for (let opened = 0; opened < sessions; opened += 1) await open();

  const server = createServer((socket) => {
    clients.add(socket);
    serveClient(socket, take, give, () => void open()).on("close", () => clients.delete(socket));
  });
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The pooler does not listen.");
  const url = new URL(connectionString);
  url.port = String(address.port);
  return {
    connectionString: url.href,
    close: async () => {
      for (const socket of clients) socket.destroy();
      for (const client of clientsOfServer) streamOf(client).destroy();
      await new Promise((resume) => server.close(resume));
    },
  };
}

function streamOf(client: Client): Duplex {
  const { connection } = client as unknown as { connection: { stream: Duplex } }; // pg keeps it there
  return connection.stream;
}

/** Cuts what arrives into messages: a letter, a length, a body. */
function messagesOf(take: (message: Buffer, letter: string) => void): (piece: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  return (piece) => {
    pending = Buffer.concat([pending, piece]);
    for (;;) {
      const length = pending.length < 5 ? 0 : 1 + pending.readInt32BE(1);
      if (length === 0 || pending.length < length) return;
      const message = pending.subarray(0, length);
      pending = pending.subarray(length);
      take(message, message.toString("latin1", 0, 1));
    }
  };
}

/** One session of the database's; `onMessage` is told each message. */
class Session {
  readonly stream: Duplex;
  onMessage: (message: Buffer, letter: string) => void = () => undefined;

  constructor(stream: Duplex) {
    this.stream = stream;
    stream.removeAllListeners("data");
    stream.on(
      "data",
      messagesOf((message, letter) => this.onMessage(message, letter)),
    );
  }
}

function serveClient(
  socket: Socket,
  take: () => Promise<Session>,
  give: (session: Session) => void,
  replace: () => void,
): Socket {
  let isGreeted = false;
  let session: Session | null = null;
  let isTaking = false;
  let isAnswering = false;
  const unsent: { message: Buffer; letter: string }[] = [];

  const forward = messagesOf((message, letter) => {
    if (letter !== "X") unsent.push({ message, letter });
    else socket.end(); // Terminate
    send();
  });
  /** One request after the other: the next one may be for another session. */
  const send = (): void => {
    if (isAnswering || unsent.length === 0) return;
    if (!session) return void takeOne();
    const { stream } = session;
    for (const [index, { message, letter }] of unsent.entries()) {
      stream.write(message);
      isAnswering = letter === "S" || letter === "Q"; // Sync, Query
      if (isAnswering) return void unsent.splice(0, index + 1);
    }
    unsent.length = 0;
  };
  const takeOne = async () => {
    if (isTaking) return;
    isTaking = true;
    const taken = await take();
    isTaking = false;
    if (socket.destroyed) return give(taken);
    session = taken;
    taken.onMessage = (message, letter) => {
      socket.write(message);
      if (letter !== "Z") return; // ReadyForQuery
      isAnswering = false;
      if (message[5] === 0x49) {
        session = null; // no transaction is open
        taken.onMessage = () => undefined;
        give(taken);
      }
      send();
    };
    send();
  };

  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    if (!session) return;
    session.stream.destroy(); // in the middle of a transaction: undone with its session
    replace();
  });
  socket.on("data", (piece: Buffer) => {
    if (isGreeted) forward(piece);
    else isGreeted = greet(socket, piece);
  });
  return socket;
}

/** Answers whether the client is in. */
function greet(socket: Socket, startup: Buffer): boolean {
  if (startup.length < 8) return false; // a farewell after a refusal
  if (startup.readInt32BE(4) === sslRequest) {
    socket.write("N");
    return false;
  }
  const parts = startup.toString("utf8", 8).split("\0");
  const unknown = parts.find(
    (name, index) => index % 2 === 0 && name && !knownParameters.has(name),
  );
  if (unknown) {
    const fields = ["SFATAL", "C08P01", `Munsupported startup parameter: ${unknown}`, "", ""];
    socket.end(messageOf("E", Buffer.from(fields.join("\0"))));
    return false;
  }
  const settings = {
    server_version: "16.0",
    client_encoding: "UTF8",
    standard_conforming_strings: "on",
  };
  socket.write(messageOf("R", Buffer.alloc(4)));
  for (const pair of Object.entries(settings))
    socket.write(messageOf("S", Buffer.from(`${pair.join("\0")}\0`)));
  socket.write(messageOf("K", Buffer.alloc(8)));
  socket.write(messageOf("Z", Buffer.from("I")));
  return true;
}

function messageOf(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
