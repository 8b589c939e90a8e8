import type { FastifyInstance, FastifyReply } from "fastify";
import type { Endpoint } from "#contract/endpoint.ts";
import { maxFileBytes } from "#contract/file.ts";
import type { Db } from "#db/database.ts";
import { busy } from "#http/errors.ts";
import { Refusal } from "#contract/refusal.ts";

/** Files that a process holds at once, whoever sends them: what they may take of its memory. */
export const maxUploadsAtOnce = 4;

/** Define a route; where its payload is a file, it takes that and no JSON, in bytes and up to its own bound. */
export function withPayloadOf(
  app: FastifyInstance,
  { takes }: Endpoint,
  define: (its: FastifyInstance) => void,
): void {
  if (!takes) return define(app);
  void app.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser(
      takes,
      { parseAs: "buffer", bodyLimit: maxFileBytes },
      (_request, body, done) => done(null, body),
    );
    define(own);
  });
}

const networksSending = new WeakMap<Db, Set<number>>();

/**
 * Let a file of the network come in, before anything of it is read: one at a time, and a few of all
 * networks together. Its place is free again once it is answered, or its sender has gone. Throws 409
 * or 503.
 */
export function refuseTooManyUploads(db: Db, networkId: number, reply: FastifyReply): void {
  const sending = networksSending.get(db) ?? new Set();
  networksSending.set(db, sending);
  if (sending.has(networkId)) throw anotherUploadUnderWay();
  if (sending.size >= maxUploadsAtOnce) throw busy();
  if (reply.raw.destroyed) return; // the sender hung up while it was looked up who that is: no "close" comes
  sending.add(networkId);
  reply.raw.once("close", () => sending.delete(networkId));
}

/** What the second of two files is told that are sent or imported at once. */
export const anotherUploadUnderWay = () =>
  new Refusal(
    409,
    "Another file is being read for this network. Wait until that is done, then try again.",
  );
