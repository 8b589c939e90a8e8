import { formatMoney } from "#kit/domain/money.ts";
import type { Plan } from "./contract.ts";
import type { Done } from "./DoneNotice.tsx";

interface Enrolled {
  subscribed: number;
  debitsCreated: number;
  batchId: number;
}

/** The message after enrolling many, and the batch to undo. `whom` says how many attorneys. */
export function enrolledMessage(
  plan: Pick<Plan, "name" | "amount">,
  whom: string,
  made: Enrolled,
): Done {
  const { subscribed, debitsCreated, batchId } = made;
  const debits = `${debitsCreated.toLocaleString("en-US")} ${debitsCreated === 1 ? "debit" : "debits"}`;
  const billed =
    debitsCreated > 0
      ? ` ${debits} of ${formatMoney(plan.amount)} ${debitsCreated === 1 ? "was" : "were"} created.`
      : "";
  return {
    words: `${plan.name}: ${whom}.${billed}`,
    ...(subscribed > 0 && { batch: { id: batchId, planName: plan.name } }),
  };
}
