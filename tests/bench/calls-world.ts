import { type Headers, signIn, signInAdmin } from "./session.ts";
import { aBenchNetwork, aBenchPanel, type World } from "./world.ts";

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

/** So many lawyers of one network, each owing so many debits of $500.00. */
export async function lawyersWhoOwe(
  world: World,
  name: string,
  size: { lawyers: number; debits: number },
): Promise<CallsWorld> {
  const { client } = world;
  const networkId = await aBenchNetwork(world, name);
  await aBenchPanel(world, networkId, size.lawyers);
  await client.query(
    `with made as (
      insert into plans (network_id, name, description, amount_cents, frequency_in_months)
      values ($1, 'Panel dues', 'What every member pays', 50000, 1) returning id)
     insert into enrolments (network_id, attorney_id, plan_id, start_date, enrolled_on, first_period)
     select a.network_id, a.id, made.id, '2021-01-01', '2020-12-31', 0
     from attorneys a, made where a.network_id = $1 order by a.id`,
    [networkId],
  );
  await client.query(
    `insert into debits (network_id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents)
     select network_id, attorney_id, id, k, '2021-01-01'::date + 30 * k, 50000, 50000
     from enrolments, generate_series(0, $2::integer - 1) as k where network_id = $1`,
    [networkId, size.debits],
  );
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

/** Those of a list that calls take in turn. */
export function inTurn<Item>(items: Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error("There is nothing to take.");
  return item;
}
