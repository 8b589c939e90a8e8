import { Fragment } from "react";
import { folded } from "#kit/domain/folded.ts";
import { phoneSearchDigits } from "#kit/domain/us-address.ts";

/** A text with the typed parts marked, and phone numbers in any format. */
export function Highlighted({ text, typed }: { text: string; typed: string }) {
  return splitAtMatches(text, typed).map((part, at) =>
    // Every second part is a match; parts never move.
    at % 2 === 0 ? <Fragment key={at}>{part}</Fragment> : <mark key={at}>{part}</mark>,
  );
}

/** Splits a text into alternating parts: not typed, typed. Names match in any spelling, as in the search. */
export function splitAtMatches(text: string, typed: string): string[] {
  const digits = phoneSearchDigits(typed);
  const words = typed
    .split(/[\s,]+/)
    .map(folded)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map((word) => word.replaceAll(/[^\p{L}\p{N}\s]/gu, String.raw`\$&`).replaceAll(" ", " +"));
  const patterns = [
    ...(digits ? [digits.split("").join(String.raw`\D{0,2}`)] : []),
    ...words.toSorted((a, b) => b.length - a.length),
  ];
  if (patterns.length === 0) return [text];
  const { letters, segments } = foldedLetters(text);
  const parts: string[] = [];
  let done = 0;
  for (const { 0: match, index } of letters.matchAll(new RegExp(patterns.join("|"), "g"))) {
    const from = Math.max(done, segments[index]?.from ?? done);
    const to = segments[index + match.length - 1]?.to ?? done;
    if (to === done) continue; // within "ß" both letters may match
    parts.push(text.slice(done, from), text.slice(from, to));
    done = to;
  }
  return [...parts, text.slice(done)];
}

/** A text folded as names are compared, letter by letter, with the part of the text behind each letter. */
function foldedLetters(text: string) {
  let letters = "";
  const segments: { from: number; to: number }[] = [];
  for (const { segment, index } of graphemes.segment(text)) {
    const each = folded(`x${segment}x`).slice(1, -1); // between two letters, so that a space is kept
    letters += each;
    const whole = { from: index, to: index + segment.length };
    segments.push(...each.split("").map(() => whole));
  }
  return { letters, segments };
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
