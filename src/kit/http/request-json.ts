import type { FastifyInstance } from "fastify";
import { Refusal } from "#kit/contract/refusal.ts";
import { textOf } from "#kit/http/request-text.ts";

/** Read bodies that are called JSON. Names such as `__proto__` are refused by `serve`, like every unknown name. */
export function readJsonBodies(app: FastifyInstance): void {
  app.addContentTypeParser<Buffer>(
    "application/json",
    { parseAs: "buffer" },
    (_request, body, done) => {
      if (body.length === 0) throw new Refusal(400, "The request is empty; it must be JSON.");
      done(null, jsonOf(body));
    },
  );
}

/**
 * The value of a body that is JSON. Throws 400 for bytes that are not UTF-8, for what is not JSON, and for an object that
 * has a name twice: of two amounts for one debit, `JSON.parse` keeps the last.
 */
export function jsonOf(bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  const value = parsed(text);
  refuseRepeatedNames(text);
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, "The request is not valid JSON.");
  }
}

/**
 * A string, with the colon of a name; or the begin or end of an object. In valid JSON nothing else is needed. A string
 * that never ends would be tried again at each of its quotes: it ends with the text.
 */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))(\s*:)?|[{}]/g;

/** `json` is valid. Takes about the time and the memory of parsing it. Escapes do not tell names apart. */
function refuseRepeatedNames(json: string): void {
  const open: Set<string>[] = [];
  for (const [token, text = "", colon] of json.matchAll(tokens)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (colon !== undefined) {
      const name = text.includes("\\") ? String(JSON.parse(text)) : text.slice(1, -1);
      const names = open.at(-1);
      if (names?.has(name)) throw repeatedName(name);
      names?.add(name);
    }
  }
}

function repeatedName(name: string): Refusal {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  return new Refusal(400, `The request has the name ${JSON.stringify(shown)} twice in one object.`);
}
