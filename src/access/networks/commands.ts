import { z } from "zod";
import { Email, Name } from "#kit/contract/fields.ts";
import { fieldErrors } from "#kit/contract/validation-messages.ts";
import { type Command, command } from "#kit/cli/command.ts";
import { flag } from "#kit/cli/command-arguments.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { Password } from "#access/sign-in/contract.ts";
import { removeSecondFactorOfEmail } from "#access/sign-in/lost-second-factor.ts";
import { endSessionsOfEmail } from "#access/sign-in/sessions.ts";
import { isNotShut, makeSignInLink } from "#access/sign-in/sign-in-links.ts";
import { chooseNetwork, networkOption } from "#kit/cli/chosen-networks.ts";
import { createAdmin, createNetwork, operator } from "#access/networks/networks.ts";

const createNetworkCommand = command({
  name: "create-network",
  summary: "Make a network: one lawyer referral service",
  options: {
    name: { value: "NAME", help: "What it is called", schema: Name },
    "time-zone": {
      value: "ZONE",
      help: "An IANA name such as America/Chicago; its days begin by it",
      schema: z.string(),
    },
    "permit-matter-editing": flag("Administrators may edit referral contact details"),
  },
  async run({ db }, given) {
    const { name, "time-zone": timeZone, "permit-matter-editing": permitsMatterEditing } = given;
    const id = await inTransaction(db, (tx) =>
      createNetwork(tx, { name, timeZone, permitsMatterEditing }),
    );
    return {
      text: `Made network ${id}, ${name}. Give it an administrator with create-admin --network ${id}.`,
      json: { network: { id, name, timeZone } },
    };
  },
});

const createAdminCommand = command({
  name: "create-admin",
  summary: "Give a network an administrator",
  details:
    "Prints a single-use link, valid for seven days, with which they choose a password.\nWith --password-stdin the password is read from standard input instead.",
  options: {
    email: { value: "EMAIL", help: "Their email address, to sign in with", schema: Email },
    name: { value: "NAME", help: "Their name", schema: Name },
    network: networkOption("the first one"),
    "password-stdin": flag("Read their password from standard input"),
  },
  async run({ db, publicUrl, readInput }, given) {
    const { email, name } = given;
    const password = given["password-stdin"] ? acceptable(await readInput()) : null;
    const network = await chooseNetwork(db, given.network);
    const { userId, link } = await inTransaction(db, async (tx) => {
      const userId = await createAdmin(tx, { networkId: network.id, name, email, password });
      const invited = { networkId: network.id, userId };
      const making = { publicUrl, by: operator(network.id), from: null };
      const link =
        password === null ? await makeSignInLink(tx, invited, "invitation", making) : null;
      return { userId, link };
    });
    const made = `${name} (${email}) is now an administrator of ${network.name}.`;
    return {
      text: link ? `${made}\nTo choose a password, once: ${link.url}` : made,
      json: { user: { id: userId, name, email, networkId: network.id }, link },
    };
  },
});

const removeSecondFactorCommand = command({
  name: "remove-second-factor",
  summary: "Take somebody's second factor away, who has lost it",
  details:
    "Removes the authenticator app, its recovery codes and all passkeys of one account, and ends its sessions: the\npassword alone lets in again. The person is mailed, and the activity of the network says so. Administrators cannot\ndo this within seven days of a changed email address or password; this command can, and then says so.",
  operands: ["EMAIL"],
  options: {},
  async run({ db }, _given, [given = ""]) {
    const email = emailOf(given);
    const person = await inTransaction(db, (tx) => removeSecondFactorOfEmail(tx, email, operator));
    const { userId, name, networkId, changedLately } = person;
    const lately = changedLately
      ? ` Their ${changedLately.what} was changed less than seven days ago: make sure that it was they who asked.`
      : "";
    return {
      text: `${name} (${email}) signs in with the password alone now. They are mailed.${lately}`,
      json: { user: { id: userId, name, email, networkId } },
    };
  },
});

const endSessionsCommand = command({
  name: "end-sessions",
  summary: "Sign somebody out everywhere",
  details:
    "Ends every session of one account, on all devices, at once; the password stays as it is. The activity of the\nnetwork says so.",
  operands: ["EMAIL"],
  options: {},
  async run({ db }, _given, [given = ""]) {
    const email = emailOf(given);
    const { name, ended } = await inTransaction(db, (tx) =>
      endSessionsOfEmail(tx, email, operator),
    );
    const sessions = ended === 1 ? "1 session" : `${ended} sessions`;
    return {
      text: `${name} (${email}) is signed out everywhere: ${sessions} ended.`,
      json: { email, ended },
    };
  },
});

function emailOf(given: string): string {
  const read = z.object({ email: Email }).safeParse({ email: given }, { reportInput: true });
  if (read.success) return read.data.email;
  throw new Refusal(422, fieldErrors(read.error)[0]?.message ?? "Email is not valid.");
}

function acceptable(input: string): string {
  const read = z
    .object({ password: Password })
    .safeParse({ password: input.replace(/\r?\n$/, "") }, { reportInput: true });
  if (read.success) return read.data.password;
  throw new Refusal(422, fieldErrors(read.error)[0]?.message ?? "Password is not valid.");
}

const signInLinkCommand = command({
  name: "sign-in-link",
  summary: "Print a link with which somebody chooses a new password",
  details:
    "For who has forgotten the password, or whose invitation has ended, where no mail is sent. The link works once, for two hours; who has it can sign in as that person, so hand it over to them alone. It is written to the network's activity.",
  options: {
    email: { value: "EMAIL", help: "With what they sign in", schema: Email },
  },
  async run({ db, publicUrl }, { email }) {
    const { account, link } = await inTransaction(db, async (tx) => {
      const account = await tx
        .selectFrom("users as u")
        .select(["u.id", "u.name", "u.networkId"])
        .where("u.email", "=", email)
        .where(isNotShut)
        .executeTakeFirst();
      if (!account) throw new Refusal(404, `Nobody signs in as ${email}, or the account is shut.`);
      const { id: userId, networkId } = account;
      const making = { publicUrl, by: operator(networkId), from: null };
      const whose = { networkId, userId };
      return { account, link: await makeSignInLink(tx, whose, "password_reset", making) };
    });
    return {
      text: `For ${account.name} (${email}), to choose a new password, once, within two hours: ${link.url}`,
      json: { user: { id: account.id, name: account.name, email }, link },
    };
  },
});

export const networkCommands: Command[] = [
  createNetworkCommand,
  createAdminCommand,
  signInLinkCommand,
  removeSecondFactorCommand,
  endSessionsCommand,
];
