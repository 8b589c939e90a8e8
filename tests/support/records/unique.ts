import { randomBytes } from "node:crypto";

let made = 0;

/** A unique text for names and addresses; no search for a word or number finds it. */
export const unique = () =>
  `${(made += 1).toString(16)}-${randomBytes(3).toString("hex")}`.replaceAll(/[0-9a-f]/g, (digit) =>
    consonants.charAt(Number.parseInt(digit, 16)),
  );

const consonants = "bcdfghjkmnpqrstv";
