import { StartupProblem } from "#kit/ops/startup-problem.ts";

/*
 * Addresses with several hosts, in libpq's form: `postgresql://user@db-a:5432,db-b:5433/name`, or with `host=` and
 * `port=` in the query. Node's URL cannot read the first form and the driver knows neither, so both are rewritten
 * for `new URL`: the first host in its place, and all of them in the query.
 */

/** One of several hosts, and its own address. */
export interface DatabaseHost {
  /** A name, an IP address, or the folder of a socket. */
  host: string;
  port: number;
  address: string;
}

const form = /^([a-z]+:\/\/)(?:([^/?]*)@)?([^/?]*)([^?]*)\??(.*)$/i;

/**
 * The address as `new URL` and `hostsOf` read it; unchanged with a single host. Throws a StartupProblem that names
 * the variable if the hosts are not valid.
 */
export function readHosts(address: string, variable: string): string {
  const [, scheme = "", user, authority = "", path = "", query = ""] = form.exec(address) ?? [];
  const parameters = new URLSearchParams(query);
  const inAuthority = authority.split(",").map(splitPort);
  const hosts = parameters.get("host")?.split(",") ?? inAuthority.map(({ host }) => host);
  const ports = parameters.get("port")?.split(",") ?? inAuthority.map(({ port }) => port);
  if (hosts.length === 1 && ports.length === 1) return address;
  if (hosts.length < 2 || (ports.length > 1 && ports.length !== hosts.length))
    throw new StartupProblem(
      `${variable} names ${hosts.length} ${hosts.length === 1 ? "host" : "hosts"} and ${ports.length} ports. Give one port for all hosts, or one for each.`,
    );
  if (hosts.includes(""))
    throw new StartupProblem(`${variable} names several hosts, and one of them is empty.`);
  if (hosts.some(isSocketFolder) && !hosts.every(isSocketFolder))
    throw new StartupProblem(
      `${variable} mixes a socket of this machine with other hosts. Use hosts that are all reached in the same way.`,
    );
  parameters.set("host", hosts.join(","));
  const portOf = (at: number) =>
    ports[ports.length > 1 ? at : 0] || process.env["PGPORT"] || "5432";
  parameters.set("port", hosts.map((_, at) => portOf(at)).join(","));
  const first = `${placeOf(hosts[0] ?? "")}:${portOf(0)}`;
  const rewritten = `${scheme}${user === undefined ? "" : `${user}@`}${first}${path}?${parameters.toString()}`;
  if (
    !URL.canParse(rewritten) ||
    hostsOf(rewritten).some(({ port }) => !(port > 0 && port < 65_536))
  )
    throw new StartupProblem(
      `${variable} is not a PostgreSQL address. It must be like postgresql://user:password@db-a:5432,db-b:5432/name.`,
    );
  return rewritten;
}

/** The hosts of an address from `readHosts`; none if it has a single host. */
export function hostsOf(address: string): DatabaseHost[] {
  if (!URL.canParse(address)) return [];
  const parameters = new URL(address).searchParams;
  const hosts = parameters.get("host")?.split(",") ?? [];
  const ports = parameters.get("port")?.split(",") ?? [];
  if (hosts.length < 2) return [];
  return hosts.map((host, at) => ({
    host,
    port: Number(ports[at]),
    address: addressOf(address, host, ports[at] ?? ""),
  }));
}

function addressOf(address: string, host: string, port: string): string {
  const url = new URL(address);
  url.searchParams.delete("host");
  url.searchParams.delete("port");
  if (isSocketFolder(host)) url.searchParams.set("host", host);
  url.host = `${placeOf(host)}:${port}`;
  return url.href;
}

function splitPort(named: string): { host: string; port: string } {
  const [, ipv6, name = "", port = ""] = /^(?:\[(.*)\]|([^:]*))(?::(.*))?$/.exec(named) ?? [];
  return { host: ipv6 ?? decodeURIComponent(name), port };
}

/** A host as written between the user and the path. A socket folder cannot be written there. */
function placeOf(host: string): string {
  if (isSocketFolder(host)) return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

export const isSocketFolder = (host: string): boolean => /^(\/|%2f)/i.test(host);

/**
 * Refuse an address that asks for a read-only host, with a StartupProblem. PostgreSQL's own programs distinguish
 * the other values; the product uses the host that accepts writes with any of them.
 */
export function refuseReadingHosts(address: string, variable: string): void {
  const [, wanted] = /[?&]target_session_attrs=([^&]*)/.exec(address) ?? [];
  if (wanted === undefined || ["read-write", "primary", "any"].includes(wanted)) return;
  throw new StartupProblem(
    `target_session_attrs of ${variable} must be read-write (or primary, or any), not ${JSON.stringify(wanted)}: the product needs a host that accepts writes.`,
  );
}
