import { type Command, command } from "#kit/cli/command.ts";
import { flag } from "#kit/cli/command-arguments.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { type RotationResult, rotateSecret } from "#main/app-secret/secret-rotation.ts";

const rotateSecretCommand = command({
  name: "rotate-secret",
  summary: "Replace APP_SECRET: encrypt the card processors' keys with a new one",
  details:
    "The new secret is read from standard input; APP_SECRET is the old one. Stop all servers first, and start them\nwith the new secret afterwards. Everybody must sign in again. docs/operations.md has the whole procedure.",
  options: {
    "skip-unreadable": flag("Skip keys that neither secret decrypts"),
  },
  async run({ db, secret, readInput }, given) {
    const oldSecret = secret.read();
    const isLost = given["skip-unreadable"]; // then the present secret may also be the new one
    const newSecret = acceptable(await readInput(), isLost ? null : oldSecret);
    const keep = secret.replaceWith(newSecret);
    const rotated = await inTransaction(db, (tx) =>
      rotateSecret(tx, { oldSecret, newSecret, skipsUnreadable: isLost }),
    );
    const isKept = keep();
    return { text: summaryOf(rotated, isKept), json: { ...rotated } };
  },
});

const minLength = 32;

function acceptable(input: string, oldSecret: string | null): string {
  const secret = input.trim();
  if (secret.length < minLength)
    throw new Refusal(
      422,
      `The new secret on standard input must have at least ${minLength} characters.`,
    );
  if (secret === oldSecret) throw new Refusal(422, "The new secret must differ from the old one.");
  return secret;
}

function summaryOf(rotated: RotationResult, isKept: boolean): string {
  const { reencrypted, alreadyDone, unreadable, sessionsEnded } = rotated;
  return [
    `Encrypted ${counted(reencrypted, "stored secret")} with the new secret${alreadyDone > 0 ? `; ${alreadyDone} had been already` : ""}.`,
    ...(unreadable > 0
      ? [`${counted(unreadable, "stored secret")} could not be read and were not changed.`]
      : []),
    `Ended ${counted(sessionsEnded, "session")}: everybody must sign in again.`,
    isKept
      ? "The new secret is saved in the data folder. Start the servers now."
      : "Set APP_SECRET to the new secret, then start the servers.",
  ].join("\n");
}

const counted = (count: number, what: string, several = `${what}s`) =>
  `${count.toLocaleString("en-US")} ${count === 1 ? what : several}`;

export const cardCommands: Command[] = [rotateSecretCommand];
