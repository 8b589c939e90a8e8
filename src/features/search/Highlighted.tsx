import { Fragment } from "react";
import { phoneSearchDigits } from "#domain/us-address.ts";

/** A text in which what was typed is marked, the digits of a phone number however it is written. */
export function Highlighted({ text, typed }: { text: string; typed: string }) {
  return splitAtMatches(text, typed).map((part, at) =>
    // Every second part is a match; parts never move.
    at % 2 === 0 ? <Fragment key={at}>{part}</Fragment> : <mark key={at}>{part}</mark>,
  );
}

/** A text in parts: what is not typed and what is, in turns. */
export function splitAtMatches(text: string, typed: string): string[] {
  const digits = phoneSearchDigits(typed);
  const words = typed
    .split(/[\s,]+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map((word) => word.replaceAll(/[^\p{L}\p{N}\s]/gu, String.raw`\$&`));
  const patterns = [
    ...(digits ? [digits.split("").join(String.raw`\D{0,2}`)] : []),
    ...words.toSorted((a, b) => b.length - a.length),
  ];
  return patterns.length === 0 ? [text] : text.split(new RegExp(`(${patterns.join("|")})`, "i"));
}
