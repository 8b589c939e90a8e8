import type { z } from "zod";
import type { FieldError } from "#kit/contract/envelope.ts";
import type { Day } from "#kit/domain/day.ts";
import { cents, centsFromDollars, cleanAmount, formatMoney } from "#kit/domain/money.ts";
import { requestBody } from "#kit/web/api.tsx";
import { CallFailure, fieldErrorsOf } from "#kit/web/call-failure.tsx";
import type { DebitOfAttorney } from "#dues/ledger/contract.ts";
import { paymentHash, problemsIn, titleOf } from "#dues/ledger/typed-amounts.tsx";
import { recordWholeCheck } from "./contract.ts";
import type { Payer } from "./PayerSelect.tsx";
import { unallocatedAmount, type Parts } from "./check-allocation.tsx";

/** The check form's values, by their request names. `payer` stands for `attorney_id` or `firm_id`. */
export interface TypedCheck extends Parts {
  payer: Payer | null;
  check_number: string;
  amount: string;
  received_on: Day | null;
  note: string;
  approve: boolean;
  another_check: boolean;
}

/** The request that records a check. Throws a CallFailure that names every wrong field. */
export function newCheckBody(
  typed: TypedCheck,
  debits: readonly DebitOfAttorney[],
): z.output<typeof recordWholeCheck.body> {
  const { payer, amount, received_on, shares, credits, ...more } = typed;
  const listed = Object.fromEntries(debits.map(({ id }) => [id, shares[id] ?? ""]));
  const wanted = {
    ...more,
    amount: cleanAmount(amount),
    received_on: received_on ?? "",
    shares: paymentHash(listed),
    credits: paymentHash(credits),
    ...(payer?.kind === "firm" ? { firm_id: payer.id } : { attorney_id: payer?.id }),
  };
  const ofPayer = payer ? [] : [{ path: "payer", message: "Choose the payer." }];
  const body = attempt(() => requestBody(recordWholeCheck, wanted));
  const problems = [...ofPayer, ...fieldErrorsOf(body.error), ...problemsOfParts(typed, debits)];
  if (body.done && problems.length === 0) return body.done;
  throw new CallFailure("not sent", problems[0]?.message ?? "The check is not valid.", problems);
}

function attempt<Done>(
  act: () => Done,
): { done: Done; error: null } | { done: null; error: Error } {
  try {
    return { done: act(), error: null };
  } catch (error) {
    if (error instanceof CallFailure) return { done: null, error };
    throw error;
  }
}

function problemsOfParts(typed: TypedCheck, debits: readonly DebitOfAttorney[]): FieldError[] {
  const owners = new Map(debits.map(({ id, attorneyName }) => [id, attorneyName]));
  const wrong = [
    ...problemsIn(debits, typed.shares).map(({ debit, message }) => ({
      path: `shares.${debit.id}`,
      message: `${owners.get(debit.id)}, ${titleOf(debit)}: ${message}`,
    })),
    ...Object.entries(typed.credits).flatMap(([id, text]) => {
      const amount = cleanAmount(text) === "" ? 0 : centsFromDollars(cleanAmount(text));
      if (amount !== null && amount >= 0) return [];
      return [{ path: `credits.${id}`, message: "Credit: Enter an amount such as 125.50." }];
    }),
  ];
  if (wrong.length > 0 || typed.payer === null) return wrong;
  const left = unallocatedAmount(typed.amount, debits, typed);
  if (left === null || left === 0) return [];
  const difference = formatMoney(cents(Math.abs(left)));
  const message =
    left > 0
      ? `Place the remaining ${difference} on debits or as credit.`
      : `The parts are ${difference} more than the check. Reduce them.`;
  return [{ path: "shares", message }];
}
