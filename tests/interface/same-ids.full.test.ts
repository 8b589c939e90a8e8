import { expect, test, onTestFinished } from "vitest";
import { networkTables } from "#kit/db/network-tables.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { anAppBesideSandboxes } from "#tests/interface/card-records.ts";
import {
  goodRequest,
  nameOf,
  needsPassword,
  recordsOf,
  servedCalls,
} from "#tests/interface/good-requests.ts";
import { rowsOf } from "#tests/support/full-network.ts";
import { copyWithSameIds } from "#tests/support/same-ids.ts";
import { signedIn } from "#tests/support/visitor.ts";

/** Calls whose answers contain the current time. */
const ofTheMoment = new Set(["GET /session", "GET /account/sessions"]);

/** A PDF's identifier, and when it was made. */
const ofThePdf = /\/ID \[.*\]|\(D:\d+Z\)/g;

test("another network with the same ids changes no answer, and no call changes its rows", async () => {
  const app = await anAppBesideSandboxes({ asOwner: true });
  onTestFinished(() => app.close());
  const network = await makeNetwork(app.db, { permitsMatterEditing: true });
  const attorney = await makeAttorney(app.db, network);
  const admin = await signedIn(app, "admin", network);
  const lawyer = await signedIn(app, attorney, network);
  const ids = await recordsOf(app, network, attorney);
  const calls = servedCalls(app)
    .filter(({ allow, endpoint }) => allow !== "anyone" && !needsPassword(endpoint))
    .map(({ endpoint, allow }) => ({ endpoint, by: allow === "attorney" ? lawyer : admin }));
  const answers = async () => {
    const found: Record<string, string> = {};
    for (const { endpoint, by } of calls) {
      if (endpoint.method !== "GET" || ofTheMoment.has(nameOf(endpoint))) continue;
      const { status, text } = await by.sendRaw(by.requestOf(endpoint, goodRequest(endpoint, ids)));
      found[nameOf(endpoint)] = `${status} ${text.replaceAll(ofThePdf, "")}`;
    }
    return found;
  };
  await answers();
  const alone = await answers();
  const copy = await copyWithSameIds(app.pool, network.id);
  expect(await answers()).toEqual(alone);

  const tables = await networkTables(app.pool);
  const before = await rowsOf(app.db, copy, tables);
  for (const { endpoint, by } of calls.filter((call) => call.endpoint.method !== "GET")) {
    await by.sendRaw(by.requestOf(endpoint, goodRequest(endpoint, ids)));
    const after = await rowsOf(app.db, copy, tables);
    expect([nameOf(endpoint), after]).toEqual([nameOf(endpoint), before]);
  }
  for (const { id } of [network, { id: copy }])
    for (const { name, examples } of await verifyLedger(app.db, id))
      expect([id, name, examples]).toEqual([id, name, []]);
});
