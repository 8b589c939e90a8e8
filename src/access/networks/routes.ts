import type { FastifyInstance } from "fastify";
import { hasVersion } from "#kit/http/if-none-match.ts";
import { allowOnly, serve } from "#kit/http/serve.ts";
import { notFound } from "#kit/contract/refusal.ts";
import { changeBrandOf, changeLogoOf, findLogo, showBrandOf } from "#access/networks/brand.ts";
import * as contract from "#access/networks/contract.ts";

export function networkRoutes(app: FastifyInstance): void {
  serve(app, contract.showBrand, { allow: "admin" }, ({ tx, actor }) => showBrandOf(tx, actor));
  serve(app, contract.changeBrand, { allow: "admin" }, ({ tx, actor, body }) =>
    changeBrandOf(tx, actor, body),
  );
  serve(app, contract.changeLogo, { allow: "admin" }, ({ tx, actor, bytes }) =>
    changeLogoOf(tx, actor, bytes),
  );
  servePicture(app);
}

/** Served with a picture's media type, so that no browser runs the bytes. */
function servePicture(app: FastifyInstance): void {
  const endpoint = contract.showLogo;
  app.endpoints.push({
    endpoint,
    allow: "signed-in",
    isForPrograms: true,
    isBare: true,
    mediaType: "image/png",
  });
  app.get(
    endpoint.path,
    { onRequest: async (request) => allowOnly("signed-in", endpoint, request) },
    async (request, reply) => {
      if (!request.actor) throw notFound("logo");
      const { mediaType, bytes, digest } = await findLogo(app.db, request.actor);
      const tag = `"${digest}"`;
      void reply.headers({ "Cache-Control": "private, max-age=3600", ETag: tag });
      if (hasVersion(request, tag)) return await reply.status(304).send();
      return await reply
        .headers({
          "Content-Type": mediaType,
          "Content-Disposition": 'inline; filename="logo"',
        })
        .send(bytes);
    },
  );
}
