import type { z } from "zod";
import type { FieldError } from "#kit/contract/envelope.ts";

/**
 * Turn Zod's issues into sentences that name the field and the bound: "Payment amount must be an amount in dollars
 * from 0.01 to 1,000,000.00 …". A schema's message is the end of such a sentence, or a whole sentence in which
 * `fieldPlaceholder` stands for the field's name.
 */
export function fieldErrors(error: z.core.$ZodError): FieldError[] {
  return error.issues.flatMap((issue) => errorsOf(issue));
}

function errorsOf(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...issue.path, key].join("."),
      message: `${JSON.stringify(key.slice(0, 60))} is not a field of this request.`,
    }));
  }
  if (issue.code === "invalid_key") {
    const owner = issue.path.slice(0, -1).join(".");
    return [
      { path: issue.path.join("."), message: `${fieldLabel(owner)} ${issue.issues[0]?.message}.` },
    ];
  }
  const path = issue.path.join(".");
  return [{ path, message: sentenceOf(issue, path) }];
}

/** Replaced by the field's name with its article: "Enter a first name." */
export const fieldPlaceholder = "…";

/** The message for an empty required field. */
export const requiredMessage = `Enter ${fieldPlaceholder}.`;

function sentenceOf(issue: z.core.$ZodIssue, path: string): string {
  const isWhole = /^[A-Z].*\.$/.test(issue.message);
  return isWhole && !isMissing(issue)
    ? issue.message.replace(fieldPlaceholder, withArticle(fieldLabel(path)))
    : `${fieldLabel(path)} ${ending(issue)}.`.replace(/\?\.$/, "?");
}

const isMissing = ({ input, path }: z.core.$ZodIssue) => input === undefined && path.length > 0;

/** The field's name in sentences, if the screen has no better one: "Payment amount". */
export function fieldLabel(path: string): string {
  const words = path.replaceAll("_", " ").trim().slice(0, 60);
  return words ? words[0]?.toUpperCase() + words.slice(1) : "The request";
}

/** A label within a sentence: "a first name", "an email address", "an API login ID", "a usual fee", "the amount". */
export function withArticle(label: string): string {
  const words = /^.[A-Z]/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
  if (/^amount\b/.test(words)) return `the ${words}`;
  return `${/^(?!us|uni|url)[aeiou]/i.test(words) ? "an" : "a"} ${words}`;
}

function ending(issue: z.core.$ZodIssue): string {
  const message = issue.message;
  if (isMissing(issue)) return "must be given";
  if (/^(must|is|has) /.test(message)) return message.replace(/\.$/, "");
  if (issue.code === "invalid_type") return `must be ${article(issue.expected)}`;
  if (issue.code === "invalid_value")
    return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
  return "is not valid";
}

function article(expected: string): string {
  const word = { string: "text", boolean: "true or false" }[expected] ?? expected;
  return word === "text" || word.includes(" ") ? word : withArticle(word);
}
