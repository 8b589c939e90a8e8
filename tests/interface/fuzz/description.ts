import { z } from "zod";
import type { Schema } from "#tests/interface/fuzz/schema-values.ts";
import { aVisitor } from "#tests/support/visitor.ts";
import type { RunningApp } from "#tests/support/running-app.ts";

const Described = z.record(z.string(), z.custom<Schema>());
const Content = z.record(z.string(), z.object({ schema: z.custom<Schema>() }));
const Operation = z.object({
  description: z.string(),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.enum(["path", "query", "header"]),
      schema: z.custom<Schema>(),
    }),
  ),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.object({ 200: z.object({ content: Content }) }),
});
const Description = z.object({
  paths: z.record(z.string(), z.partialRecord(z.enum(["get", "post", "patch"]), Operation)),
});

/** One call, as the OpenAPI description has it. */
export interface DescribedCall {
  method: "GET" | "POST" | "PATCH";
  /** Parameters are written `:id`. */
  path: string;
  allow: "admin" | "attorney" | "signed-in" | "anyone";
  query: Record<string, Schema>;
  body: Record<string, Schema>;
  /** The type of its payload. */
  takes: string;
  /** The schema of a good answer; null if it is not JSON. */
  answer: Schema | null;
}

/** Every call of `/api/openapi.json`. */
export async function describedCalls(app: RunningApp): Promise<DescribedCall[]> {
  const { text } = await aVisitor(app).sendRaw({ method: "GET", url: "/api/openapi.json" });
  const { paths } = Description.parse(JSON.parse(text));
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      operation ? [callOf(path, method, operation)] : [],
    ),
  );
}

function callOf(path: string, method: string, operation: z.output<typeof Operation>) {
  const inQuery = operation.parameters.filter((parameter) => parameter.in === "query");
  return {
    method: z.enum(["GET", "POST", "PATCH"]).parse(method.toUpperCase()),
    path: path.replaceAll(/\{(\w+)\}/g, ":$1"),
    allow: z
      .enum(["admin", "attorney", "signed-in", "anyone"])
      .parse(/Who may call: ([a-z-]+)\./.exec(operation.description)?.[1]),
    query: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
    body: Described.parse(
      operation.requestBody?.content["application/json"]?.schema.properties ?? {},
    ),
    takes: Object.keys(operation.requestBody?.content ?? {})[0] ?? "application/json",
    answer: operation.responses[200].content["application/json"]?.schema ?? null,
  };
}
