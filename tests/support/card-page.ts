import type { Page, Request } from "playwright-core";
import type { ProcessorName } from "#cards/shapes.ts";
import type { TestCard } from "#tests/support/card-browser.ts";

/*
 * A person's steps on the card form of each processor: in our inputs, or in the processor's own fields, in
 * frames from another site.
 */

type Fields = "number" | "code" | "expires";

const ours: Record<Fields, (page: Page) => ReturnType<Page["getByLabel"]>> = {
  number: (page) => page.getByLabel("Card number"),
  code: (page) => page.getByLabel("Card code"),
  expires: (page) => page.getByLabel("Expiration"),
};

/** Its script names it and starts to listen in one step: earlier keys would be lost. */
const framed = (title: string) => (page: Page) =>
  page.frameLocator(`iframe[title="${title}"]`).getByRole("textbox", { name: /./ });

const fields: Record<ProcessorName, typeof ours> = {
  anet: ours,
  elavon: ours,
  paypal_payflow_pro: ours,
  stripe: {
    number: framed("Secure card number input frame"),
    code: framed("Secure CVC input frame"),
    expires: framed("Secure expiration date input frame"),
  },
  lawpay: {
    ...ours,
    number: framed("Credit card number"),
    code: framed("Security code"),
  },
};

/** The control of a field, in whichever frame. */
export const cardField = (page: Page, processor: ProcessorName, field: Fields) =>
  fields[processor][field](page);

/** Type a card, digit by digit, in the order of the form, and leave its last field. */
export async function typeCard(
  page: Page,
  processor: ProcessorName,
  card: TestCard,
): Promise<void> {
  await cardField(page, processor, "number").pressSequentially(card.number);
  await cardField(page, processor, "code").pressSequentially(card.code);
  await cardField(page, processor, "expires").pressSequentially(card.expires);
  await cardField(page, processor, "expires").press("Tab");
}

/**
 * The same in one step, as a browser that knows the card does it, where typing is not tested. Hosted fields
 * are still typed into.
 */
export async function fillCard(
  page: Page,
  processor: ProcessorName,
  card: TestCard,
): Promise<void> {
  if (fields[processor].number !== ours.number) return await typeCard(page, processor, card);
  await cardField(page, processor, "number").fill(card.number);
  await cardField(page, processor, "code").fill(card.code);
  await cardField(page, processor, "expires").fill(card.expires);
  await cardField(page, processor, "expires").press("Tab");
}

/** Every request that a page makes to our own server, to search afterwards. */
export function requestsTo(page: Page, address: string): Request[] {
  const made: Request[] = [];
  page.on("request", (request) => {
    if (request.url().startsWith(address)) made.push(request);
  });
  return made;
}

/** Everything in a request, as one text without spaces. */
export async function carriedBy(request: Request): Promise<string> {
  const headers = JSON.stringify(await request.allHeaders());
  return `${request.url()} ${headers} ${request.postData() ?? ""}`.replaceAll(/[\s+]|%20/g, "");
}
