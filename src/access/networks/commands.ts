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
import { isAccountOpen, makeSignInLink } from "#access/sign-in/sign-in-links.ts";
import { chooseNetwork, networkOption } from "#kit/cli/chosen-networks.ts";
import { createAdmin, createNetwork, operator } from "#access/networks/networks.ts";

const createNetworkCommand = command({
  name: "create-network",
  summary: "Create a network: one lawyer referral service",
  options: {
    name: { value: "NAME", help: "The network's name", schema: Name },
    "time-zone": {
      value: "ZONE",
      help: "An IANA name such as America/Chicago, for its dates",
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
      text: `Created network ${id}, ${name}. Add an administrator with create-admin --network ${id}.`,
      json: { network: { id, name, timeZone } },
    };
  },
});

const createAdminCommand = command({
  name: "create-admin",
  summary: "Add an administrator to a network",
  details:
    "Prints a single-use link, valid for seven days, for choosing a password.\nWith --password-stdin, the password is read from standard input instead.",
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
      text: link ? `${made}\nSingle-use link to choose a password: ${link.url}` : made,
      json: { user: { id: userId, name, email, networkId: network.id }, link },
    };
  },
});

const removeSecondFactorCommand = command({
  name: "remove-second-factor",
  summary: "Remove a lost second factor",
  details:
    "Removes the authenticator app, its recovery codes and all passkeys of one account, and ends its sessions. The\npassword is then enough to sign in. The person gets an email, and the network's activity shows it. Administrators\ncannot do this within seven days of a changed email address or password. This command can, and then says so.",
  operands: ["EMAIL"],
  options: {},
  async run({ db }, _given, [given = ""]) {
    const email = emailOf(given);
    const person = await inTransaction(db, (tx) => removeSecondFactorOfEmail(tx, email, operator));
    const { userId, name, networkId, recentChange } = person;
    const lately = recentChange
      ? ` Their ${recentChange.what} was changed less than seven days ago. Make sure that the request came from them.`
      : "";
    return {
      text: `${name} (${email}) now signs in with only a password. They get an email.${lately}`,
      json: { user: { id: userId, name, email, networkId } },
    };
  },
});

const endSessionsCommand = command({
  name: "end-sessions",
  summary: "Sign a person out everywhere",
  details:
    "Ends every session of one account on all devices immediately. The password does not change. The network's activity\nshows it.",
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
  summary: "Print a link for choosing a new password",
  details:
    "For a person with a forgotten password or an expired invitation, if no email is sent. The link works once, for two hours. Anyone with the link can sign in as that person, so give it only to them. The network's activity shows it.",
  options: {
    email: { value: "EMAIL", help: "Their email address for signing in", schema: Email },
  },
  async run({ db, publicUrl }, { email }) {
    const { account, link } = await inTransaction(db, async (tx) => {
      const account = await tx
        .selectFrom("users as u")
        .select(["u.id", "u.name", "u.networkId"])
        .where("u.email", "=", email)
        .where(isAccountOpen)
        .executeTakeFirst();
      if (!account) throw new Refusal(404, `No open account has the email address ${email}.`);
      const { id: userId, networkId } = account;
      const making = { publicUrl, by: operator(networkId), from: null };
      const whose = { networkId, userId };
      return { account, link: await makeSignInLink(tx, whose, "password_reset", making) };
    });
    return {
      text: `Single-use link for ${account.name} (${email}) to choose a new password within two hours: ${link.url}`,
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
