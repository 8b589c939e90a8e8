import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { Person } from "#features/demo/people.ts";

/** Put people on a network's panel, as if on `joinedOn`, in one statement. Answers their ids in order. */
export async function addToPanel(
  tx: Db,
  networkId: number,
  people: Person[],
  joinedAt: string,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    insert into attorneys (network_id, first_name, last_name, email, phone, bar_number,
      address_line_1, address_line_2, address_city, address_region, address_zip, created_at)
    select ${networkId}, person ->> 'firstName', person ->> 'lastName', person ->> 'email',
      person ->> 'phone', person ->> 'barNumber', person ->> 'addressLine1',
      person ->> 'addressLine2', person ->> 'addressCity', person ->> 'addressRegion',
      person ->> 'addressZip', ${joinedAt}::timestamptz
    from jsonb_array_elements(${JSON.stringify(people)}::jsonb) with ordinality as given (person, number)
    order by number
    returning id`.execute(tx);
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}
