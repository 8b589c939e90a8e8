import { expect, test } from "vitest";
import { hostsOf, readHosts, refuseReadingHosts } from "#kit/ops/database-hosts.ts";

const read = (address: string) =>
  hostsOf(readHosts(address, "DATABASE_URL")).map(({ host, port }) => [host, port]);

test.each<[string, [string, number][]]>([
  [
    "a:1,b:2",
    [
      ["a", 1],
      ["b", 2],
    ],
  ],
  [
    "a,b",
    [
      ["a", 5432],
      ["b", 5432],
    ],
  ],
  [
    "a:1,b",
    [
      ["a", 1],
      ["b", 5432],
    ],
  ],
  [
    "10.0.0.5:1,[2001:db8::1]:2,[::1]",
    [
      ["10.0.0.5", 1],
      ["2001:db8::1", 2],
      ["::1", 5432],
    ],
  ],
])("hosts before the path: %s", (hosts, expected) => {
  expect(read(`postgresql://u:p@${hosts}/dues?sslmode=require`)).toEqual(expected);
  expect(read(`postgres://${hosts}/dues`)).toEqual(expected);
});

test.each<[string, [string, number][]]>([
  [
    "host=a,b",
    [
      ["a", 5432],
      ["b", 5432],
    ],
  ],
  [
    "host=a,b&port=1,2",
    [
      ["a", 1],
      ["b", 2],
    ],
  ],
  [
    "host=a,b&port=1",
    [
      ["a", 1],
      ["b", 1],
    ],
  ],
  [
    "host=a,::1&port=,2",
    [
      ["a", 5432],
      ["::1", 2],
    ],
  ],
  [
    "host=/run/a,/run/b&port=1,2",
    [
      ["/run/a", 1],
      ["/run/b", 2],
    ],
  ],
])("hosts in the query: %s", (query, expected) => {
  expect(read(`postgresql://u:p@/dues?${query}`)).toEqual(expected);
  expect(read(`postgresql://u:p@elsewhere/dues?${query}`)).toEqual(expected);
});

test("an address with one host does not change", () => {
  for (const address of [
    "postgresql://u:p@a:1/dues?sslmode=require",
    "postgresql://u@/dues?host=a&port=1",
    "postgresql:///dues?host=/run",
    "postgresql://u:p,q@[::1]/dues?options=-c search_path=public,pg_temp&target_session_attrs=any",
  ]) {
    expect(readHosts(address, "DATABASE_URL")).toBe(address);
    expect(hostsOf(address)).toEqual([]);
  }
});

test("everything else is the same for each host", () => {
  const given = "postgresql://u%40x:p%2Fq@a,[::1]:2/dues?sslmode=verify-full&options=-c a%3Db";
  const whole = readHosts(given, "DATABASE_URL");
  expect(new URL(whole)).toMatchObject({ username: "u%40x", password: "p%2Fq", host: "a:5432" });
  expect(hostsOf(whole).map(({ address }) => address)).toEqual([
    "postgresql://u%40x:p%2Fq@a:5432/dues?sslmode=verify-full&options=-c+a%3Db",
    "postgresql://u%40x:p%2Fq@[::1]:2/dues?sslmode=verify-full&options=-c+a%3Db",
  ]);
  expect(readHosts(whole, "DATABASE_URL")).toBe(whole);
});

test.each([
  [
    "a,b/dues?port=1,2,3",
    "DATABASE_URL names 2 hosts and 3 ports. Give one port for all hosts, or one for each.",
  ],
  [
    "a/dues?port=1,2",
    "DATABASE_URL names 1 host and 2 ports. Give one port for all hosts, or one for each.",
  ],
  ["a,/dues", "DATABASE_URL names several hosts, and one of them is empty."],
  ["dues?host=a,,b", "DATABASE_URL names several hosts, and one of them is empty."],
  [
    "x/dues?host=/run,a",
    "DATABASE_URL mixes a socket of this machine with other hosts. Use hosts that are all reached in the same way.",
  ],
  [
    "a:one,b/dues",
    "DATABASE_URL is not a PostgreSQL address. It must be like postgresql://user:password@db-a:5432,db-b:5432/name.",
  ],
  [
    "a:0,b/dues",
    "DATABASE_URL is not a PostgreSQL address. It must be like postgresql://user:password@db-a:5432,db-b:5432/name.",
  ],
])("refused: %s", (rest, sentence) => {
  expect(() => readHosts(`postgresql://u:p@${rest}`, "DATABASE_URL")).toThrow(sentence);
});

test.each(["standby", "prefer-standby", "read-only", "", "none"])(
  "no host that may take no writes is asked for: %s",
  (wanted) => {
    for (const hosts of ["a", "a,b"]) {
      const address = `postgresql://u:p@${hosts}/dues?sslmode=require&target_session_attrs=${wanted}`;
      expect(() => refuseReadingHosts(address, "DATABASE_URL")).toThrow(
        `target_session_attrs of DATABASE_URL must be read-write (or primary, or any), not "${wanted}": the product needs a host that accepts writes.`,
      );
    }
  },
);

test.each(["read-write", "primary", "any"])("%s changes nothing", (wanted) => {
  const address = `postgresql://u:p@a,b/dues?target_session_attrs=${wanted}`;
  expect(() => refuseReadingHosts(address, "DATABASE_URL")).not.toThrow();
});
