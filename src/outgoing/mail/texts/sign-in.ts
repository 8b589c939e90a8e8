import { z } from "zod";
import { type Day, formatDay } from "#kit/domain/day.ts";
import type { MailText } from "./mail-text.ts";

/** A new account. `link` works once, for seven days. */
export function invitation(to: { name: string; networkName: string; link: string }): MailText {
  return {
    subject: `Your access to ${to.networkName}`,
    body: `Dear ${to.name},\n\n${to.networkName} has created an account for you. Choose a password here within seven days. The link works once:\n\n${to.link}`,
  };
}

/** An attorney has returned to the panel. `link` works once, for seven days. */
export function accessAfterReturn(to: {
  name: string;
  networkName: string;
  link: string;
}): MailText {
  return {
    subject: `Your access to ${to.networkName}`,
    body: `Dear ${to.name},\n\nWelcome back to the panel of ${to.networkName}. Your old password and passkeys no longer work. Choose a new password here within seven days. The link works once:\n\n${to.link}`,
  };
}

/** A requested change of an account's email address. */
export interface EmailChangeAsked {
  name: string;
  networkName: string;
  askedBy: string;
  oldEmail: string;
  newEmail: string;
}

/** To the new address. `link` works for thirty days. */
export function newEmailToConfirm(of: EmailChangeAsked & { link: string }): MailText {
  return {
    subject: "Confirm your new email address",
    body: `Dear ${of.name},\n\n${of.askedBy} has asked to change the email address of your account at ${of.networkName} from ${of.oldEmail} to this one. Confirm within thirty days that this address is yours:\n\n${of.link}\n\nIf you do not know about this, ignore this email. Nothing will change.`,
  };
}

/** To the old address, which can stop the change. Without an answer, the change takes effect on `appliesOn`. */
export function oldEmailToConfirm(
  of: EmailChangeAsked & { link: string; appliesOn: Day },
): MailText {
  return {
    subject: "A change of your email address was requested",
    body: `Dear ${of.name},\n\n${of.askedBy} has asked to change the email address of your account at ${of.networkName} from this one to ${of.newEmail}. Confirm the change, or keep this address:\n\n${of.link}\n\nIf you do neither, the change takes effect on ${formatDay(of.appliesOn)}, once the new address is confirmed. Until then, sign in with this address.\n\nIf you did not ask for this, keep this address and contact ${of.networkName}.`,
  };
}

/** Why a requested change was not made. `by` is the person who canceled it. */
export type EmailChangeEnd = "undone" | "expired" | "taken" | { by: string };

export function emailChangeEnded(of: EmailChangeAsked & { why: EmailChangeEnd }): MailText {
  const change = `the change to ${of.newEmail} requested by ${of.askedBy}`;
  const because =
    typeof of.why === "object"
      ? `${of.why.by} canceled ${change}`
      : {
          undone: `${change} was refused through the link in our email to ${of.oldEmail}`,
          expired: `${change} was not confirmed from the new address within thirty days`,
          taken: `${change} was not made because another account uses that address`,
        }[of.why];
  return {
    subject: "Your email address was not changed",
    body: `Dear ${of.name},\n\nThe email address of your account at ${of.networkName} is still ${of.oldEmail}: ${because}.`,
  };
}

/** To the new address, when the change takes effect. */
export function emailChangeApplied(of: { name: string; networkName: string }): MailText {
  return {
    subject: "Sign in with this address from now on",
    body: `Dear ${of.name},\n\nThe email address of your account at ${of.networkName} was changed to this one. Sign in with it from now on. We will send your email here. You have been signed out everywhere.\n\nSign in:`,
  };
}

/** A new password was requested. `link` works once, for two hours. */
export function passwordReset(to: { name: string; link: string }): MailText {
  return {
    subject: "Choose a new password",
    body: `Dear ${to.name},\n\nSomeone, most likely you, asked for a new password. Choose it here within two hours:\n\n${to.link}\n\nIf it was not you, ignore this email. Nothing has changed.`,
  };
}

/** Codes are asked for only after the right password. */
export function codesGuessed(to: { name: string }): MailText {
  return {
    subject: "Wrong codes were entered for your account",
    body: `Dear ${to.name},\n\nSomeone entered your password and then too many wrong codes from your authenticator app. We accept no more codes for a while. Nobody got in.\n\nIf it was not you, someone knows your password. Choose a new one now to stop them:`,
  };
}

/** All sessions were ended by an administrator, or by the system administrator (`by` is null). */
export function signedOut(of: { name: string; by: string | null }): MailText {
  return {
    subject: "You were signed out everywhere",
    body: `Dear ${of.name},\n\n${of.by ?? "Your system administrator"} has signed you out on every device. You can sign in again at any time.\n\nIf someone else may have used your account, choose a new password. If you do not know why you were signed out, ask your referral service:`,
  };
}

/** Removed by an administrator, or by the system administrator (`by` is null). */
export function secondFactorRemoved(of: { name: string; by: string | null }): MailText {
  return {
    subject: "Your second factor was removed",
    body: `Dear ${of.name},\n\n${of.by ?? "Your system administrator"} has removed the second factor from your account because it was reported lost. You have been signed out everywhere. Until you set up another one, you sign in with only your password.\n\nIf you did not ask for this, choose a new password now and contact your referral service.\n\nSet up a second factor:`,
  };
}

/** An administrator tried to remove it too soon after `changed` was changed. */
export function secondFactorRemovalRefused(of: {
  name: string;
  by: string;
  changed: "email address" | "password";
}): MailText {
  return {
    subject: "Someone asked to remove your second factor",
    body: `Dear ${of.name},\n\n${of.by} has asked to remove the second factor from your account because it was reported lost. It was not removed, because your ${of.changed} was changed less than seven days ago.\n\nIf you did not ask for this, choose a new password now and contact your referral service:`,
  };
}

/** To the old address. */
export const EmailChanged = z.object({
  kind: z.literal("email changed"),
  name: z.string(),
  networkName: z.string(),
});

export function emailChanged({ name, networkName }: z.output<typeof EmailChanged>): MailText {
  return {
    subject: "The email address of your account was changed",
    body: `Dear ${name},\n\nThe email address of your account at ${networkName} was changed: sign in with the new one from now on. We no longer send email here. All sessions and sign-in links of the account have ended.\n\nIf you did not ask for this, contact ${networkName} immediately.`,
  };
}
