import { expect } from "vitest";
import { payByCheck } from "#payments/contract.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import type { Change } from "#tests/support/changed-pages.ts";
import { loadingsOf, openScreen } from "#tests/support/hinted-pages.ts";
import { openPage, pageTest } from "#tests/support/page-test.ts";

const test = pageTest({
  lawyer: true,
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
});

test("an administrator and an attorney see each other's changes, and keep what they are typing", async () => {
  const dues = await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await makeDebit(app.db, network, attorney, { planName: "Website listing", amountCents: 12_550 });
  const dashboard = (await openScreen(lawyer, "/dashboard")).page;
  const typed = dashboard.getByLabel(/^Payment for Website listing/);
  await typed.fill("12.50");
  const panel = (await openScreen(admin, `/admin/attorneys/${attorney.id}`)).page;
  const adding = panel.getByRole("form", { name: "Add a subscription" });
  await adding.getByLabel("Subscription").fill("web");
  await panel.getByRole("option", { name: /^Website listing/ }).click();
  await adding.getByLabel("Note").fill("Second off");
  const loaded = await loadingsOf(dashboard, panel);

  const body = { payment_hash: { [dues]: "20" }, check_number: "1042" };
  await lawyer.call(payByCheck, { body });
  await panel.getByRole("button", { name: /^Confirm check/ }).click();
  const confirming = panel.getByRole("dialog", { name: "Confirm Check" });
  await confirming.getByLabel("Approve").check();
  await dashboard.getByText("$20.00 pending").first().waitFor();
  await expect.poll(() => typed.inputValue()).toBe("12.50");

  await confirming.getByRole("button", { name: /Confirm|Submit|Save/ }).click();
  await dashboard.getByText("You owe $155.50").waitFor();
  await expect.poll(() => typed.inputValue()).toBe("12.50");
  await expect.poll(() => dashboard.getByRole("tab", { selected: true }).innerText()).toBe("Owed");
  await confirming.waitFor({ state: "hidden" });
  await adding.getByText("Website listing ($125.50 every month)").waitFor();
  await expect.poll(() => adding.getByLabel("Note").inputValue()).toBe("Second off");

  await dashboard.getByRole("tab", { name: "Paid" }).click();
  await lawyer.call(payByCheck, { body: { ...body, check_number: "1043" } });
  await dashboard.getByText("1043").waitFor();
  await expect.poll(() => dashboard.getByRole("tab", { selected: true }).innerText()).toBe("Paid");
  expect(await loadingsOf(dashboard, panel)).toEqual(loaded);
});

test("the socket is opened where the page's meta tag says, otherwise at /cable", async () => {
  const tag = /<meta name="action-cable-url"[^>]*>/;
  expect(await socketOf((html) => html.replace(tag, ""))).toBe("/cable");
  const starts: ((address: string) => string)[] = [
    (address) => address.replace("http", "ws"),
    ...inBriefOr([], [() => "", (address: string) => address]),
  ];
  for (const start of starts) {
    const named = (address: string) =>
      `<meta name="action-cable-url" content="${start(address)}/cable?from=meta" />`;
    expect(await socketOf((html, address) => html.replace(tag, named(address)))).toBe(
      "/cable?from=meta",
    );
  }
});

/** The address at which a page opens its socket, after a change to its document in transit. */
async function socketOf(changes: Change): Promise<string> {
  const { page } = await openPage({ visitor: lawyer, changes });
  const [socket] = await Promise.all([page.waitForEvent("websocket"), page.goto("/dashboard")]);
  await socket.waitForEvent("framereceived");
  const { origin } = new URL(page.url());
  return socket.url().replace(origin.replace("http", "ws"), "");
}
