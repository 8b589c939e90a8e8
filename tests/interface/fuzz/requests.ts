import * as fc from "fast-check";
import { z } from "zod";
import type { DescribedCall } from "#tests/interface/fuzz/description.ts";
import { anyEncoded, anyJson, prototypeNames } from "#tests/interface/fuzz/hostile.ts";
import { jsonOf, type Schema } from "#tests/interface/fuzz/schema-values.ts";
import { type Owner, owners, type Role, roles } from "#tests/interface/fuzz/world.ts";
import type { Asked, RawRequest } from "#tests/support/visitor.ts";

/** A request before its records are known: some owner's good request, and the changes made to it. */
export interface Wanted {
  role: Role;
  /** Whose records it names: mostly those that the role may see. */
  owner: Owner | "own";
  method: string;
  /** Replaces a path parameter's id; null leaves the id. */
  pathPart: string | null;
  slashes: string;
  query: [name: string, value: string][];
  /** By name, JSON text, or null to leave out; unnamed ones are as in the good request. */
  body: Record<string, string | null>;
  /** Appended to the rest, so that a name can occur twice. */
  bodyTail: string[];
  damage: Damage;
  headers: Record<string, string>;
  csrf: "own" | "none" | "another's";
}

type Damage =
  | { kind: "none" }
  | { kind: "cut"; share: number }
  | { kind: "instead"; text: string }
  | { kind: "bytes" };

const usually = <Value>(usual: Value, odd: fc.Arbitrary<Value>, weight = 9) =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: odd });

/** The good request of somebody who may make the call. */
export function plainRequest(call: DescribedCall): Wanted {
  const [role = "nobody"] = mayCall(call);
  return {
    role,
    owner: "own",
    method: call.method,
    pathPart: null,
    slashes: "",
    query: [],
    body: {},
    bodyTail: [],
    damage: { kind: "none" },
    headers: usualHeaders(call),
    csrf: "own",
  };
}

const usualHeaders = ({ method, takes }: DescribedCall): Record<string, string> =>
  method === "GET" ? {} : { "content-type": takes };

/** Requests to one call, good and bad, from anybody. */
export function requestsTo(call: DescribedCall): fc.Arbitrary<Wanted> {
  return fc.record<Wanted>({
    role: fc.constantFrom(...roles, ...mayCall(call), ...mayCall(call)),
    owner: fc.constantFrom<Wanted["owner"]>("own", "own", "own", "own", ...owners),
    method: usually<string>(call.method, fc.constantFrom("HEAD", "PUT", "DELETE", "OPTIONS"), 30),
    pathPart: usually<string | null>(null, anyEncoded, 4),
    slashes: usually("", fc.constantFrom("/", "//", "%2f", "/."), 15),
    query: queriesOf(call.query),
    body: bodiesOf(call.body),
    bodyTail: usually<string[]>([], tailsOf(Object.keys(call.body)), 8),
    damage: usually<Damage>({ kind: "none" }, damages, 8),
    headers: headers(call),
    csrf: usually<Wanted["csrf"]>("own", fc.constantFrom("none", "another's"), 12),
  });
}

/** Allowed roles are tried more often: there is more to find behind the check. */
function mayCall({ allow }: DescribedCall): Role[] {
  if (allow === "admin") return ["administrator", "another network's administrator"];
  if (allow === "attorney") return ["attorney", "another attorney"];
  return allow === "anyone" ? ["nobody"] : ["attorney", "administrator"];
}

function queriesOf(known: Record<string, Schema>): fc.Arbitrary<Wanted["query"]> {
  const names = fc.constantFrom(...Object.keys(known), "page", "surprise", ...prototypeNames);
  const values = Object.values(known).map((schema) =>
    jsonOf(schema).map((text) => {
      const value: unknown = JSON.parse(text);
      return encodeURIComponent(String(value).toWellFormed());
    }),
  );
  const odd = fc.tuple(
    fc.oneof(
      names,
      names.map((name) => `${name}[]`),
      names.map((name) => `${name}[a]`),
    ),
    fc.oneof(anyEncoded, ...values),
  );
  return fc.array(odd, { maxLength: 3 });
}

function bodiesOf(known: Record<string, Schema>): fc.Arbitrary<Wanted["body"]> {
  const names = Object.keys(known);
  if (names.length === 0) return fc.constant({});
  const valueOf = (name: string) => jsonOf(known[name] ?? {});
  const oddOnes = names.map((name) =>
    fc.tuple(
      fc.constant(name),
      fc.oneof<fc.Arbitrary<string | null>[]>(valueOf(name), anyJson, fc.constant(null)),
    ),
  );
  const aFewOdd = fc.array(fc.oneof(...oddOnes), { maxLength: 2 });
  const allMade = fc.tuple(
    ...names.map((name) => fc.tuple(fc.constant<string>(name), valueOf(name))),
  );
  return fc
    .oneof({ weight: 3, arbitrary: aFewOdd }, { weight: 1, arbitrary: allMade })
    .map((pairs) => Object.fromEntries(pairs));
}

