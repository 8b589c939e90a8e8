import { expect, test } from "vitest";
import { readConfig } from "#kit/ops/config.ts";
import { refuseMissingSecrets } from "#kit/ops/required-secrets.ts";

const random = "q0Zs3v8YkT1mJxW5bN7rLc2HdF9gPaEu";
const DATABASE_URL = "postgresql://server:3f9a@db.example/dues";
const given = { HOST: "0.0.0.0", DATABASE_URL, APP_SECRET: random };
const refusal = (environment: Record<string, string | undefined>) => () =>
  refuseMissingSecrets(readConfig(environment), environment);

test.for<[string, Record<string, string>, RegExp]>([
  [
    "a secret that is made here",
    { PUBLIC_URL: "https://dues.example" },
    /^APP_SECRET must be set \(openssl rand -base64 32\) if PUBLIC_URL begins with https/,
  ],
  ["one letter as a secret", { ...given, APP_SECRET: "x".repeat(40) }, /^APP_SECRET is not random/],
  [
    "a repeated one",
    { ...given, APP_SECRET: "abcdefghijk".repeat(3) },
    /^APP_SECRET is not random/,
  ],
  [
    "one from an example",
    { ...given, APP_SECRET: "change-me-to-something-long-and-random" },
    /^APP_SECRET is not random.*rotate-secret/,
  ],
  [
    "a database without a password",
    { ...given, DATABASE_URL: "postgresql://server@db.example/dues" },
    /^DATABASE_URL has no password\. Give its role a password .* or use a socket of this machine/,
  ],
  [
    "the owner's address",
    { ...given, MIGRATE_DATABASE_URL: "postgresql://owner:77@db.example/dues" },
    /^MIGRATE_DATABASE_URL must not be set for a process that serves others/,
  ],
  [
    "the owner's address, reached through a proxy without TLS",
    {
      ...given,
      HOST: "127.0.0.1",
      PUBLIC_URL: "http://a.example",
      MIGRATE_DATABASE_URL: "postgresql://owner:77@db.example/dues",
    },
    /^MIGRATE_DATABASE_URL must not be set for a process that serves others/,
  ],
])("a public process is not started with %s", ([, environment, sentence]) => {
  expect(refusal(environment)).toThrow(sentence);
});

test.for<[string, Record<string, string>]>([
  ["a password", given],
  [
    "behind a proxy that speaks TLS",
    { ...given, HOST: "127.0.0.1", PUBLIC_URL: "https://a.example" },
  ],
  ["a socket", { ...given, DATABASE_URL: "postgresql:///dues?host=/var/run/postgresql" }],
  ["a socket as its host", { ...given, DATABASE_URL: "postgresql://server@%2Fvar%2Frun/dues" }],
  [
    "a certificate",
    { ...given, DATABASE_URL: "postgresql://server@db.example/dues?sslcert=a.pem" },
  ],
  [
    "a file of passwords",
    { ...given, DATABASE_URL: "postgresql://s@db/dues", PGPASSFILE: "/run/p" },
  ],
  ["a secret of hexadecimal digits", { ...given, APP_SECRET: "9f86d081884c7d659a2feaa0c55ad015" }],
])("a public process is started with %s", ([, environment]) => {
  expect(refusal(environment)).not.toThrow();
});

test("on one's own machine, and for a demo without TLS, no secret is required", () => {
  for (const environment of [
    {},
    { HOST: "0.0.0.0", DEMO: "1" },
    { PUBLIC_URL: "http://a.example" },
  ])
    expect(refusal(environment)).not.toThrow();
  const weak = { DATABASE_URL: "postgresql://me@localhost/dues", APP_SECRET: "x".repeat(32) };
  expect(refusal(weak)).not.toThrow();
});
