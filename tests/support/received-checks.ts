import { sql } from "kysely";
import type { Day } from "#kit/domain/day.ts";
import { cents } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import type { MadeAttorney } from "#main/demo/records/attorneys.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

/** A law firm with these attorneys. Returns its id. */
export async function aFirm(
  db: Db,
  network: MadeNetwork,
  attorneys: Pick<MadeAttorney, "id">[],
  name = `Firm ${Math.random().toString(36).slice(2)}`,
): Promise<number> {
  const { id } = await db
    .insertInto("firms")
    .values({ networkId: network.id, name })
    .returning("id")
    .executeTakeFirstOrThrow();
  if (attorneys.length > 0)
    await db
      .updateTable("attorneys")
      .set({ firmId: id })
      .where(
        "id",
        "in",
        attorneys.map((attorney) => attorney.id),
      )
      .execute();
  return id;
}

/** Use credit, oldest first, on one debit, as an administrator does by hand: only entries move it. */
export async function applyCredit(
  db: Db,
  network: MadeNetwork,
  { creditId, debitId, cents }: { creditId: number; debitId: number; cents: number },
): Promise<void> {
  await insertEntry(db, network, { creditId, debitId, cents, kind: "applied" });
}

/** Record that credit was refunded to the attorney. */
export async function giveBack(
  db: Db,
  network: MadeNetwork,
  { creditId, cents }: { creditId: number; cents: number },
): Promise<void> {
  await insertEntry(db, network, { creditId, debitId: null, cents, kind: "given_back" });
}

async function insertEntry(
  db: Db,
  network: MadeNetwork,
  wanted: {
    creditId: number;
    debitId: number | null;
    cents: number;
    kind: "applied" | "given_back";
  },
): Promise<void> {
  const { attorneyId } = await db
    .selectFrom("credits")
    .select("attorneyId")
    .where("networkId", "=", network.id)
    .where("id", "=", wanted.creditId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto("entries")
    .values({
      networkId: network.id,
      attorneyId,
      creditId: wanted.creditId,
      cause: wanted.kind === "applied" ? "credit_applied" : "credit_given_back",
      fromAccount: wanted.kind === "applied" ? "receivable" : "bank",
      toAccount: "credit",
      debitId: wanted.debitId,
      amountCents: cents(wanted.cents),
      day: sql<Day>`network_day(${network.id})`,
    })
    .execute();
}

/** The credits of a network by age: the amount of each and what is left, in cents. */
export async function creditsOf(db: Db, network: MadeNetwork) {
  return await db
    .selectFrom("credits")
    .select(["id", "attorneyId", "amountCents as amount", "leftCents as left"])
    .where("networkId", "=", network.id)
    .orderBy("id")
    .execute();
}
