import type { HttpAnswer } from "../call-handler.ts";

export type Fields = Record<string, string>;

/** Read `<txn><name>value</name>…</txn>`; null for anything else. */
export function readTxn(xml: string): Fields | null {
  const [, inside] = /^\s*<txn>([\s\S]*)<\/txn>\s*$/.exec(xml) ?? [];
  if (inside === undefined) return null;
  const fields = [...inside.matchAll(/<(\w+)>([^<>]*)<\/\1>|<(\w+)\/>/g)].map(
    ([, name, value = "", emptyName]) => [name ?? emptyName ?? "", unescaped(value).trim()],
  );
  const rest = inside.replaceAll(/<(\w+)>[^<>]*<\/\1>|<\w+\/>|\s/g, "");
  return rest === "" ? Object.fromEntries(fields) : null;
}

export function txn(fields: Fields): string {
  const elements = Object.entries(fields).map(
    ([name, value]) => `<${name}>${escaped(value)}</${name}>`,
  );
  return `<txn>${elements.join("")}</txn>`;
}

export function xmlAnswer(body: string): HttpAnswer {
  return {
    status: 200,
    headers: { "content-type": "text/xml; charset=utf-8" },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
  };
}

const entities: [string, string][] = [
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&apos;", "'"],
  ["&amp;", "&"], // last, so that it does not create new ones
];

function unescaped(text: string): string {
  return entities.reduce((result, [entity, sign]) => result.replaceAll(entity, sign), text);
}

function escaped(text: string): string {
  return entities
    .toReversed()
    .reduce((result, [entity, sign]) => result.replaceAll(sign, entity), text);
}
