import type { MailText } from "#outgoing/mail/templates.ts";

/** What a person is told of by mail, because it may have been somebody else. */
export type SignInEvent =
  | "new device"
  | "password changed"
  | "authenticator app added"
  | "authenticator app removed"
  | "recovery codes renewed"
  | "recovery code used"
  | "passkey added"
  | "passkey removed"
  | "second factors removed";

interface Told {
  subject: string;
  /** Follows "Dear Maya Okafor,". */
  sentence: (networkName: string) => string;
}

const told: Record<SignInEvent, Told> = {
  "new device": {
    subject: "A new device signed in to your account",
    sentence: (network) =>
      `Your account at ${network} was signed in to on a device that it does not know yet`,
  },
  "password changed": {
    subject: "Your password was changed",
    sentence: (network) => `The password of your account at ${network} was changed`,
  },
  "authenticator app added": {
    subject: "An authenticator app was added to your account",
    sentence: (network) =>
      `Signing in to your account at ${network} now takes a code of an authenticator app`,
  },
  "authenticator app removed": {
    subject: "The authenticator app was removed from your account",
    sentence: (network) =>
      `Signing in to your account at ${network} no longer takes a code of an authenticator app`,
  },
  "recovery codes renewed": {
    subject: "New recovery codes were made for your account",
    sentence: (network) =>
      `New recovery codes were made for your account at ${network}; the earlier ones have ended`,
  },
  "recovery code used": {
    subject: "A recovery code of your account was used",
    sentence: (network) =>
      `Your account at ${network} was signed in to with one of its recovery codes`,
  },
  "passkey added": {
    subject: "A passkey was added to your account",
    sentence: (network) => `A passkey was added to your account at ${network}`,
  },
  "passkey removed": {
    subject: "A passkey was removed from your account",
    sentence: (network) => `A passkey was removed from your account at ${network}`,
  },
  "second factors removed": {
    subject: "The second factor was taken off your account",
    sentence: (network) =>
      `The second factors of your account at ${network} were taken away, so that you can sign in with your password and set up new ones`,
  },
};

/** A mail to whose account it is; `from` is null where the service's operator did it. */
export function signInNotice(
  event: SignInEvent,
  of: { name: string; networkName: string; from: { address: string; device: string } | null },
): MailText {
  const { subject, sentence } = told[event];
  const by = of.from ? `: ${of.from.device}, from the address ${of.from.address}` : "";
  return {
    subject,
    body: `Dear ${of.name},\n\n${sentence(of.networkName)}${by}.\n\nIf that was you, nothing more is needed. If it was not, choose a new password at once, end the sessions that you do not know, and tell ${of.networkName}:`,
  };
}
