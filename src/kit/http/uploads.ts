import type { FastifyInstance, FastifyReply } from "fastify";
import type { Endpoint } from "#kit/contract/endpoint.ts";
import { maxFileBytes } from "#kit/contract/file.ts";
import type { Db } from "#kit/db/database.ts";
import { serviceBusy } from "#kit/http/errors.ts";
import { Refusal } from "#kit/contract/refusal.ts";

/** The most uploads that a process reads at the same time, since each is held in memory. */
export const maxUploadsAtOnce = 4;

/** Define a route. If its body is a file, it accepts only that, as bytes and with its own size limit. */
export function withBodyParserFor(
  app: FastifyInstance,
  { fileMediaType }: Endpoint,
  define: (scope: FastifyInstance) => void,
): void {
  if (!fileMediaType) return define(app);
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      fileMediaType,
      { parseAs: "buffer", bodyLimit: maxFileBytes },
      (_request, body, done) => done(null, body),
    );
    define(scope);
  });
}

const uploadingNetworks = new WeakMap<Db, Set<number>>();

/**
 * Refuse an upload before reading it, if another of the same network is being read (409) or `maxUploadsAtOnce` of
 * all networks (503). An upload counts until it is answered or its sender disconnects.
 */
export function refuseTooManyUploads(db: Db, networkId: number, reply: FastifyReply): void {
  const uploading = uploadingNetworks.get(db) ?? new Set();
  uploadingNetworks.set(db, uploading);
  if (uploading.has(networkId)) throw uploadInProgress();
  if (uploading.size >= maxUploadsAtOnce) throw serviceBusy();
  if (reply.raw.destroyed) return; // the sender disconnected during authentication, so "close" has already been emitted
  uploading.add(networkId);
  reply.raw.once("close", () => uploading.delete(networkId));
}

/** The answer to a second upload at the same time. */
export const uploadInProgress = () =>
  new Refusal(
    409,
    "Another file of this network is being read. Wait until it is done, then try again.",
  );
