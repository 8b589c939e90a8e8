import { plainDate } from "#kit/domain/calendar.ts";
import { createDueDebits } from "#dues/ledger/billing.ts";
import { makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolments } from "#tests/support/records/dues.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type Headers, signIn, signInAdmin } from "./session.ts";
import type { World } from "./world.ts";

/** Lawyers with debits to pay, each signed in. */
export interface CallsWorld {
  networkId: number;
  admin: Headers;
  lawyers: Lawyer[];
}

export interface Lawyer {
  id: number;
  userId: number;
  headers: Headers;
  debits: number[];
}

/** `lawyers` signed-in lawyers of one network, each with `debits` debits of $500.00. */
export async function lawyersWhoOwe(
  world: World,
  name: string,
  size: { lawyers: number; debits: number },
): Promise<CallsWorld> {
  const { client, db } = world;
  const network = await makeNetwork(db, { name });
  const { id: networkId } = network;
  const panel = await makePanel(db, network, size.lawyers);
  const plan = await makePlan(db, network, { amountCents: 500_00 });
  await makeEnrolments(db, panel, plan, { startDate: "2021-01-01", enrolledOn: "2020-12-31" });
  const asOf = plainDate("2021-01-01").add({ months: size.debits - 1 });
  await createDueDebits(db, { networkId, asOf });
  await client.query(
    `insert into users (network_id, role, attorney_id, name, email)
     select network_id, 'attorney', id, first_name || ' ' || last_name, email
     from attorneys where network_id = $1 order by id`,
    [networkId],
  );
  const headers = await signIn(
    world,
    "select id from users where network_id = $1 and role = 'attorney' order by attorney_id",
    [networkId],
  );
  const { rows } = await client.query<{ id: string; user_id: string; debits: string[] }>(
    `select d.attorney_id as id, u.id as user_id, array_agg(d.id::text order by d.id) as debits
     from debits d join users u on u.network_id = d.network_id and u.attorney_id = d.attorney_id
     where d.network_id = $1 group by d.attorney_id, u.id order by d.attorney_id`,
    [networkId],
  );
  await client.query("vacuum analyze");
  const lawyers = rows.map((row, index) => ({
    id: Number(row.id),
    userId: Number(row.user_id),
    headers: headers[index] ?? { cookie: "", "x-csrf-token": "" },
    debits: row.debits.map(Number),
  }));
  return { networkId, admin: await signInAdmin(world, networkId), lawyers };
}
