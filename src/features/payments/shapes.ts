import { z } from "zod";
import { Id, Money, Timestamp } from "#contract/fields.ts";

/*
 * What payments look like inside an attorney's record. They stand apart from the payment calls,
 * which answer with that record, so that the two contracts do not import each other.
 */

const share = {
  id: Id,
  name: z.string(),
  description: z.string(),
  note: z.string(),
  quantity: Money,
  createdAt: Timestamp,
};

/** One debit's share of a card payment. */
export const OnlinePayment = z.object({ ...share, status: z.enum(["processing", "paid"]) });
export type OnlinePayment = z.output<typeof OnlinePayment>;

/** One debit's share of a check. */
export const CheckPayment = z.object({
  ...share,
  checkNumber: z.string(),
  status: z.enum(["pending", "approved", "denied"]),
});
export type CheckPayment = z.output<typeof CheckPayment>;
