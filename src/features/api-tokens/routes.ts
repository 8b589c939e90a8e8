import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import * as contract from "#features/api-tokens/contract.ts";
import { listTokens, makeToken, revokeToken } from "#features/api-tokens/tokens.ts";

export function apiTokenRoutes(app: FastifyInstance): void {
  serve(app, contract.listApiTokens, { allow: "admin" }, ({ tx, actor, query }) =>
    listTokens(tx, actor, query),
  );
  // What gives a program rights is to ask for the password again, too: `needsConfirmation`.
  const inPerson = { allow: "admin", inPerson: true } as const;
  serve(app, contract.makeApiToken, inPerson, ({ tx, actor, body, today }) =>
    makeToken(tx, actor, body, today),
  );
  serve(app, contract.revokeApiToken, inPerson, ({ tx, actor, params }) =>
    revokeToken(tx, actor, params.id),
  );
}
