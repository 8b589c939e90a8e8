import { Fragment } from "react";
import { folded } from "#domain/folded.ts";
import { phoneSearchDigits } from "#domain/us-address.ts";

/** A text in which what was typed is marked, the digits of a phone number however it is written. */
export function Highlighted({ text, typed }: { text: string; typed: string }) {
  return splitAtMatches(text, typed).map((part, at) =>
    // Every second part is a match; parts never move.
    at % 2 === 0 ? <Fragment key={at}>{part}</Fragment> : <mark key={at}>{part}</mark>,
  );
}

/**
 * A text in parts: what is not typed and what is, in turns. Both are compared folded: "munoz" marks "Muñoz".
 */
export function splitAtMatches(text: string, typed: string): string[] {
  const digits = phoneSearchDigits(typed);
  const words = folded(typed)
    .split(" ")
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map((word) => word.replaceAll(/[^\p{L}\p{N}\s]/gu, String.raw`\$&`));
  const patterns = [
    ...(digits ? [digits.split("").join(String.raw`\D{0,2}`)] : []),
    ...words.toSorted((a, b) => b.length - a.length),
  ];
  if (patterns.length === 0) return [text];
  const letters = Array.from(text, (letter) => ({ letter, folded: foldedLetter(letter) }));
  // Which letter of the text each character of the folded one is from.
  const origins = letters.flatMap((one, at) => Array.from({ length: one.folded.length }, () => at));
  const parts: string[] = [];
  let from = 0;
  const textBetween = (start: number, end: number) =>
    letters
      .slice(start, end)
      .map(({ letter }) => letter)
      .join("");
  const whole = letters.map((one) => one.folded).join("");
  for (const { 0: found, index } of whole.matchAll(new RegExp(patterns.join("|"), "g"))) {
    const start = Math.max(origins[index] ?? 0, from);
    const end = (origins[index + found.length - 1] ?? 0) + 1;
    if (end <= from) continue; // two words within one letter, such as æ
    parts.push(textBetween(from, start), textBetween(start, end));
    from = end;
  }
  return [...parts, textBetween(from, letters.length)];
}

/** A blank beside other letters stays one, where `folded` drops it at an end. */
const foldedLetter = (letter: string): string => folded(`x${letter}x`).slice(1, -1);
