import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { builtWebFolder } from "#main/app.ts";
import { sharedBrowser } from "#tests/support/chromium.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

/** The product with its built screens at an address of its own, and a real browser. */
export interface Stage {
  app: RunningApp;
  address: string;
  browser: Browser;
  close(): Promise<void>;
}

export async function openStage(wanted: Parameters<typeof anApp>[0] = {}): Promise<Stage> {
  const app = await anApp({ webFolder: builtWebFolder, ...wanted });
  await app.server.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.server.address() as AddressInfo; // it listens on a port, not a pipe
  const browser = await sharedBrowser();
  return {
    app,
    address: `http://localhost:${port}`,
    browser,
    close: () => app.close(),
  };
}
