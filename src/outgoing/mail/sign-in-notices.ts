import type { MailText } from "#outgoing/mail/texts/mail-text.ts";

/** Events that a person is emailed about, because someone else may have caused them. */
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

interface NoticeText {
  subject: string;
  /** Follows "Dear Maya Okafor,". */
  sentence: (networkName: string) => string;
}

const notices: Record<SignInEvent, NoticeText> = {
  "new device": {
    subject: "A new device signed in to your account",
    sentence: (network) => `Someone signed in to your account at ${network} on a new device`,
  },
  "password changed": {
    subject: "Your password was changed",
    sentence: (network) => `The password of your account at ${network} was changed`,
  },
  "authenticator app added": {
    subject: "An authenticator app was added to your account",
    sentence: (network) =>
      `Signing in to your account at ${network} now takes a code from an authenticator app`,
  },
  "authenticator app removed": {
    subject: "The authenticator app was removed from your account",
    sentence: (network) =>
      `Signing in to your account at ${network} no longer takes a code from an authenticator app`,
  },
  "recovery codes renewed": {
    subject: "New recovery codes were made for your account",
    sentence: (network) => `New recovery codes replaced the old ones of your account at ${network}`,
  },
  "recovery code used": {
    subject: "A recovery code for your account was used",
    sentence: (network) =>
      `Someone signed in to your account at ${network} with one of its recovery codes`,
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
    subject: "The second factor was removed from your account",
    sentence: (network) =>
      `The second factors of your account at ${network} were removed, so you can sign in with your password and set up new ones`,
  },
};

/** An email to the account's owner. `from` is null if the system administrator did it. */
export function signInNotice(
  event: SignInEvent,
  of: { name: string; networkName: string; from: { address: string; device: string } | null },
): MailText {
  const { subject, sentence } = notices[event];
  const by = of.from ? `: ${of.from.device}, from the address ${of.from.address}` : "";
  return {
    subject,
    body: `Dear ${of.name},\n\n${sentence(of.networkName)}${by}.\n\nIf it was you, you do not need to do anything. If it was not, choose a new password now, end the sessions that you do not recognize, and contact ${of.networkName}:`,
  };
}
