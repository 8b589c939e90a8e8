import type { FastifyRequest } from "fastify";

/**
 * Whether the caller says in If-None-Match that it has this version already, so that 304 is the answer. `tag` is the
 * ETag, with its quotation marks. Weak tags compare like strong ones: a proxy that compresses makes them weak (RFC
 * 9110, 13.1.2).
 */
export function hasVersion({ headers }: FastifyRequest, tag: string): boolean {
  const given = headers["if-none-match"]?.trim() ?? "";
  const tags: string[] = given.match(/"[^"]*"/g) ?? [];
  return given === "*" || tags.includes(tag);
}
