import { z } from "zod";
import { formatDay } from "#kit/domain/day.ts";
import { cents, formatMoney } from "#kit/domain/money.ts";
import { Refusal } from "#kit/contract/refusal.ts";

/** The database error's detail about the check already recorded (rules/checks.sql). */
const KnownCheck = z.object({
  payer: z.string(),
  checkNumber: z.string(),
  amountCents: z.number().int(),
  receivedOn: z.string(),
  status: z.string(),
});

/**
 * 409 for a check whose number the payer's firm or another of its attorneys already has, with the field that allows it
 * anyway. `violation` is the database's error. Attorneys do not see each other's checks. Source: the book, rule 17.
 */
export function duplicateCheckRefusal(
  checkNumber: string,
  violation: unknown,
  role: "admin" | "attorney",
): Refusal {
  const known = role === "admin" ? knownCheckIn(violation) : null;
  const message =
    known ??
    `Check ${checkNumber} has already been recorded for your firm or one of its attorneys.`;
  return new Refusal(409, message, {
    errors: [
      { path: "check_number", message },
      {
        path: "another_check",
        message: 'If this is a different check, select "This is a different check".',
      },
    ],
  });
}

/** A sentence about the known check; null if the error's detail was lost on the way. */
function knownCheckIn(violation: unknown): string | null {
  const detail: unknown = violation instanceof Error ? Reflect.get(violation, "detail") : undefined;
  if (typeof detail !== "string") return null;
  const { payer, checkNumber, amountCents, receivedOn, status } = KnownCheck.parse(
    JSON.parse(detail),
  );
  const state = status === "mixed" ? "decided in part" : status;
  return `Check ${checkNumber} of ${payer} has already been recorded: ${formatMoney(cents(amountCents))}, received on ${formatDay(receivedOn)}, ${state}.`;
}
