import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect } from "vitest";
import { Envelope } from "#kit/contract/envelope.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* Over a real socket, since none of this comes as far as a request. */

let admin: Visitor;
let port: number;
const test = appTest();
test.beforeAll(async () => {
  admin = await signedIn(app, "admin", await makeNetwork(app.db));
  await app.server.listen({ port: 0, host: "127.0.0.1" });
  ({ port } = app.server.server.address() as AddressInfo); // it listens on TCP, so this is not a path
});

async function answerTo(...parts: string[]) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const answered = text(socket);
  for (const part of parts) socket.write(part);
  const [head = "", body = ""] = (await answered).split("\r\n\r\n");
  return {
    status: Number(head.split(" ")[1]),
    head,
    body,
    frame: Envelope.strict().safeParse(jsonOf(body)).data,
  };
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

test.each([
  ["no HTTP at all", "hello\r\n\r\n", 400],
  ["a method that is none", "B@D / HTTP/1.1\r\nHost: x\r\n\r\n", 400],
  ["a header without a name", "GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", 400],
  ["a NUL in a header", "GET /session HTTP/1.1\r\nHost: x\r\nCookie: a=\u0000\r\n\r\n", 400],
  [
    "two lengths",
    "POST /session HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    400,
  ],
  [
    "a length and chunks",
    "POST /session HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    400,
  ],
  [
    "headers without end",
    `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${"a=b; ".repeat(8_000)}\r\n\r\n`,
    431,
  ],
])("%s is refused in the envelope", async (_, request, status) => {
  const answer = await answerTo(request);
  expect(answer.status).toBe(status);
  expect(answer.frame).toMatchObject({ success: false, object: null });
  expect(answer.head).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
  expect(answer.head).toContain("X-Content-Type-Options: nosniff");
});

test("a payload without a length is refused once it is too large", async () => {
  const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const kilobyte = `400\r\n${"x".repeat(1024)}\r\n`;
  const answer = await answerTo(
    "POST /lrs_subscriptions/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n",
    `Cookie: ${cookie}\r\nX-CSRF-Token: ${admin.csrf}\r\n`,
    "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    kilobyte.repeat(300),
    "0\r\n\r\n",
  );
  expect(answer.status).toBe(413);
  expect(answer.frame).toMatchObject({ success: false });
});

test.each(["200-ok", "a cake"])(
  "an expectation of %s is refused in the envelope",
  async (expected) => {
    const answer = await answerTo(
      `POST /session HTTP/1.1\r\nHost: x\r\nExpect: ${expected}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(answer.status).toBe(417);
    expect(answer.frame).toEqual({
      success: false,
      object: null,
      message: "This server does not support the Expect header. Send the request without it.",
    });
    expect(answer.head).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
    expect(answer.head).toContain("X-Content-Type-Options: nosniff");
  },
);

test("a sender that expects 100-continue gets it", async () => {
  const answer = await answerTo(
    "POST /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
  );
  expect(answer.head).toBe("HTTP/1.1 100 Continue");
});

test("HEAD is answered without a body", async () => {
  for (const url of ["/healthz", "/nowhere", "/api/docs.css"]) {
    const answer = await answerTo(`HEAD ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const status = url === "/nowhere" ? 404 : 200;
    expect([url, answer.status, answer.body]).toEqual([url, status, ""]);
  }
});

test("the server keeps serving", async () => {
  expect(
    (await answerTo("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).status,
  ).toBe(200);
});

test.for([
  ["text that is not HTTP", "nonsense\r\n\r\n"],
  [
    "an upgrade that is refused",
    "GET /cable HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  ],
])("%s is closed though the other side keeps its own open", async ([, sent = ""]) => {
  const connections = promisify(app.server.server.getConnections.bind(app.server.server));
  await expect.poll(() => connections()).toBe(0);
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined); // closed on purpose by the server
  socket.write(sent);
  await text(socket);
  await expect.poll(() => connections()).toBe(0);
  socket.destroy();
});
