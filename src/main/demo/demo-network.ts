import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import { z } from "zod";
import { dayIn, type Instant, type PlainDate } from "#kit/domain/calendar.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import type { RawJson } from "#kit/db/json-query.ts";
import { makeNetwork, type MadeNetwork } from "#main/demo/records/networks.ts";
import { type NewNetwork, operator } from "#access/networks/networks.ts";

/** A demo network being created. Its history is in days before `today`, in its time zone. */
export interface DemoNetwork extends MadeNetwork {
  now: Instant;
  today: PlainDate;
}

/** Its contact details on paper. */
interface DemoOffice {
  postalAddress: string;
  phone: string;
  email: string;
}

export async function startDemoNetwork(
  tx: Db,
  now: Instant,
  {
    admin: person,
    ...wanted
  }: NewNetwork & DemoOffice & { admin: { name: string; email: string } },
): Promise<DemoNetwork> {
  const network = await makeNetwork(tx, { ...wanted, admin: person });
  const { id, timeZone, admin } = network;
  await tx
    .updateTable("networks")
    .set({ firstStepsPutAwayAt: now.toString() })
    .where("id", "=", id)
    .execute();
  const created = (recordType: string, recordId: number, after: object) =>
    audit(tx, operator(id), { action: "created", recordType, recordId, after });
  await created("network", id, wanted);
  await created("user", admin.userId, { ...person, role: "admin" });
  return { ...network, now, today: dayIn(timeZone, now) };
}

/**
 * Set the clock that the database reads in this transaction to a local time of a day, or back to now without a day. The
 * product's functions then write records of that time.
 */
export async function turnClock(
  tx: Db,
  network: DemoNetwork,
  day: PlainDate | null,
  time = "09:00",
): Promise<void> {
  const setting = day
    ? sql`pg_current_xact_id() || ' ' || ${instantOn(network, day, time)}::text`
    : sql`''`;
  await sql`select set_config('referral.clock', ${setting}, true)`.execute(tx);
}

/** The id of the record that a product function returns. */
export const idIn = (answer: RawJson<unknown>): number =>
  z.object({ id: z.number() }).parse(JSON.parse(answer.text)).id;

/** An instant on a day of the network's calendar, but never a future one; `time` is local, such as 14:30. */
export function instantOn({ timeZone, now }: DemoNetwork, day: PlainDate, time: string): string {
  const plainTime = Temporal.PlainTime.from(time);
  const instant = day.toZonedDateTime({ timeZone, plainTime }).toInstant();
  return (Temporal.Instant.compare(instant, now) > 0 ? now : instant).toString();
}
