import { readFile } from "node:fs/promises";
import type { FastifyInstance } from "fastify";
import { demoAccounts } from "./accounts.ts";
import { type ProcessorName, processorNames } from "./processors.ts";
import { testValues } from "./test-values.ts";

/** The page at `/` that shows a newcomer what to type, what was charged, and how to make a call fail. */
export function pageRoutes(app: FastifyInstance): void {
  app.get("/", async (_request, reply) => {
    const page = await readFile(new URL("./page.html", import.meta.url), "utf8");
    const filled = page
      .replace("<!-- test values -->", testValueRows())
      .replace("<!-- accounts -->", accountRows());
    return await reply.type("text/html; charset=utf-8").send(filled);
  });
  for (const [path, type] of [
    ["/page.css", "text/css"],
    ["/page.js", "text/javascript"],
  ] as const) {
    app.get(path, async (_request, reply) => {
      const file = await readFile(new URL(`.${path}`, import.meta.url), "utf8");
      return await reply.type(`${type}; charset=utf-8`).send(file);
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

function testValueRows(): string {
  const rows = testValues.map(({ see, by }) => {
    const cells = processorNames.map((name) => `<td>${escaped(by[name] ?? "")}</td>`);
    return `<tr><th scope="row">${escaped(see)}</th>${cells.join("")}</tr>`;
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
