import { inTurn } from "#tests/support/in-turn.ts";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext } from "playwright-core";
import { launchBrowser } from "#tests/support/chromium.ts";
import { chromiumInWords } from "#tests/support/chosen-chromium.ts";
import { type Paint, paintOf, phone, slowDown } from "#tests/support/slow-phone.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { lawyersWhoOwe } from "./calls-world.ts";
import { startServer } from "./process.ts";
import { attempt } from "./attempt.ts";
import { type Measured, median, type Row } from "./row.ts";
import type { Headers } from "./session.ts";
import type { World } from "./world.ts";

/** The bare page's text, in place of a screen's heading. */
const bareHtml = "<!doctype html><title>Bare</title><h1>Dashboard</h1><p>You owe $500.00</p>";

interface Opened {
  name: string;
  path: string;
  headers: Headers;
  /** Text that the screen shows once its answers are there. */
  words: string;
  mostSeconds: number;
}

/**
 * When a slow phone shows the largest content of a screen: 4G, a processor four times slower than this
 * machine's, empty cache. Raw is a page of one heading, opened in turn with it.
 */
export async function firstPaintRows(world: World): Promise<Row[]> {
  world.log(`Opening screens on a slow phone, in ${chromiumInWords()} …`);
  const calls = await lawyersWhoOwe(world, "first paint", { lawyers: 3, debits: 12 });
  await morePlans(world, calls.networkId);
  const server = await startServer(world);
  const bare = await serveBare();
  const browser = await launchBrowser();
  const at = (port: number) => `http://localhost:${port}`;
  const screens: Opened[] = [
    {
      name: "first paint of a lawyer's dashboard, slow phone",
      path: "/dashboard",
      headers: inTurn(calls.lawyers, 0).headers,
      words: "You owe $6,000.00",
      mostSeconds: 2,
    },
    {
      name: "first paint of an administrator's plans, slow phone",
      path: "/admin/subscriptions",
      headers: calls.admin,
      words: "Plan 9",
      mostSeconds: 2.3,
    },
    {
      name: "first paint of an administrator's first page, slow phone",
      path: "/admin",
      headers: calls.admin,
      words: "Waiting for you",
      mostSeconds: 2.5,
    },
  ];
  const { port: barePort } = bare.address() as AddressInfo; // it listens on a port, not a pipe
  try {
    const rows: Row[] = [];
    for (const { name, ...screen } of screens)
      rows.push(
        await attempt(world, name, () =>
          timesOf(world, browser, screen, { product: at(server.port), bare: at(barePort) }),
        ),
      );
    return rows;
  } finally {
    await browser.close();
    bare.close();
    await server.stop();
  }
}

async function timesOf(
  world: World,
  browser: Browser,
  { path, headers, words, mostSeconds }: Omit<Opened, "name">,
  addresses: { product: string; bare: string },
): Promise<Measured> {
  const raws: Loading[] = [];
  const products: Loading[] = [];
  for (let round = -1; round < (world.isQuick ? 3 : 7); round += 1) {
    const raw = await load(browser, addresses.bare, { words: "You owe" });
    const product = await load(browser, `${addresses.product}${path}`, { words, headers });
    if (round < 0) continue; // a warm-up of both
    raws.push(raw);
    products.push(product);
  }
  const seconds = (loadings: Loading[]) => loadings.map(({ largestMs }) => largestMs / 1000);
  const greatest = (values: number[]) => Math.max(...values);
  return {
    unit: "s",
    raw: seconds(raws),
    product: seconds(products),
    limits: [
      {
        what: "to the largest content",
        measured: median(seconds(products)),
        unit: " s",
        most: mostSeconds,
      },
      { what: "requests", measured: greatest(products.map(({ requests }) => requests)), most: 20 },
      { what: "moved", measured: greatest(products.map(({ shift }) => shift)), most: 0.01 },
    ],
  };
}

interface Loading extends Paint {
  requests: number;
}

/** Open a page on a phone with an empty cache and wait until it sends no more requests. */
async function load(
  browser: Browser,
  address: string,
  { words, headers }: { words: string; headers?: Headers },
): Promise<Loading> {
  const context = await browser.newContext(phone);
  try {
    return await loadIn(context, address, { words, headers });
  } finally {
    await context.close();
  }
}

async function loadIn(
  context: BrowserContext,
  address: string,
  { words, headers }: { words: string; headers?: Headers },
): Promise<Loading> {
  const [name = "", value = ""] = headers?.cookie.split(/=(.*)/s) ?? [];
  if (headers) await context.addCookies([{ name, value, url: new URL(address).origin }]);
  const page = await context.newPage();
  let requests = 0;
  page.on("request", () => (requests += 1));
  page.on("websocket", () => (requests += 1));
  await slowDown(page);
  await page.goto(address);
  await page.getByText(words).first().waitFor();
  await page.waitForLoadState("networkidle");
  return { ...(await paintOf(page)), requests };
}

async function serveBare(): Promise<HttpServer> {
  const server = createServer((_request, response) =>
    response.setHeader("content-type", "text/html").end(bareHtml),
  );
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  return server;
}

async function morePlans({ db }: World, networkId: number): Promise<void> {
  const plan = { description: "What some members pay", amountCents: 10_00, everyMonths: 12 };
  for (let k = 1; k <= 9; k += 1)
    await makePlan(db, { id: networkId }, { ...plan, name: `Plan ${k}` });
}
