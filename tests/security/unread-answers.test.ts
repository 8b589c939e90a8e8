import { expect } from "vitest";
import { portOf, RawConnection } from "#tests/support/raw-http.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* Someone who requests many answers and reads none must not fill the server's memory. */

const test = appTest();

test("connections that send requests and read no answers are closed, and others are served", async () => {
  const port = await portOf(app);
  // The description is made at the first request: until then, requests for it wait and take places.
  await app.server.inject({ url: "/api/openapi.json" });
  const unread: RawConnection[] = [];
  const isOneGivenUp = () => app.server.load().abortedResponses > 0;
  while (!isOneGivenUp() && unread.length < 20) {
    const connection = await RawConnection.open(port);
    connection.socket.pause();
    connection.write("GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1_000));
    unread.push(connection);
    expect((await fetch(`http://127.0.0.1:${port}/api/openapi.json`)).status).toBe(200);
    await expect.poll(() => app.server.load().inFlight).toBe(0);
  }
  expect(isOneGivenUp()).toBe(true);
  await Promise.any(unread.map(({ socket, closed }) => (socket.resume(), closed)));
  expect((await fetch(`http://127.0.0.1:${port}/api/openapi.json`)).status).toBe(200);
  for (const { socket } of unread) socket.destroy();
});

test("the description of the calls is the same text for everybody", async () => {
  const get = async () => await app.server.inject({ url: "/api/openapi.json" });
  const [first, second] = [await get(), await get()];
  expect(first.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(second.body).toBe(first.body);
});
