import { Temporal } from "temporal-polyfill";
import { dayIn, type Instant, type PlainDate } from "#domain/calendar.ts";
import { audit } from "#db/audit.ts";
import type { Db } from "#db/database.ts";
import { givePasswords, makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";
import { type NewNetwork, operator } from "#features/networks/networks.ts";

/** A demo network being created. Its history is given in days before `today`, in its own time zone. */
export interface DemoNetwork extends MadeNetwork {
  now: Instant;
  today: PlainDate;
}

export interface DemoStart {
  now: Instant;
  /** The hash of the one password of all demo accounts. */
  passwordHash: string;
}

/** What stands below its name on paper. */
interface DemoOffice {
  postalAddress: string;
  phone: string;
  email: string;
}

export async function startDemoNetwork(
  tx: Db,
  { now, passwordHash }: DemoStart,
  {
    admin: person,
    ...wanted
  }: NewNetwork & DemoOffice & { admin: { name: string; email: string } },
): Promise<DemoNetwork> {
  const network = await makeNetwork(tx, { ...wanted, admin: person });
  const { id, timeZone, admin } = network;
  await givePasswords(tx, [admin.userId], passwordHash);
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

/** An instant on a day of the network's calendar, but never a future one; `time` is local, such as 14:30. */
export function instantOn({ timeZone, now }: DemoNetwork, day: PlainDate, time: string): string {
  const plainTime = Temporal.PlainTime.from(time);
  const instant = day.toZonedDateTime({ timeZone, plainTime }).toInstant();
  return (Temporal.Instant.compare(instant, now) > 0 ? now : instant).toString();
}
