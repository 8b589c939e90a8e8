import { z } from "zod";
import { containsCardNumber } from "#kit/domain/card.ts";
import { cleaned } from "#kit/domain/cleaned.ts";
import { earliestDay, isDay, latestDay } from "#kit/domain/day.ts";
import { isEmailAddress, withoutInvisible } from "#kit/domain/email-text.ts";
import {
  type Cents,
  centsFromDollars,
  dollarsText,
  maxAmount,
  minAmount,
} from "#kit/domain/money.ts";
import { requiredMessage, fieldPlaceholder } from "#kit/contract/validation-messages.ts";

/*
 * The kinds of values in requests and answers. A message is the end of a sentence that begins with the field's
 * name, "Payment amount" + "must be …", or a whole sentence (validation-messages.ts).
 */

/** For `min(1)` of a required field: its only message when empty. */
const whenEmpty = { error: requiredMessage, abort: true };

/** The message for an amount that is not a number, or out of bounds. Source: domain rules §2. */
export const amountMessage =
  "must be an amount in dollars from 0.01 to 1,000,000.00 with at most two decimals, such as 125.50";

const missingAmountMessage = `Enter ${fieldPlaceholder} in dollars, such as 125.50.`;

const amountOrNoneMessage =
  "must be an amount in dollars up to 1,000,000.00 with at most two decimals, such as 25.00, or 0 for none";

const missingAmountOrNoneMessage = `Enter ${fieldPlaceholder} in dollars, such as 25.00, or 0 for none.`;

/** Reads dollars. Takes the messages for text that is not an amount, and for empty text. */
const dollarsReader =
  (whenUnreadable: string, whenMissing: string) =>
  (dollars: string | number, context: z.core.ParsePayload): Cents => {
    const amount = centsFromDollars(dollars);
    if (amount !== null) return amount;
    const isEmpty = typeof dollars === "string" && dollars.trim() === "";
    const message = isEmpty ? whenMissing : whenUnreadable;
    context.issues.push({ code: "custom", message, input: dollars });
    return z.NEVER;
  };

const readDollars = dollarsReader(amountMessage, missingAmountMessage);

/** Dollars in JSON, cents in code. Any signed amount, for answers. */
export const Money = z.codec(z.string(), z.custom<Cents>(Number.isSafeInteger), {
  decode: readDollars,
  encode: dollarsText,
});

/** A positive amount in a request: a number or numeric string in dollars. */
export const Dollars = z.codec(
  z.union([z.number(), z.string()], { error: amountMessage }),
  z.custom<Cents>(
    (amount) => typeof amount === "number" && amount >= minAmount && amount <= maxAmount,
    { error: amountMessage },
  ),
  { decode: readDollars, encode: dollarsText },
);

/** As `Dollars`, or 0 for none. */
export const DollarsOrNone = z.codec(
  z.union([z.number(), z.string()], { error: amountOrNoneMessage }),
  z.custom<Cents>((amount) => typeof amount === "number" && amount >= 0 && amount <= maxAmount, {
    error: amountOrNoneMessage,
  }),
  { decode: dollarsReader(amountOrNoneMessage, missingAmountOrNoneMessage), encode: dollarsText },
);

/** A calendar day, `YYYY-MM-DD`. */
export const Day = z
  .string()
  .min(1, whenEmpty)
  .refine(isDay, `must be a date written YYYY-MM-DD, from ${earliestDay} to ${latestDay}`);

/** A day from the billing schedule. It may be later than a request may name. */
export const DueDay = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

/** An instant, ISO 8601 in UTC. */
export const Timestamp = z.iso.datetime();

export const Id = z
  .number({ error: "must be the number of a record" })
  .int("must be a whole number")
  .min(1, "must be the number of a record")
  .max(Number.MAX_SAFE_INTEGER, "must be the number of a record");

/** An id in a path or a query string, where everything is text. */
export const IdText = z.codec(
  z.string().regex(/^[1-9]\d{0,14}$/, "must be the number of a record"),
  Id,
  { decode: Number, encode: String },
);

/** An id that is a key of a map, such as a payment's. */
export const IdKey = z.string().regex(/^[1-9]\d{0,14}$/, "must have record numbers as its names");

const isOneLine = (text: string) => !/\p{Cc}/u.test(text);
const hasNoControlsButLineBreaks = (text: string) => !/(?![\n\r\t])\p{Cc}/u.test(text);

const isWellFormed = (text: string) => text.isWellFormed();

/** One line of text, cleaned and trimmed, without control characters. Reports only the first problem. */
export const line = (max: number) => lineOf(z.string().overwrite(cleaned), max);

/** As `line`, but unchanged: what another system issued, such as a key, or text that is looked up exactly. */
export const exactLine = (max: number) => lineOf(z.string(), max);

const lineOf = (text: z.ZodString, max: number) =>
  text
    .trim()
    .max(max, { error: `must have at most ${max} characters`, abort: true })
    .refine(isOneLine, {
      error: "must not contain control characters or line breaks",
      abort: true,
    })
    .refine(isWellFormed, { error: "must not contain broken characters", abort: true });

/**
 * Letters, digits, punctuation and symbols of any script, except invisible ones: Unicode's default ignorable code
 * points (fillers, zero widths, direction marks) and two blanks. A combining mark is only visible on a letter, so
 * it does not count.
 */
const visible = /(?![\p{Default_Ignorable_Code_Point}\u2800\u{1d159}])[\p{L}\p{N}\p{P}\p{S}]/u;

/** A name: one line of 1 to 200 characters, with at least one visible character. */
export const Name = line(200)
  .min(1, whenEmpty)
  .refine((text) => visible.test(text), "must have at least one visible character");

/** A note or description: at most 2,000 characters, line breaks allowed. */
export const Note = z
  .string()
  .overwrite(cleaned)
  .trim()
  .max(2000, "must have at most 2,000 characters")
  .refine(hasNoControlsButLineBreaks, "must not contain control characters")
  .refine(isWellFormed, "must not contain broken characters");

/** Text typed as an email address, without invisible characters; may be empty. */
export const EmailText = lineOf(z.string().overwrite(withoutInvisible), 200);

export const emailMessage = "must be an email address, such as name@example.org";

export const Email = EmailText.toLowerCase()
  .min(1, { error: "Enter an email address.", abort: true })
  .refine(isEmailAddress, emailMessage);

/** Checked first: a card number must be neither stored nor repeated in a message. */
export const refuseCardNumber = (message: string) =>
  z.refine<string>((text) => !containsCardNumber(text.replace(/-+/g, "-")), {
    error: message,
    abort: true,
  });

export const CheckNumber = z
  .string()
  .overwrite(cleaned)
  .trim()
  .min(1, whenEmpty)
  .max(100, { error: "must have 1 to 32 letters, digits or dashes", abort: true })
  .check(refuseCardNumber("must be the number printed on the check, not a card number"))
  .regex(/^[A-Za-z0-9-]{1,32}$/, "must have 1 to 32 letters, digits or dashes");

const monthsBounds = "a whole number of months from 1 to 120";

/** Months between two dues of a plan. A form sends NaN for text that is not a number. */
export const Months = z
  .number({
    error: ({ input }) =>
      Number.isNaN(input) ? `Enter ${monthsBounds}.` : `must be ${monthsBounds}`,
  })
  .int(`must be ${monthsBounds}`)
  .min(1, `must be ${monthsBounds}`)
  .max(120, `must be ${monthsBounds}`);
