import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type Server, startServer } from "./process.ts";
import { percentile, type Row } from "./row.ts";
import { type Headers, signInAdmin } from "./session.ts";
import { expectSame, type World } from "./world.ts";

/**
 * Sockets of one administrator on one process, all on one stream. Changes are announced as another process
 * would; each carries its number, so that every copy is accounted for.
 */
export async function socketRows(world: World): Promise<Row[]> {
  const wanted = world.isQuick ? 2_000 : 5_000;
  const first = 1_000; // load before the sockets grows the heap too: only what is added is theirs
  world.log(`Opening ${wanted.toLocaleString("en-US")} sockets …`);
  const { id: networkId, admin } = await makeNetwork(world.db, { name: "Sockets" });
  const headers = await signInAdmin(world, networkId);
  const { userId } = admin;
  const server = await startServer(world);
  const sockets: CableSocket[] = [];
  try {
    sockets.push(await CableSocket.open(server, headers, userId)); // loads and compiles
    await after(4_000); // past the messages that follow a start
    const openUntil = async (count: number) => {
      while (sockets.length < count) {
        const some = Array.from({ length: Math.min(50, count - sockets.length) }, () =>
          CableSocket.open(server, headers, userId),
        );
        sockets.push(...(await Promise.all(some)));
      }
      await after(3_000);
      return server.memory();
    };
    const before = await openUntil(first);
    const grown = (await openUntil(wanted)) - before;
    const kibibytes = (grown * 1e6) / 1024 / (wanted - first);
    return await messageRows({ world, networkId, server, sockets, kibibytes });
  } finally {
    for (const socket of sockets) socket.close();
    await server.stop();
  }
}

interface Open {
  world: World;
  networkId: number;
  server: Server;
  sockets: CableSocket[];
  kibibytes: number;
}

async function messageRows(open: Open): Promise<Row[]> {
  const { server, sockets, world, kibibytes } = open;
  const count = sockets.length.toLocaleString("en-US");
  // A steady pace first: 35,000 messages a second on 5,000 sockets.
  const perSecond = Math.round(35_000 / sockets.length);
  const { answer, megabytes } = await server.during(async () => {
    const steady = await send(open, { changes: perSecond * (world.isQuick ? 2 : 8), perSecond });
    const bursts: number[] = [];
    for (let round = 0; round < world.rounds; round += 1)
      bursts.push((await send(open, { changes: perSecond * 3, perSecond: Infinity })).rate);
    return { steady, bursts };
  });
  const { steady, bursts } = answer;
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(steady.times, share));
  return [
    {
      name: `real time: ${count} sockets, ${perSecond} changes a second`,
      unit: "messages/s",
      product: [steady.rate],
      p50: { product: p50 ?? Number.NaN },
      p99: { product: p99 ?? Number.NaN },
      peakMegabytes: megabytes,
      limits: [
        { what: "p99", measured: p99 ?? Number.NaN, unit: " ms", most: 250 },
        { what: "lost", measured: steady.lost, most: 0 },
        { what: "a socket", measured: kibibytes, unit: " KiB", most: 25 },
        { what: "memory", measured: megabytes, unit: " MB", most: 190 },
      ],
    },
    {
      name: `real time: ${count} sockets, as fast as it goes`,
      unit: "messages/s",
      product: bursts,
      limits: [{ what: "messages/s", measured: Math.min(...bursts), least: 100_000 }],
    },
  ];
}

/** Announce changes. Resolves with the rate at which their copies arrived and how late each was. */
async function send(
  { world, networkId, sockets }: Open,
  { changes, perSecond }: { changes: number; perSecond: number },
) {
  const sentAt: number[] = [];
  const times: number[] = [];
  let received = 0;
  const wanted = changes * sockets.length;
  let done = () => undefined as void;
  const all = new Promise<void>((resolve) => (done = resolve));
  for (const socket of sockets)
    socket.onMessage = (text) => {
      const number = Number(/"attorney_id":(\d+)/.exec(text)?.[1]);
      times.push(performance.now() - (sentAt[number - 1] ?? Number.NaN));
      received += 1;
      if (received === wanted) done();
    };
  const begun = performance.now();
  for (let number = 1; number <= changes; number += 1) {
    sentAt.push(performance.now());
    await world.client.query("select pg_notify('cable', $1)", [
      JSON.stringify({ v: 1, changes: [[networkId, number, "subscriptions"]] }),
    ]);
    const next = begun + (number * 1000) / perSecond;
    if (next > performance.now()) await after(next - performance.now());
  }
  await Promise.race([all, after(30_000)]);
  const rate = received / ((performance.now() - begun) / 1000);
  await after(200); // duplicates would arrive now
  expectSame("messages received", received > wanted, false);
  return { rate, times, lost: wanted - received };
}

/** A minimal WebSocket client. */
class CableSocket {
  onMessage: (text: string) => void = () => undefined;
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #confirmed: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** A socket that is welcomed and subscribed. */
  static async open(server: Server, { cookie }: Headers, userId: number): Promise<CableSocket> {
    const socket = connect({ port: server.port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    const opened = new CableSocket(socket);
    socket.on("error", () => undefined); // it closes with it
    const confirmed = new Promise<void>((resolve) => (opened.#confirmed = resolve));
    socket.write(
      [
        "GET /cable HTTP/1.1",
        "Host: bench",
        `Origin: http://localhost:${server.port}`,
        `Cookie: ${cookie}`,
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
        "Sec-WebSocket-Protocol: actioncable-v1-json",
        "\r\n",
      ].join("\r\n"),
    );
    const gone = once(socket, "close").then(() => {
      throw new Error("The server closed a socket.");
    });
    gone.catch(() => undefined); // from here on, messages that a closed socket does not deliver count as lost
    const [head] = await Promise.race([once(socket, "data"), gone]);
    const end = head.indexOf("\r\n\r\n") + 4;
    if (!String(head).startsWith("HTTP/1.1 101")) throw new Error(String(head));
    socket.on("data", (chunk) => opened.#receive(chunk));
    if (head.length > end) opened.#receive(head.subarray(end));
    const identifier = JSON.stringify({ channel: "LrsSubscriptionsChannel", user_id: userId });
    opened.#send(JSON.stringify({ command: "subscribe", identifier }));
    await Promise.race([confirmed, gone]);
    return opened;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Clients mask what they send; a mask of zeros changes nothing. */
  #send(text: string): void {
    const body = Buffer.from(text);
    const head = Buffer.from([0x81, 0x80 | 126, body.length >> 8, body.length & 0xff, 0, 0, 0, 0]);
    this.#socket.write(Buffer.concat([head, body]));
  }

  /** Servers send short text frames, whole and unmasked. */
  #receive(chunk: Buffer): void {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    for (;;) {
      const short = (bytes[1] ?? 0) & 0x7f;
      const start = short === 126 ? 4 : 2;
      if (bytes.length < start) break;
      const length = short === 126 ? bytes.readUInt16BE(2) : short;
      if (bytes.length < start + length) break;
      this.#read(bytes.toString("latin1", start, start + length));
      bytes = bytes.subarray(start + length);
    }
    this.#rest = bytes.length > 0 ? Buffer.from(bytes) : Buffer.alloc(0);
  }

  #read(text: string): void {
    if (text.includes('"confirm_subscription"')) this.#confirmed();
    else if (text.includes('"subscriptions_changed"')) this.onMessage(text);
  }
}
