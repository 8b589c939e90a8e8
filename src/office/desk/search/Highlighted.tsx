import { Fragment } from "react";
import { folded } from "#kit/domain/folded.ts";
import { phoneSearchDigits } from "#kit/domain/us-address.ts";

/** A text in which what was typed is marked, the digits of a phone number however it is written. */
export function Highlighted({ text, typed }: { text: string; typed: string }) {
  return splitAtMatches(text, typed).map((part, at) =>
    // Every second part is a match; parts never move.
    at % 2 === 0 ? <Fragment key={at}>{part}</Fragment> : <mark key={at}>{part}</mark>,
  );
}

/** A text in parts: what is not typed and what is, in turns. Names match however they are written, as in the search. */
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

/** A text as names are compared, but letter by letter, and which part of the text each of these letters is for. */
function foldedLetters(text: string) {
  let letters = "";
  const segments: { from: number; to: number }[] = [];
  for (const { segment, index } of graphemes.segment(text)) {
    const each = folded(`x${segment}x`).slice(1, -1); // between two letters, so that a blank is kept
    letters += each;
    const whole = { from: index, to: index + segment.length };
    segments.push(...each.split("").map(() => whole));
  }
  return { letters, segments };
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
