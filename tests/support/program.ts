import type { Endpoint } from "#kit/contract/endpoint.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import { hashOfApiToken, newApiToken } from "#kit/http/api-tokens.ts";
import type { RunningApp } from "#tests/support/running-app.ts";
import { type Asked, type RawRequest, type Reply, Visitor } from "#tests/support/visitor.ts";

/** A program that calls with an API token: it has no cookies and no page. */
export class ApiProgram extends Visitor {
  readonly token: string;

  constructor(app: RunningApp, token: string) {
    super(app);
    this.token = token;
    this.cookies.clear();
    this.csrf = "";
  }

  override async sendRaw({ headers, ...request }: RawRequest): Promise<Reply> {
    const authorization = `Bearer ${this.token}`;
    return await super.sendRaw({ ...request, headers: { authorization, ...headers } });
  }
}

/** A program with a token of the network, with permission to write by default. */
export async function aProgram(
  app: RunningApp,
  { id: networkId }: MadeNetwork,
  { scope = "write" }: { scope?: "read" | "write" } = {},
): Promise<ApiProgram> {
  const token = newApiToken();
  await app.db
    .insertInto("apiTokens")
    .values({
      networkId,
      name: `Program ${Math.random()}`,
      scope,
      hash: hashOfApiToken(token) ?? "",
      lastFour: token.slice(-4),
      createdBy: "Ada Min",
    })
    .execute();
  return new ApiProgram(app, token);
}

/** Make a call with an Idempotency-Key. */
export async function askWithKey(
  caller: Visitor,
  key: string,
  endpoint: Pick<Endpoint, "method" | "path" | "fileMediaType">,
  asked: Asked = {},
): Promise<Reply> {
  const request = caller.requestOf(endpoint, asked);
  const headers = { ...request.headers, "idempotency-key": key };
  return await caller.sendRaw({ ...request, headers });
}
