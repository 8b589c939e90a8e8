import { createHmac, randomBytes } from "node:crypto";
import { csrfToken } from "#kit/http/csrf.ts";
import { sessionCookieName } from "#kit/http/session.ts";
import type { World } from "./world.ts";

/** What a signed-in browser sends with each request. */
export interface Headers extends Record<string, string> {
  cookie: string;
  "x-csrf-token": string;
}

/**
 * Sessions as signing in makes them, for users that a query selects by `id`, in its order. Made directly,
 * since hashing five thousand passwords would take longer than all the rows.
 */
export async function signIn(
  { client, secret }: World,
  usersQuery: string,
  values: unknown[] = [],
): Promise<Headers[]> {
  const { rows: users } = await client.query<{ id: string }>(usersQuery, values);
  const tokens = users.map(() => randomBytes(24).toString("base64url"));
  await client.query(
    `insert into sessions (user_id, token, expires_at)
     select id, token, now() + interval '1 day' from unnest($1::bigint[], $2::text[]) as made (id, token)`,
    [users.map(({ id }) => id), tokens],
  );
  return tokens.map((token) => headersOf(token, secret));
}

function headersOf(token: string, secret: string): Headers {
  const signature = createHmac("sha256", secret).update(token).digest("base64");
  return {
    cookie: `${sessionCookieName(false)}=${encodeURIComponent(`${token}.${signature}`)}`,
    "x-csrf-token": csrfToken({ sessionToken: token, visitorSecret: undefined }, secret),
    "content-type": "application/json",
  };
}

/** A network's administrator. */
export async function signInAdmin(world: World, networkId: number): Promise<Headers> {
  const [headers] = await signIn(
    world,
    "select id from users where network_id = $1 and role = 'admin' limit 1",
    [networkId],
  );
  if (!headers) throw new Error("The network has no administrator.");
  return headers;
}
