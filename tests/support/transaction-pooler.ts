import { createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Client } from "pg";

/** A transaction pooler, like pgbouncer in that mode. */
export interface Pooler {
  /** The address of a database through the pooler. */
  connectionString: string;
  close(): Promise<void>;
}

/** The parameters that pgbouncer tracks; it refuses connections with any other. */
const knownParameters = new Set(["user", "database", "application_name", "client_encoding"]);

const sslRequest = 80_877_103;
const sessions = 3;

/**
 * Stand-in for pgbouncer where it is not installed: each transaction, or statement outside of one, runs in
 * the longest idle of three sessions, so that nothing which needs its session works by accident. It lets
 * everybody in. While the database is down, callers get pgbouncer's own words with its one code for
 * everything, 08P01, and are disconnected.
 */
export async function aTransactionPooler(connectionString: string): Promise<Pooler> {
  let idle: Session[] = [];
  let waiting: ((session: Session | null) => void)[] = [];
  let isAway = false;
  let isClosed = false;
  const clients = new Set<Socket>();
  const clientsOfServer = new Set<Client>();

  const give = (session: Session) => {
    if (session.stream.destroyed) return;
    const next = waiting.shift();
    if (next) next(session);
    else idle.push(session);
  };
  const take = (): Promise<Session | null> => {
    const session = idle.shift();
    if (session || isAway) return Promise.resolve(session ?? null);
    return new Promise((resolve) => waiting.push(resolve));
  };
  /** One session, replaced when it is lost, with retries. */
  const open = async (): Promise<void> => {
    const client = new Client({ connectionString });
    client.on("error", () => undefined); // cut off when the database is dropped
    try {
      await client.connect();
    } catch {
      isAway = true;
      for (const refuse of waiting) refuse(null);
      waiting = [];
      setTimeout(() => void (isClosed || open()), 50);
      return;
    }
    isAway = false;
    clientsOfServer.add(client);
    const session = new Session(streamOf(client));
    session.stream.on("close", () => {
      idle = idle.filter((other) => other !== session);
      clientsOfServer.delete(client);
      session.onEnd();
      if (!isClosed) void open();
    });
    give(session);
  };
  for (let opened = 0; opened < sessions; opened += 1) await open();

  const server = createServer((socket) => {
    clients.add(socket);
    serveClient(socket, take, give).on("close", () => clients.delete(socket));
  });
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The pooler does not listen.");
  const url = new URL(connectionString);
  url.port = String(address.port);
  return {
    connectionString: url.href,
    close: async () => {
      isClosed = true;
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

/** Splits what arrives into messages: a letter, a length, a body. */
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

/** One database session; `onMessage` gets each message, `onEnd` is called when it is gone. */
class Session {
  readonly stream: Duplex;
  onMessage: (message: Buffer, letter: string) => void = () => undefined;
  onEnd: () => void = () => undefined;

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
  take: () => Promise<Session | null>,
  give: (session: Session) => void,
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
  /** One request after the other: the next one may use another session. */
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
    if (!taken) return refuse(socket, "server login has been failing (server_login_retry)");
    if (socket.destroyed) return give(taken);
    session = taken;
    taken.onEnd = () => refuse(socket, "server conn crashed?");
    taken.onMessage = (message, letter) => {
      socket.write(message);
      if (letter !== "Z") return; // ReadyForQuery
      isAnswering = false;
      if (message[5] === 0x49) {
        session = null; // no transaction is open
        taken.onMessage = () => undefined;
        taken.onEnd = () => undefined;
        give(taken);
      }
      send();
    };
    send();
  };

  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    session?.stream.destroy(); // in the middle of a transaction: rolled back with its session
  });
  socket.on("data", (piece: Buffer) => {
    if (isGreeted) forward(piece);
    else isGreeted = acceptStartup(socket, piece);
  });
  return socket;
}

/** Resolves with whether the client is connected. */
function acceptStartup(socket: Socket, startup: Buffer): boolean {
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
    refuse(socket, `unsupported startup parameter: ${unknown}`);
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

/** Send the reason, and hang up: pgbouncer has this code for any reason. */
function refuse(socket: Socket, reason: string): void {
  const fields = ["SFATAL", "C08P01", `M${reason}`, "", ""];
  socket.end(messageOf("E", Buffer.from(fields.join("\0"))));
}

function messageOf(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
