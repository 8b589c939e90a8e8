import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { joinedPieces, piecesOf } from "#kit/http/text-in-pieces.ts";

/** How long to encode a list before other work has a turn. */
const turnMs = 5;

/**
 * Encode a value by its schema as JSON text in pieces: one piece unless it is long. Lists, and lists in an object,
 * are encoded element by element with other work in between, because a list of long texts takes seconds. Throws
 * Zod's error if the value does not match the schema.
 */
export async function yieldingJson(schema: z.ZodType, value: unknown): Promise<readonly string[]> {
  const pieces: string[] = [];
  let begun = performance.now();
  for (const text of textsOf(schema, value)) {
    pieces.push(...piecesOf(text));
    if (performance.now() - begun < turnMs) continue;
    await nextTurn();
    begun = performance.now();
  }
  return joinedPieces(pieces);
}

function* textsOf(schema: z.ZodType, value: unknown): Generator<string> {
  if (schema instanceof z.ZodArray && Array.isArray(value)) yield* listOf(schema, value);
  else if (isPlainObject(schema) && hasLists(schema, value)) yield* objectOf(schema, value);
  else yield JSON.stringify(z.encode(schema, value) ?? null);
}

function* listOf({ element }: z.ZodArray, values: unknown[]): Generator<string> {
  yield "[";
  for (const [at, value] of values.entries()) {
    const text = JSON.stringify(z.encode(element as z.ZodType, value));
    yield at === 0 ? text : `,${text}`;
  }
  yield "]";
}

function* objectOf({ shape }: z.ZodObject, value: Record<string, unknown>): Generator<string> {
  let before = "{";
  for (const [name, schema] of Object.entries<z.ZodType>(shape)) {
    const part = value[name];
    if (part === undefined && z.encode(schema, part) === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    if (schema instanceof z.ZodArray && Array.isArray(part)) yield* listOf(schema, part);
    else yield JSON.stringify(z.encode(schema, part));
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

/** An object schema without checks of its own. */
const isPlainObject = (schema: z.ZodType): schema is z.ZodObject =>
  schema instanceof z.ZodObject && (schema.def.checks ?? []).length === 0 && !schema.def.catchall;

const hasLists = ({ shape }: z.ZodObject, value: unknown): value is Record<string, unknown> =>
  typeof value === "object" &&
  value !== null &&
  Object.values(shape).some((schema) => schema instanceof z.ZodArray);
