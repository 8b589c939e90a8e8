import { z } from "zod";
import { Envelope } from "#kit/contract/envelope.ts";
import type { DescribedCall } from "#tests/interface/fuzz/description.ts";
import type { Wanted } from "#tests/interface/fuzz/requests.ts";
import { leaksIn, type Role } from "#tests/interface/fuzz/world.ts";
import type { Reply } from "#tests/support/visitor.ts";

const refusals = new Set([400, 401, 403, 404, 409, 413, 415, 416, 422, 429]);
const maxRefusal = 64 * 1024;

/** Judge the answers of one call. Returns what is wrong with each; empty if nothing is. */
export function judgeOf(call: DescribedCall) {
  const isOwnOfLibrary = call.path.startsWith("/api/auth/");
  const answer = call.answer && z.fromJSONSchema(call.answer as z.core.JSONSchema.JSONSchema);

  return (reply: Reply, wanted: Wanted): string[] => {
    const { role } = wanted;
    const faults = [
      ...leaksIn(reply.text, role).map((secret) => `tells ${role} ${secret}`),
      ...leaksIn(JSON.stringify(reply.headers), role).map((secret) => `${secret} in the headers`),
      ...(reply.headers["x-content-type-options"] === "nosniff" ? [] : ["lacks nosniff"]),
      ...(/^[\w-]{36}$/.test(String(reply.headers["x-request-id"])) ? [] : ["lacks a request id"]),
    ];
    if (wanted.method === "HEAD" || isOwnOfLibrary) return faults;
    if (reply.status === 304)
      return isAllowed(call, role) ? faults : [...faults, `is open to ${role}`];
    if (reply.status >= 300) return [...faults, ...faultsOfRefusal(reply)];
    if (leadsElsewhere(wanted)) return faults;
    if (!isAllowed(call, role)) faults.push(`is open to ${role}`);
    const read = answer?.safeParse(JSON.parse(reply.text));
    if (read?.error) faults.push(`is not as described: ${z.prettifyError(read.error)}`);
    return faults;
  };
}

/** `/matters/.` is the list of matters: it is a request to another call. */
const leadsElsewhere = ({ pathPart, slashes }: Wanted) =>
  pathPart !== null || !["", "/"].includes(slashes);

function isAllowed({ allow }: DescribedCall, role: Role): boolean {
  if (allow === "anyone") return true;
  if (allow === "signed-in") return role !== "nobody";
  return (allow === "admin") === role.endsWith("administrator") && role !== "nobody";
}

function faultsOfRefusal(reply: Reply): string[] {
  if (!refusals.has(reply.status)) return [`answers ${reply.status}`];
  const frame = Envelope.strict().safeParse(parsed(reply.text)).data;
  if (!frame || frame.success || frame.object !== null) return ["has no envelope"];
  const says = [frame.message ?? "", ...(frame.errors ?? []).map((error) => error.message)];
  return [
    ...says.filter((one) => !/^["\p{L}].*[.]$/su.test(one)).map((one) => `says "${one}"`),
    ...says.filter((one) => /node_modules|\bat \w+ \(|select |insert /.test(one)),
    ...(reply.text.length > maxRefusal ? [`is ${reply.text.length} characters long`] : []),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
