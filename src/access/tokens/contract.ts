import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, Id, IdText, Name, Timestamp } from "#kit/contract/fields.ts";
import { PageQuery, pageOf } from "#kit/contract/page.ts";

export const tokenScopes = ["read", "write"] as const;
export const tokenStatuses = ["active", "expired", "revoked"] as const;

export const ApiToken = z.object({
  id: Id,
  name: z.string(),
  scope: z.enum(tokenScopes),
  /** To tell tokens apart; the rest is never shown again. */
  lastFour: z.string(),
  status: z.enum(tokenStatuses),
  createdBy: z.string(),
  /** The administrator who made it; null once removed. */
  createdById: Id.nullable(),
  createdAt: Timestamp,
  expiresAt: Timestamp.nullable(),
  revokedAt: Timestamp.nullable(),
  /** Exact to the minute. */
  lastUsedAt: Timestamp.nullable(),
});
export type ApiToken = z.output<typeof ApiToken>;

export const listApiTokens = endpoint({
  method: "GET",
  path: "/api_tokens",
  summary:
    "The network’s API tokens, newest first, revoked ones last; without the tokens themselves",
  query: PageQuery,
  object: pageOf(ApiToken),
});

const NewApiToken = z.strictObject({
  name: Name.max(80, "must have at most 80 characters"),
  scope: z.enum(tokenScopes, { error: 'must be "read" or "write"' }),
  /** The last day on which it works, in the network’s time zone; null until revoked. */
  expires_on: Day.nullable().default(null),
});
export type NewApiToken = z.output<typeof NewApiToken>;

export const makeApiToken = endpoint({
  method: "POST",
  path: "/api_tokens",
  summary: "Make an API token for a program; it is shown only in this answer",
  body: NewApiToken,
  object: ApiToken.extend({ token: z.string() }),
});

export const revokeApiToken = endpoint({
  method: "POST",
  path: "/api_tokens/:id/revoke",
  summary: "Revoke an API token; the program’s next request is refused",
  params: z.object({ id: IdText }),
  object: ApiToken,
});
