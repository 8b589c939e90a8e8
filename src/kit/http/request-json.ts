import type { FastifyInstance } from "fastify";
import { Refusal } from "#kit/contract/refusal.ts";
import { textOf } from "#kit/http/request-text.ts";

/** Read JSON bodies. Names such as `__proto__` are refused by `serve`, like every unknown name. */
export function readJsonBodies(app: FastifyInstance): void {
  app.addContentTypeParser<Buffer>(
    "application/json",
    { parseAs: "buffer" },
    (_request, body, done) => {
      if (body.length === 0) throw new Refusal(400, "The request is empty. It must be JSON.");
      done(null, jsonOf(body));
    },
  );
}

/**
 * The value of a JSON body. Throws 400 for bytes that are not UTF-8, for invalid JSON, and for an object with a
 * repeated name: of two amounts for one debit, `JSON.parse` would keep the last.
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
 * A string, with the colon if it is a name; or the begin or end of an object. Valid JSON needs nothing else. An
 * unterminated string ends with the text: otherwise it would be tried again at each quote.
 */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))(\s*:)?|[{}]/g;

/**
 * `json` is valid. Takes about the time and memory of parsing it. Different escapes of the same name count as
 * repeated.
 */
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
  return new Refusal(400, `The request repeats the name ${JSON.stringify(shown)} in one object.`);
}
