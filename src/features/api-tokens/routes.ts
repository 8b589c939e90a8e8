import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import * as contract from "#features/api-tokens/contract.ts";
import { listTokens, makeToken, revokeToken } from "#features/api-tokens/tokens.ts";

export function apiTokenRoutes(app: FastifyInstance): void {
  serve(app, contract.listApiTokens, { allow: "admin" }, ({ tx, actor, query }) =>
    listTokens(tx, actor, query),
  );
  // Here the password is to be asked again, where that is asked of what gives somebody rights.
  const inPerson = { allow: "admin", inPerson: true } as const;
  serve(app, contract.makeApiToken, inPerson, ({ tx, actor, body, today }) =>
    makeToken(tx, actor, body, today),
  );
  serve(app, contract.revokeApiToken, inPerson, ({ tx, actor, params }) =>
    revokeToken(tx, actor, params.id),
  );
}
