import { readFile } from "node:fs/promises";
import type { FastifyInstance } from "fastify";
import { demoAccounts } from "./accounts.ts";
import { callNames, faultKinds } from "./faults.ts";
import { type ProcessorName, processorNames } from "./processors.ts";
import { testValues } from "./test-values.ts";

/** The page at `/`, which shows what to type, what was charged, and how to make a call fail. */
export function pageRoutes(app: FastifyInstance): void {
  for (const [path, file, type] of [
    ["/", "page.html", "text/html"],
    ["/page.css", "page.css", "text/css"],
    ["/page.js", "page.js", "text/javascript"],
  ] as const) {
    app.get(path, async (_request, reply) => {
      const text = await readFile(new URL(file, import.meta.url), "utf8");
      return await reply.type(`${type}; charset=utf-8`).send(filled(text));
    });
  }
  app.get("/favicon.ico", async (_request, reply) => await reply.code(204).send());
}

const titles: Record<ProcessorName, string> = {
  anet: "Authorize.Net",
  stripe: "Stripe",
  elavon: "Elavon",
  lawpay: "LawPay",
  paypal_payflow_pro: "Payflow Pro",
};

/** Fills in the page's placeholder comments. */
function filled(page: string): string {
  const options = (names: readonly string[], chosen: string) =>
    names.map((name) => `<option${name === chosen ? " selected" : ""}>${name}</option>`).join("");
  const processors = processorNames.map((name) => [name, titles[name]]);
  const parts: Record<string, string> = {
    "test values": testValueRows(),
    accounts: accountRows(),
    processors: processors.map(([, title]) => `<th scope="col">${title}</th>`).join(""),
    "processor options": processors
      .map(([name, title]) => `<option value="${name}">${title}</option>`)
      .join(""),
    "call options": options(callNames, "charge"),
    "kind options": options(faultKinds, "drop-after"),
  };
  return page.replaceAll(/<!-- ([a-z ]+) -->/g, (comment, name) => parts[name] ?? comment);
}

function testValueRows(): string {
  const rows = testValues.map(({ outcome, values }) => {
    const cells = processorNames.map((name) => `<td>${escaped(values[name] ?? "")}</td>`);
    return `<tr><th scope="row">${escaped(outcome)}</th>${cells.join("")}</tr>`;
  });
  return rows.join("\n");
}

function accountRows(): string {
  const rows = processorNames.map((name) => {
    const entries = Object.entries(demoAccounts[name]).map(
      ([field, value]) => `${field} <code>${escaped(value)}</code>`,
    );
    return `<tr><th scope="row">${titles[name]}</th><td>${entries.join("<br>")}</td></tr>`;
  });
  return rows.join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
