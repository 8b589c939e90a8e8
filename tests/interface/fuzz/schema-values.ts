import * as fc from "fast-check";
import { anyJson } from "#tests/interface/fuzz/hostile.ts";

/** The part of JSON Schema that the OpenAPI description uses. */
export interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  propertyNames?: Schema;
  additionalProperties?: Schema | boolean;
}

/** JSON texts that match a schema, or nearly: also bounds and their neighbours. */
export function jsonOf(schema: Schema): fc.Arbitrary<string> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(jsonOf));
  const [part] = schema.allOf ?? [];
  if (part) return jsonOf(part);
  if ("const" in schema) return fc.constant(JSON.stringify(schema.const));
  if (schema.enum) return fc.constantFrom(...schema.enum.map((one) => JSON.stringify(one)));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  return type ? ofType(type, schema) : anyJson;
}

function ofType(type: string, schema: Schema): fc.Arbitrary<string> {
  if (type === "string") return textsOf(schema).map((text) => JSON.stringify(text));
  if (type === "boolean") return fc.constantFrom("true", "false");
  if (type === "null") return fc.constant("null");
  if (type === "integer" || type === "number") return numbersOf(schema);
  if (type === "array")
    return fc.array(jsonOf(schema.items ?? {}), { maxLength: 5 }).map((all) => `[${all.join()}]`);
  return objectsOf(schema);
}

const greatest = Number.MAX_SAFE_INTEGER;

function numbersOf({ type, minimum = -greatest, maximum = greatest }: Schema) {
  const [least, most] = [Math.ceil(Math.max(minimum, -greatest)), Math.min(maximum, greatest)];
  const bounds = fc.constantFrom(least, least - 1, most, most + 1);
  const inside = fc.integer({ min: least, max: most });
  const between = fc.double({ min: least, max: most, noNaN: true });
  const numbers =
    type === "integer" ? fc.oneof(inside, inside, bounds) : fc.oneof(inside, between, bounds);
  return numbers.map((number) => JSON.stringify(number));
}

function textsOf({ pattern, format, minLength = 0, maxLength = 60 }: Schema) {
  if (format === "email") return fc.emailAddress();
  if (format?.startsWith("date")) return days;
  const matching = pattern && nearMatches(pattern);
  if (matching) return matching;
  const inside = fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 80) });
  const atBounds = fc
    .constantFrom(Math.max(0, minLength - 1), minLength, maxLength, maxLength + 1)
    .map((length) => "é".repeat(length));
  return fc.oneof(inside, inside, atBounds, days, dollars);
}

/** Null for patterns that the generator does not support, such as lookahead. */
function nearMatches(pattern: string): fc.Arbitrary<string> | null {
  try {
    return fc.stringMatching(new RegExp(pattern));
  } catch {
    return null;
  }
}

/** Schemas do not say which texts are dates or amounts, so these are tried often. */
const days = fc
  .date({ min: new Date("1890-01-01"), max: new Date("2110-01-01"), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10));
const dollars = fc.integer({ min: 0, max: 200_000_000 }).map((cents) => (cents / 100).toFixed(2));

function objectsOf({ properties = {}, propertyNames, additionalProperties }: Schema) {
  const named = Object.entries(properties).map(([name, one]) => entry(fc.constant(name), one));
  const isMap = typeof additionalProperties === "object";
  const names = fc.oneof(textsOf(propertyNames ?? {}), fc.integer({ min: 1, max: 40 }).map(String));
  const more = isMap ? fc.array(entry(names, additionalProperties), { maxLength: 4 }) : null;
  return fc
    .tuple(fc.tuple(...named), more ?? fc.constant<string[]>([]))
    .map(([known, others]) => `{${[...known, ...others].join()}}`);
}

const entry = (names: fc.Arbitrary<string>, schema: Schema) =>
  fc.tuple(names, jsonOf(schema)).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