function tailsOf(known: string[]): fc.Arbitrary<string[]> {
  const names = fc.constantFrom(...known, ...prototypeNames, "networkId", "network_id", "id", "");
  const pairs = fc.tuple(names, anyJson).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return fc.array(pairs, { minLength: 1, maxLength: 2 });
}

const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }).map((share) => ({ kind: "cut", share }) as const),
  anyJson.map((text) => ({ kind: "instead", text }) as const),
  fc.constant({ kind: "bytes" } as const),
);

function headers(call: DescribedCall): fc.Arbitrary<Record<string, string>> {
  const types = fc.constantFrom(
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/xml",
    "",
    "json",
    "*/*",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "APPLICATION/JSON",
  );
  const others = fc.constantFrom<Record<string, string>>(
    { "content-encoding": "gzip" },
    { "x-http-method-override": "DELETE" },
    { accept: "text/html" },
    { range: "bytes=5-1" },
    { range: "bytes=0-999999999999999999" },
    { "if-none-match": "*" },
    { "x-forwarded-for": "203.0.113.9, 10.0.0.1" },
    { host: "evil.example" },
    { origin: "https://evil.example" },
    { cookie: "referral-network.session_token=x.y; __proto__=1; =; ;;;" },
  );
  const usual = usualHeaders(call);
  const oddType = types.map((type) => ({ "content-type": type }));
  return usually<Record<string, string>>(
    usual,
    fc.oneof(
      oddType,
      others.map((other) => ({ ...usual, ...other })),
    ),
    8,
  );
}

/** The request as it is sent. */
export function rawRequest(
  call: DescribedCall,
  wanted: Wanted,
  good: Asked,
  csrf: { own: string; another: string },
): RawRequest {
  const token = { own: csrf.own, none: null, "another's": csrf.another }[wanted.csrf];
  const takesNone = ["GET", "HEAD"].includes(wanted.method);
  return {
    method: wanted.method,
    url: addressFor(call, wanted, good),
    headers: { ...(token !== null && { "x-csrf-token": token }), ...wanted.headers },
    ...(!takesNone && { payload: payloadFor(wanted, good) }),
  };
}

function addressFor(call: DescribedCall, wanted: Wanted, good: Asked): string {
  const path = call.path.replaceAll(
    /:(\w+)/g,
    (_, name: string) => wanted.pathPart ?? String(good.params?.[name]),
  );
  const usual = Object.entries(good.query ?? {}).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  const odd = wanted.query.map(([name, value]) => `${name}=${value}`);
  const query = [...usual, ...odd].join("&");
  return `${path}${wanted.slashes}${query && `?${query}`}`;
}

function payloadFor({ body, bodyTail, damage }: Wanted, good: Asked): string | Buffer {
  // A file's rows are made of the names that would occur twice in JSON.
  if (typeof good.body === "string") return damaged([good.body, ...bodyTail].join("\n"), damage);
  if (Buffer.isBuffer(good.body)) {
    const tail = Buffer.from(bodyTail.join("\n"));
    return damaged(Buffer.concat([good.body, tail]), damage);
  }
  const usual = Object.entries({ ...(good.body as object | undefined) }).map(
    ([name, value]) => [name, JSON.stringify(value)] as const,
  );
  const all = { ...Object.fromEntries(usual), ...body };
  const pairs = Object.entries(all).flatMap(([name, text]) =>
    text === null ? [] : [`${JSON.stringify(name)}:${text}`],
  );
  return damaged(`{${[...pairs, ...bodyTail].join()}}`, damage);
}

/** A binary file is cut and corrupted byte by byte. */
function damaged(text: string | Buffer, damage: Damage): string | Buffer {
  const end = (share: number) => Math.floor(text.length * share);
  if (damage.kind === "cut")
    return typeof text === "string"
      ? text.slice(0, end(damage.share))
      : text.subarray(0, end(damage.share));
  if (damage.kind === "instead") return damage.text;
  if (damage.kind === "bytes")
    return Buffer.concat([
      Buffer.from(text).subarray(0, -1),
      Buffer.from([0xc3, 0x28, 0xff, 0x7d]),
    ]);
  return text;
}

/** True if a change of card settings would ask the real processor about keys, which no test may do. */
export function leavesTheSandboxes({ url, payload }: RawRequest): boolean {
  if (!url.startsWith("/legal_networks/card_settings") || payload === undefined) return false;
  try {
    return !Sandboxed.safeParse(JSON.parse(String(payload))).success;
  } catch {
    return false;
  }
}

const Sandboxed = z.looseObject({ sandbox: z.literal(true) });
