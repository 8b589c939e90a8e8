import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import * as contract from "#access/tokens/contract.ts";
import { listTokens, makeToken, revokeToken } from "#access/tokens/tokens.ts";

export function apiTokenRoutes(app: FastifyInstance): void {
  serve(app, contract.listApiTokens, { allow: "admin" }, ({ tx, actor, query }) =>
    listTokens(tx, actor, query),
  );
  const inPerson = { allow: "admin", inPerson: true } as const;
  const confirmed = { ...inPerson, needsConfirmation: true } as const; // a token gives a program permissions
  serve(app, contract.makeApiToken, confirmed, ({ tx, actor, body, today }) =>
    makeToken(tx, actor, body, today),
  );
  serve(app, contract.revokeApiToken, inPerson, ({ tx, actor, params }) =>
    revokeToken(tx, actor, params.id),
  );
}
