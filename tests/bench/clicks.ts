import type { Page } from "playwright-core";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeCardAccount } from "#main/demo/records/cards.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { launchBrowser } from "#tests/support/chromium.ts";
import { chromiumInWords } from "#tests/support/chosen-chromium.ts";
import { fillLists } from "#tests/support/full-lists.ts";
import { attemptRows } from "./attempt.ts";
import { startServer } from "./process.ts";
import { percentile, type Row } from "./row.ts";
import { signInAdmin } from "./session.ts";
import type { World } from "./world.ts";

const mostMs = 200;

interface List {
  path: string;
  title: string;
  /** A column to sort by, if there is one. */
  sort?: string;
  /** A field that filters, and the choice made in it. */
  filter?: [field: string, choice: string];
  /** A button that opens a dialog. */
  dialog?: string;
  hasTicks?: boolean;
  /** True if its rows do not link to a record. */
  opensNothing?: boolean;
}

const lists: List[] = [
  {
    path: "/admin/attorneys",
    title: "Attorneys",
    sort: "Email",
    filter: ["Status", "Suspended"],
    dialog: "Add an attorney",
    hasTicks: true,
  },
  {
    path: "/admin/checks",
    title: "Checks",
    sort: "Amount",
    filter: ["Status", "Approved"],
    hasTicks: true,
  },
  { path: "/admin/matters", title: "Referrals", sort: "Referred", filter: ["Status", "Open"] },
  {
    path: "/admin/debits",
    title: "Debits",
    sort: "Due",
    filter: ["Overdue for", "Over 60 days"],
  },
  { path: "/admin/payments", title: "Payments", sort: "Amount", filter: ["Status", "Pending"] },
  {
    path: "/admin/receivables",
    title: "Receivables",
    sort: "Total owed",
    filter: ["Owed for", "Over 90 days"],
  },
  { path: "/admin/journal", title: "Journal", sort: "Amount", dialog: "Close the books" },
  { path: "/admin/firms", title: "Firms", sort: "Name", dialog: "Add a firm" },
  { path: "/admin/deposits", title: "Deposits", sort: "Total" },
  { path: "/admin/mail", title: "Email", filter: ["Status", "Sent"], opensNothing: true },
  { path: "/admin/activity", title: "Activity", opensNothing: true },
];

/**
 * From a press to the painted answer, in a browser, on lists of 10,000 rows. Each list is reloaded first,
 * since answers come from the cache the second time.
 */
export async function clickRows(world: World): Promise<Row[]> {
  const { db, isQuick, log } = world;
  const rows = isQuick ? 1000 : 10_000;
  log(`Clicking on lists of ${rows.toLocaleString("en-US")} rows, in ${chromiumInWords()} …`);
  const network = await makeNetwork(db, { name: "Clicks" });
  const attorney = await makeAttorney(db, network);
  const keys = { apiLoginId: "login", transactionKey: "key", signatureKey: "0" };
  await makeCardAccount(db, network, { secret: world.secret, processor: "anet", keys });
  const today = new Date().toISOString().slice(0, 10);
  await fillLists(db, { networkId: network.id, attorneyId: attorney.id, rows, today });
  const server = await startServer(world);
  const browser = await launchBrowser();
  try {
    const address = `http://localhost:${server.port}`;
    const context = await browser.newContext({
      baseURL: address,
      viewport: { width: 1280, height: 900 },
    });
    const [name = "", value = ""] = (await signInAdmin(world, network.id)).cookie.split(/=(.*)/s);
    await context.addCookies([{ name, value, url: address }]);
    const page = await context.newPage();
    const times = new Map<string, number[]>();
    const failed: Row[] = [];
    for (let round = -1; round < (isQuick ? 1 : 3); round += 1)
      for (const list of lists) {
        const measure = async () => {
          for (const [what, ms] of await clicksOn(page, list))
            if (round >= 0) times.set(what, [...(times.get(what) ?? []), ms]); // the first is a warm-up
          return [];
        };
        failed.push(
          ...(await attemptRows(world, `clicks on ${list.title}, round ${round}`, measure)),
        );
      }
    const all = rowOf(["a click on a loaded list", [...times.values()].flat()]);
    const limits = [p75Limit([...times.values()].flat())];
    return [{ ...all, limits }, ...[...times].map(rowOf), ...failed];
  } finally {
    await browser.close();
    await server.stop();
  }
}

