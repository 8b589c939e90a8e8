import type { z } from "zod";
import type { FieldError } from "#contract/envelope.ts";

/**
 * Say what is wrong with an input in sentences that name the field and the bound:
 * "Payment amount must be an amount in dollars from 0.01 to 1,000,000.00 …".
 */
export function fieldErrors(error: z.core.$ZodError): FieldError[] {
  return error.issues.flatMap((issue) => errorsOf(issue));
}

function errorsOf(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...issue.path, key].join("."),
      message: `${JSON.stringify(key.slice(0, 60))} is not a name that this request knows.`,
    }));
  }
  if (issue.code === "invalid_key") {
    const owner = issue.path.slice(0, -1).join(".");
    return [
      { path: issue.path.join("."), message: `${subject(owner)} ${issue.issues[0]?.message}.` },
    ];
  }
  const path = issue.path.join(".");
  return [{ path, message: `${subject(path)} ${ending(issue)}.` }];
}

function subject(path: string): string {
  const words = path.replaceAll("_", " ").trim().slice(0, 60);
  return words ? words[0]?.toUpperCase() + words.slice(1) : "The request";
}

function ending(issue: z.core.$ZodIssue): string {
  const says = issue.message;
  if (issue.input === undefined && issue.path.length > 0) return "must be given";
  if (/^(must|is|has) /.test(says)) return says.replace(/\.$/, "");
  if (issue.code === "invalid_type") return `must be ${article(issue.expected)}`;
  if (issue.code === "invalid_value")
    return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
  return "is not valid";
}

function article(expected: string): string {
  const word = { string: "text", boolean: "true or false" }[expected] ?? expected;
  if (word === "text" || word.includes(" ")) return word;
  return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
}
