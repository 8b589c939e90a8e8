import type { FastifyInstance } from "fastify";
import { Refusal } from "#contract/refusal.ts";
import { textOf } from "#http/request-text.ts";

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

/** The value of a body that is JSON. Throws 400 for bytes that are not UTF-8, or not JSON. */
export function jsonOf(bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, "The request is not valid JSON.");
  }
}