function rowOf([name, times]: readonly [name: string, times: number[]]): Row {
  return {
    name: `${name}, ${times.length} clicks`,
    unit: "s",
    product: times.map((ms) => ms / 1000),
    p50: { product: percentile(times, 0.5) },
    p99: { product: percentile(times, 0.99) },
    limits: [], // the limit is for all clicks of a working day together
  };
}

const p75Limit = (times: number[]) => ({
  what: "p75",
  measured: percentile(times, 0.75),
  unit: " ms",
  most: mostMs,
});

async function clicksOn(page: Page, list: List): Promise<[what: string, ms: number][]> {
  const { path, title, sort, filter, dialog, hasTicks, opensNothing } = list;
  const measured: [string, number][] = [];
  const open = async () => {
    await page.goto(path);
    await page.locator("tbody th").first().waitFor();
    await page.waitForLoadState("networkidle");
  };
  const time = async (what: string, press: () => Promise<unknown>, answer: Answer) => {
    await open();
    await page.evaluate(measureNextPress, answer);
    await press();
    const ms = await page.evaluate(() => window.answeredAfter);
    if (ms === null) throw new Error(`${path}: ${what} had no answer.`);
    measured.push([what, ms]);
  };
  if (sort)
    await time(
      "sort",
      () => page.locator("thead th button", { hasText: new RegExp(`^${sort}[↑↓]$`) }).click(),
      { selector: "th[aria-sort=ascending], th[aria-sort=descending]", words: `^${sort}` },
    );
  await time("next page", () => page.getByRole("link", { name: "Next" }).click(), {
    selector: "nav[aria-label=Pages]",
    words: "^51–",
  });
  if (filter) {
    const [field, choice] = filter;
    const count = (await page.getByRole("navigation", { name: "Pages" }).innerText()).replace(
      /^\S+ of /,
      "",
    );
    await time(
      "filter",
      () => page.getByLabel(field, { exact: true }).selectOption({ label: choice }),
      {
        selector: "nav[aria-label=Pages]",
        words: `^1–\\d+ of (?!${count}$)`,
      },
    );
  }
  if (!opensNothing)
    await time("open a row", () => page.locator("tbody th a").first().click(), {
      selector: "h1",
      words: `^(?!${title}$)`,
    });
  if (dialog)
    await time("open a dialog", () => page.getByRole("button", { name: dialog }).click(), {
      selector: "dialog[open]",
      words: "",
    });
  if (hasTicks)
    await time("tick all", () => page.locator("thead input[type=checkbox]").click(), {
      selector: "thead:has(input:checked) + tbody > tr:last-child:has(input:checked)",
      words: "",
    });
  return measured;
}

/** What the screen shows once a press is answered and no request is under way. */
interface Answer {
  selector: string;
  words: string;
}

declare global {
  interface Window {
    /** Milliseconds from the next press to the frame that shows its answer; null after half a minute. */
    answeredAfter: Promise<number | null>;
  }
}

function measureNextPress({ selector, words }: Answer): void {
  const isAnswered = () => {
    const found = [...document.querySelectorAll<HTMLElement>(selector)];
    const isThere = found.some((part) => new RegExp(words).test(part.innerText.trim()));
    const isLoading = [...document.querySelectorAll("output")].some(
      (part) => part.textContent === "Loading...",
    );
    return isThere && !isLoading && !document.querySelector("[aria-busy=true]");
  };
  window.answeredAfter = new Promise((resolve) => {
    let begun = 0;
    setTimeout(() => resolve(null), 30_000);
    const begin = (event: Event) => {
      if (begun > 0) return;
      begun = event.timeStamp;
      requestAnimationFrame(look);
    };
    // A frame's callbacks run before it is painted, and tasks they post run after.
    const look = () => {
      if (!isAnswered()) {
        requestAnimationFrame(look);
        return;
      }
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener("message", () => resolve(performance.now() - begun));
      port1.start();
      port2.postMessage(null);
    };
    document.addEventListener("pointerdown", begin, { capture: true });
    document.addEventListener("input", begin, { capture: true });
  });
}
