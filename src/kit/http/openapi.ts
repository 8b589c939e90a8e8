import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { nothingAllowed } from "#kit/http/security-headers.ts";
import type { ServedEndpoint } from "#kit/http/serve.ts";

type JsonSchema = Record<string, unknown>;

/** `/api/openapi.json` and its readable page, both generated from the schemas that validate. */
export function describeApi(app: FastifyInstance): void {
  // Generated once: anyone may request it any number of times, and each text has 500 kB.
  let description: Promise<string> | undefined;
  let page: Promise<string> | undefined;
  app.get("/api/openapi.json", async (_request, reply) =>
    reply
      .type("application/json; charset=utf-8")
      .send(await (description ??= openApi(app.endpoints).then((api) => JSON.stringify(api)))),
  );
  app.get("/api/docs", async (_request, reply) =>
    reply
      .header(
        "Content-Security-Policy",
        `${nothingAllowed}; style-src 'self'; frame-ancestors 'none'`,
      )
      .type("text/html; charset=utf-8")
      .send(await (page ??= readablePage(app.endpoints))),
  );
  app.get("/api/docs.css", async (_request, reply) =>
    reply.type("text/css; charset=utf-8").send(pageStyle),
  );
}

/** The OpenAPI 3.1 description of everything served. Other work has a turn after each endpoint. */
export async function openApi(served: ServedEndpoint[]): Promise<JsonSchema> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of served) {
    const path = one.endpoint.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [one.endpoint.method.toLowerCase()]: operation(one) };
    await nextTurn();
  }
  return {
    openapi: "3.1.0",
    info: { title: "Referral Network", version: "1.0.0" },
    components: {
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: "referral-network.session_token",
          description: "Over TLS the name begins with __Host-.",
        },
        csrf: { type: "apiKey", in: "header", name: "X-CSRF-Token" },
        token: {
          type: "http",
          scheme: "bearer",
          description: "An API token of the network, created under Settings, Integrations.",
        },
      },
    },
    paths,
  };
}

function operation({
  endpoint,
  allow,
  isForPrograms,
  isBare,
  mediaType,
}: ServedEndpoint): JsonSchema {
  const isWrite = endpoint.method !== "GET";
  const body = schemaOf(endpoint.body);
  const object = schemaOf(endpoint.object);
  return {
    summary: endpoint.summary,
    description: `Who may call: ${allow}.`,
    parameters: [
      ...parametersOf("path", schemaOf(endpoint.params)),
      ...parametersOf("query", schemaOf(endpoint.query)),
      ...(endpoint.movesMoney ? [idempotencyKey] : []),
    ],
    ...(isWrite &&
      hasFields(body) && {
        requestBody: { required: hasRequiredFields(body), content: json(body) },
      }),
    ...(endpoint.fileMediaType && {
      requestBody: {
        required: true,
        content: { [endpoint.fileMediaType]: { schema: fileSchema } },
      },
    }),
    security: [
      { ...(allow !== "anyone" && { session: [] }), ...(isWrite && { csrf: [] }) },
      ...(isForPrograms ? [{ token: [] }] : []),
    ],
    responses: {
      200: {
        description: "Done",
        content: mediaType
          ? { [mediaType]: { schema: object } }
          : json(isBare ? object : enveloped(object, true)),
      },
      default: { description: "Refused", content: json(enveloped({ type: "null" }, false)) },
    },
  };
}

function enveloped(object: JsonSchema, success: boolean): JsonSchema {
  const errors = {
    type: "array",
    items: {
      type: "object",
      properties: { path: { type: "string" }, message: { type: "string" } },
      required: ["path", "message"],
    },
  };
  return {
    type: "object",
    properties: {
      success: { const: success },
      object,
      message: { type: success ? ["string", "null"] : "string" },
      ...(!success && { errors }),
    },
    required: ["success", "object", "message"],
  };
}

/** A schema as JSON has it: the input side of its codecs. */
function schemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  });
  return described;
}

function parametersOf(place: "path" | "query", schema: JsonSchema): JsonSchema[] {
  const required = (schema.required as string[] | undefined) ?? [];
  return Object.entries((schema.properties as JsonSchema | undefined) ?? {}).map(([name, one]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: one,
  }));
}

function hasFields(schema: JsonSchema): boolean {
  return Object.keys((schema.properties as JsonSchema | undefined) ?? {}).length > 0;
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "A request sent again with the same key within 24 hours gets the first answer.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** A body may be left out if all its fields are optional. */
function hasRequiredFields(schema: JsonSchema): boolean {
  return ((schema.required as string[] | undefined) ?? []).length > 0;
}

const fileSchema = { type: "string", contentMediaType: "text/csv" };

const json = (schema: JsonSchema) => ({ "application/json": { schema } });

async function readablePage(served: ServedEndpoint[]): Promise<string> {
  const calls: string[] = [];
  for (const { endpoint, allow, isForPrograms } of served) {
    const body = schemaOf(endpoint.body);
    calls.push(`<section><h2><code>${endpoint.method}</code> <code>${escapeHtml(endpoint.path)}</code></h2>
<p>${escapeHtml(endpoint.summary)}. Who may call: ${allow}${isForPrograms ? ", or a program with a token" : ""}.${endpoint.movesMoney ? " Takes an Idempotency-Key." : ""}</p>
${hasFields(body) && endpoint.method !== "GET" ? `<h3>Request</h3><pre tabindex="0">${pretty(body)}</pre>` : ""}
${endpoint.fileMediaType ? `<h3>Request</h3><p>A file (<code>${endpoint.fileMediaType}</code>).</p>` : ""}
<h3>Object of the answer</h3><pre tabindex="0">${pretty(schemaOf(endpoint.object))}</pre></section>`);
    await nextTurn();
  }
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Referral Network: the HTTP interface</title><link rel="stylesheet" href="/api/docs.css"></head>
<body><main><h1>The HTTP interface</h1>
<p>Made from the schemas that validate. Machine-readable: <a href="/api/openapi.json">openapi.json</a>.</p>
${calls.join("\n")}</main></body></html>`;
}

const pretty = (schema: JsonSchema) => escapeHtml(JSON.stringify(schema, null, 2));

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const pageStyle = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0}
main{max-width:60rem;margin:0 auto;padding:24px}h1{font-size:28px}h2{font-size:16px;margin-top:32px}
h3{font-size:14px}pre{font-size:14px;overflow:auto;max-height:24rem;padding:12px;border:1px solid;border-radius:4px}`;
