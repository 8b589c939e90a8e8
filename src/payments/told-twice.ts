import { z } from "zod";
import { formatDay } from "#kit/domain/day.ts";
import { cents, formatMoney } from "#kit/domain/money.ts";
import { Refusal } from "#kit/contract/refusal.ts";

/** What the database says of the check that is recorded already (rules/checks.sql). */
const KnownCheck = z.object({
  payer: z.string(),
  checkNumber: z.string(),
  amountCents: z.number().int(),
  receivedOn: z.string(),
  status: z.string(),
});

/**
 * 409 for a check whose number the payer's firm, or another attorney of it, has already, with what records it all the
 * same. `violation` is the database's error. Attorneys are not told of each other's checks. Source: the book, rule 17.
 */
export function recordedForFirm(
  checkNumber: string,
  violation: unknown,
  role: "admin" | "attorney",
): Refusal {
  const known = role === "admin" ? knownCheckIn(violation) : null;
  const message =
    known ?? `Check ${checkNumber} is recorded already, for your firm or one of its attorneys.`;
  return new Refusal(409, message, {
    errors: [
      { path: "check_number", message },
      { path: "another_check", message: 'Tick "It is another check" if this is another one.' },
    ],
  });
}

/** Payer, amount, day and state of the known check; null where something on the way has dropped the error's detail. */
function knownCheckIn(violation: unknown): string | null {
  const detail: unknown = violation instanceof Error ? Reflect.get(violation, "detail") : undefined;
  if (typeof detail !== "string") return null;
  const { payer, checkNumber, amountCents, receivedOn, status } = KnownCheck.parse(
    JSON.parse(detail),
  );
  const state = status === "mixed" ? "decided in part" : status;
  return `Check ${checkNumber} of ${payer} is recorded already: ${formatMoney(cents(amountCents))}, received on ${formatDay(receivedOn)}, ${state}.`;
}
