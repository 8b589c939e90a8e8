import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { NoResponse, sendRequest } from "./send-request.ts";

test("a redirect is not followed: the request goes only to the processor", async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, answer) => {
    asked.push(request.url);
    answer.writeHead(307, { Location: "/elsewhere" }).end();
  });
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens at a port
  const sending = sendRequest(`http://127.0.0.1:${port}/charge`, { body: "{}", timeoutMs: 30_000 });
  await expect(sending).rejects.toThrow(NoResponse);
  expect(asked).toEqual(["/charge"]);
});
