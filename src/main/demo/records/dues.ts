import { type Cents, cents } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

export interface MadePlan {
  id: number;
  networkId: number;
  name: string;
  amountCents: Cents;
  frequencyInMonths: number;
}

interface NewPlan {
  name?: string;
  description?: string;
  amountCents?: number;
  everyMonths?: number;
  createdAt?: string;
}

export async function makePlan(
  tx: Db,
  { id: networkId }: Pick<MadeNetwork, "id">,
  { amountCents = 5000, everyMonths = 1, ...wanted }: NewPlan = {},
): Promise<MadePlan> {
  return await tx
    .insertInto("plans")
    .values({
      networkId,
      name: wanted.name ?? "Panel dues",
      description: wanted.description,
      amountCents: cents(amountCents),
      frequencyInMonths: everyMonths,
      createdAt: wanted.createdAt,
    })
    .returning(["id", "networkId", "name", "amountCents", "frequencyInMonths"])
    .executeTakeFirstOrThrow();
}
