import type { FastifyRequest } from "fastify";

/**
 * Whether the caller's If-None-Match has this version, so that the answer is 304. `tag` is the ETag with its
 * quotation marks. Weak tags compare like strong ones: a proxy that compresses makes them weak (RFC 9110, 13.1.2).
 */
export function hasVersion({ headers }: FastifyRequest, tag: string): boolean {
  const given = headers["if-none-match"]?.trim() ?? "";
  const tags: string[] = given.match(/"[^"]*"/g) ?? [];
  return given === "*" || tags.includes(tag);
}
