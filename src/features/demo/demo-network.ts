import { Temporal } from "temporal-polyfill";
import { dayIn, type Instant, type PlainDate } from "#domain/calendar.ts";
import type { Db } from "#db/database.ts";
import { createAdmin, createNetwork, type NewNetwork } from "#features/networks/networks.ts";

/** A demo network being created. Its history is given in days before `today`, in its own time zone. */
export interface DemoNetwork {
  id: number;
  timeZone: string;
  today: PlainDate;
  adminUserId: number;
}

export interface DemoStart {
  now: Instant;
  /** The hash of the one password of all demo accounts: hashing is slow, so it is done once. */
  passwordHash: string;
}

export async function startDemoNetwork(
  tx: Db,
  { now, passwordHash }: DemoStart,
  wanted: NewNetwork & { admin: { name: string; email: string } },
): Promise<DemoNetwork> {
  const { admin, ...network } = wanted;
  const id = await createNetwork(tx, network);
  const adminUserId = await createAdmin(tx, { networkId: id, ...admin, password: null });
  await addPasswordAccounts(tx, [adminUserId], passwordHash);
  return { id, timeZone: network.timeZone, today: dayIn(network.timeZone, now), adminUserId };
}

/** Let accounts sign in with the demo's password. */
export async function addPasswordAccounts(
  tx: Db,
  userIds: number[],
  passwordHash: string,
): Promise<void> {
  await tx
    .insertInto("accounts")
    .values(
      userIds.map((userId) => ({
        userId,
        accountId: String(userId),
        providerId: "credential",
        password: passwordHash,
      })),
    )
    .execute();
}

/** An instant on a day of the network's calendar; `time` is local, such as 14:30. */
export function instantOn({ timeZone }: DemoNetwork, day: PlainDate, time: string): string {
  const plainTime = Temporal.PlainTime.from(time);
  return day.toZonedDateTime({ timeZone, plainTime }).toInstant().toString();
}
