import { expect, test } from "vitest";
import { renderMail } from "#outgoing/mail/render-mail.ts";
import { referral, referralEnded } from "#outgoing/mail/texts/referrals.ts";
import {
  accessAfterReturn,
  emailChangeEnded,
  invitation,
  emailChangeApplied,
  newEmailToConfirm,
  oldEmailToConfirm,
  passwordReset,
  secondFactorRemovalRefused,
  signedOut,
} from "#outgoing/mail/texts/sign-in.ts";
import { type MailText } from "#outgoing/mail/texts/mail-text.ts";

/* The whole text of every email, without the page address below it. */

const waiting = (facts: object): MailText => renderMail({ subject: null, body: null, facts });
const link = "https://dues.example.test/sign-in/link#k3JZ-abc";
const addressLink = "https://dues.example.test/sign-in/address#k3JZ-abc";
const change = {
  name: "Maya Okafor",
  networkName: "Harbor County",
  askedBy: "Ada Min",
  oldEmail: "maya@old.example",
  newEmail: "maya@new.example",
};
const keptBecause = (because: string) =>
  `Dear Maya Okafor,\n\nThe email address of your account at Harbor County is still maya@old.example: ${because}.`;
const notChanged = "Your email address was not changed";
const warning = { kind: "suspension warning", firstName: "Grace", suspendedOn: "2026-07-01" };
const check = { kind: "receipt", firstName: "Maya", checkNumber: "1001" };
const card = { kind: "receipt", firstName: "Maya", checkNumber: null };
const ofFirm = { firm: "Okafor & Lane" };
const returned = {
  kind: "check returned",
  firstName: "Maya",
  checkNumber: "1001",
  firm: null,
  returnedOn: "2026-11-20",
};
const shares = [
  { plan: "Panel dues", note: "", dueOn: "2026-01-31", amountCents: 123_450 },
  { plan: "Experience panel", note: "Family law", dueOn: "2026-02-28", amountCents: 2_000 },
];
const share = [{ plan: "Panel dues", note: "", dueOn: "2026-01-31", amountCents: 5 }];

test.each<[string, MailText, string, string]>([
  [
    "an invitation",
    invitation({ name: "Ada Min", networkName: "Harbor County", link }),
    "Your access to Harbor County",
    `Dear Ada Min,

Harbor County has created an account for you. Choose a password here within seven days. The link works once:

https://dues.example.test/sign-in/link#k3JZ-abc`,
  ],
  [
    "a link to choose a new password",
    passwordReset({ name: "Ada Min", link }),
    "Choose a new password",
    `Dear Ada Min,

Someone, most likely you, asked for a new password. Choose it here within two hours:

https://dues.example.test/sign-in/link#k3JZ-abc

If it was not you, ignore this email. Nothing has changed.`,
  ],
  [
    "access after a return to the panel",
    accessAfterReturn({ name: "Maya Okafor", networkName: "Harbor County", link }),
    "Your access to Harbor County",
    `Dear Maya Okafor,

Welcome back to the panel of Harbor County. Your old password and passkeys no longer work. Choose a new password here within seven days. The link works once:

https://dues.example.test/sign-in/link#k3JZ-abc`,
  ],
  [
    "an address change, to the new address",
    newEmailToConfirm({ ...change, link: addressLink }),
    "Confirm your new email address",
    `Dear Maya Okafor,

Ada Min has asked to change the email address of your account at Harbor County from maya@old.example to this one. Confirm within thirty days that this address is yours:

https://dues.example.test/sign-in/address#k3JZ-abc

If you do not know about this, ignore this email. Nothing will change.`,
  ],
  [
    "an address change, to the old address",
    oldEmailToConfirm({ ...change, link: addressLink, appliesOn: "2026-12-03" }),
    "A change of your email address was requested",
    `Dear Maya Okafor,

Ada Min has asked to change the email address of your account at Harbor County from this one to maya@new.example. Confirm the change, or keep this address:

https://dues.example.test/sign-in/address#k3JZ-abc

If you do neither, the change takes effect on 12/03/2026, once the new address is confirmed. Until then, sign in with this address.

If you did not ask for this, keep this address and contact Harbor County.`,
  ],
  [
    "a changed address",
    emailChangeApplied(change),
    "Sign in with this address from now on",
    `Dear Maya Okafor,

The email address of your account at Harbor County was changed to this one. Sign in with it from now on. We will send your email here. You have been signed out everywhere.

Sign in:`,
  ],
  [
    "an address change refused from the old address",
    emailChangeEnded({ ...change, why: "undone" }),
    notChanged,
    keptBecause(
      "the change to maya@new.example requested by Ada Min was refused through the link in our email to maya@old.example",
    ),
  ],
  [
    "an address change that was canceled",
    emailChangeEnded({ ...change, why: { by: "Grace Ful" } }),
    notChanged,
    keptBecause("Grace Ful canceled the change to maya@new.example requested by Ada Min"),
  ],
  [
    "an address change that was not confirmed",
    emailChangeEnded({ ...change, why: "expired" }),
    notChanged,
    keptBecause(
      "the change to maya@new.example requested by Ada Min was not confirmed from the new address within thirty days",
    ),
  ],
  [
    "an address change to one that another account uses by now",
    emailChangeEnded({ ...change, why: "taken" }),
    notChanged,
    keptBecause(
      "the change to maya@new.example requested by Ada Min was not made because another account uses that address",
    ),
  ],
  [
    "a request to remove a second factor",
    secondFactorRemovalRefused({ name: "Maya Okafor", by: "Ada Min", changed: "email address" }),
    "Someone asked to remove your second factor",
    `Dear Maya Okafor,

Ada Min has asked to remove the second factor from your account because it was reported lost. It was not removed, because your email address was changed less than seven days ago.

If you did not ask for this, choose a new password now and contact your referral service:`,
  ],
  [
    "a new referral",
    referral({ firstName: "Maya", networkName: "Harbor County", reportDueOn: "2026-07-30" }),
    "A client has been referred to you",
    `Dear Maya,

Harbor County has referred a client to you. Your first status report on this referral is due on 07/30/2026.

See the client's contact details and file reports here:`,
  ],
  [
    "a sign-out everywhere by an administrator",
    signedOut({ name: "Maya Okafor", by: "Ada Min" }),
    "You were signed out everywhere",
    `Dear Maya Okafor,

Ada Min has signed you out on every device. You can sign in again at any time.

If someone else may have used your account, choose a new password. If you do not know why you were signed out, ask your referral service:`,
  ],
  [
    "a referral reassigned to another attorney",
    referralEnded({
      firstName: "Maya",
      networkName: "Harbor County",
      referredOn: "2026-07-30",
      how: "reassigned",
      hasLeft: false,
    }),
    "A referral was reassigned",
    `Dear Maya,

Harbor County has reassigned your referral of 07/30/2026 to another attorney. You do not need to file any more reports on it.

Your referrals:`,
  ],
  [
    "a referral withdrawn from an attorney who has left",
    referralEnded({
      firstName: "Maya",
      networkName: "Harbor County",
      referredOn: "2026-07-30",
      how: "withdrawn",
      hasLeft: true,
    }),
    "A referral was withdrawn",
    `Dear Maya,

Harbor County has withdrawn your referral of 07/30/2026. You do not need to file any more reports on it.`,
  ],
  [
    "a report due today",
    waiting({ kind: "reports due", firstName: "Grace", reports: 1 }),
    "A status report is due today",
    `Dear Grace,

The status report on one of your referrals is due today. Filing takes under a minute:`,
  ],
  [
    "several reports due today",
    waiting({ kind: "reports due", firstName: "Grace", reports: 12 }),
    "12 status reports are due today",
    `Dear Grace,

Status reports on 12 of your referrals are due today. Filing takes under a minute:`,
  ],
  [
    "a suspension a week ahead",
    waiting({ ...warning, today: "2026-06-24", dueOn: "2026-05-01" }),
    "You will be suspended on 07/01/2026 unless you report",
    `Dear Grace,

A status report that was due on 05/01/2026 has not been filed. If you do not file it, you will be suspended on 07/01/2026 (in 7 days) and will receive no new referrals until you do.

File it here:`,
  ],
  [
    "a suspension tomorrow, for a report due today",
    waiting({ ...warning, today: "2026-06-30", dueOn: "2026-06-30" }),
    "You will be suspended on 07/01/2026 unless you report",
    `Dear Grace,

A status report due on 06/30/2026 has not been filed. If you do not file it, you will be suspended on 07/01/2026 (tomorrow) and will receive no new referrals until you do.

File it here:`,
  ],
  [
    "a suspension",
    waiting({
      kind: "suspended",
      firstName: "Grace",
      reason: "1 status report is more than 60 days late, the oldest due 04/30/2026.",
    }),
    "You are suspended from receiving referrals",
    `Dear Grace,

You will not receive new referrals for now: 1 status report is more than 60 days late, the oldest due 04/30/2026.

File every overdue report and the suspension ends immediately:`,
  ],
  [
    "the end of a suspension",
    waiting({ kind: "suspension lifted", firstName: "Grace" }),
    "Your suspension is lifted",
    `Dear Grace,

Your suspension is lifted. You can receive referrals again.

Your referrals:`,
  ],
  [
    "a check that was recorded",
    waiting({ ...check, event: "recorded", shares }),
    "Your check 1001 for $1,254.50 is recorded",
    `Dear Maya,

Your check 1001 for $1,254.50 has been recorded and is waiting for confirmation. Until then, these amounts are reserved:

  Panel dues, due 01/31/2026: $1,234.50
  Experience panel (Family law), due 02/28/2026: $20.00

View or print the payment:`,
  ],
  [
    "a check that was approved",
    waiting({ ...check, event: "approved", shares: share }),
    "Your check 1001 for $0.05 is approved",
    `Dear Maya,

Your check 1001 for $0.05 has been approved. Thank you. These amounts are paid:

  Panel dues, due 01/31/2026: $0.05

View or print the payment:`,
  ],
  [
    "a check that was denied",
    waiting({ ...check, event: "denied", shares: share }),
    "Your check 1001 for $0.05 was not accepted",
    `Dear Maya,

Your check 1001 for $0.05 was not accepted. You still owe these amounts:

  Panel dues, due 01/31/2026: $0.05

View or print the payment:`,
  ],
  [
    "a firm's check that adds credit",
    waiting({
      ...check,
      event: "approved",
      shares: share,
      creditCents: 4_000,
      firm: "Okafor & Lane",
    }),
    "Your part of check 1001 from Okafor & Lane for $40.05 is approved",
    `Dear Maya,

Your part of check 1001 from Okafor & Lane for $40.05 has been approved. Thank you. These amounts are paid:

  Panel dues, due 01/31/2026: $0.05
  Credit on your account: $40.00

View or print the payment:`,
  ],
  [
    "credit from a check whose shares were decided one by one",
    waiting({ ...check, event: "credited", shares: [], creditCents: 4_000, firm: null }),
    "Your check 1001 for $40.00 added credit to your account",
    `Dear Maya,

Your check 1001 for $40.00 has added credit to your account:

  Credit on your account: $40.00

View or print the payment:`,
  ],
  [
    "a check that the bank returned",
    waiting({ ...returned, shares, takenBackCents: 0, chargedCents: 0, feeCents: 3_500 }),
    "Your check was returned by the bank",
    `Dear Maya,

The bank returned your check 1001 on 11/20/2026.

These amounts are owed again:

  Panel dues, due 01/31/2026: $1,234.50
  Experience panel (Family law), due 02/28/2026: $20.00

A fee of $35.00 for the returned check is charged to your account.

In total, you owe $1,289.50 for this check.

Your account:`,
  ],
  [
    "a firm's returned check that was only credit",
    waiting({
      ...returned,
      ...ofFirm,
      shares: [],
      takenBackCents: 3_000,
      chargedCents: 1_000,
      feeCents: 0,
    }),
    "A check from your firm was returned by the bank",
    `Dear Maya,

The bank returned check 1001 from Okafor & Lane on 11/20/2026.

$30.00 of credit from this check was removed from your account.

$10.00 of credit from this check was already refunded to you. It is now charged to your account.

In total, you owe $10.00 for this check.

Your account:`,
  ],
  [
    "a returned check whose fee other credit has partly paid",
    waiting({
      ...returned,
      shares,
      takenBackCents: 0,
      chargedCents: 0,
      feeCents: 3_500,
      fromCreditCents: 2_500,
    }),
    "Your check was returned by the bank",
    `Dear Maya,

The bank returned your check 1001 on 11/20/2026.

These amounts are owed again:

  Panel dues, due 01/31/2026: $1,234.50
  Experience panel (Family law), due 02/28/2026: $20.00

A fee of $35.00 for the returned check is charged to your account.

Other credit on your account has paid $25.00 of these charges.

In total, you owe $1,264.50 for this check.

Your account:`,
  ],
  [
    "a returned check whose charges other credit has paid in full",
    waiting({
      ...returned,
      shares: [],
      takenBackCents: 0,
      chargedCents: 1_000,
      feeCents: 3_500,
      fromCreditCents: 4_500,
    }),
    "Your check was returned by the bank",
    `Dear Maya,

The bank returned your check 1001 on 11/20/2026.

$10.00 of credit from this check was already refunded to you. It is now charged to your account.

A fee of $35.00 for the returned check is charged to your account.

Other credit on your account has paid $45.00 of these charges.

You owe nothing for this check.

Your account:`,
  ],
  [
    "a card payment",
    waiting({ ...card, event: "captured", shares }),
    "Your card payment of $1,254.50 is received",
    `Dear Maya,

Your card payment of $1,254.50 has been received. Thank you. These amounts are paid:

  Panel dues, due 01/31/2026: $1,234.50
  Experience panel (Family law), due 02/28/2026: $20.00

View or print the payment:`,
  ],
  [
    "a refunded card payment",
    waiting({ ...card, event: "refunded", shares: share }),
    "Your card payment of $0.05 is refunded",
    `Dear Maya,

Your card payment of $0.05 has been refunded. These amounts are owed again:

  Panel dues, due 01/31/2026: $0.05

View or print the payment:`,
  ],
  [
    "a refund that failed",
    waiting({ ...card, event: "counts again", shares: share }),
    "Your card payment of $0.05 could not be refunded",
    `Dear Maya,

Your card payment of $0.05 could not be refunded: the card processor returned the refund to your referral service. Your payment is valid again. These amounts are paid:

  Panel dues, due 01/31/2026: $0.05

View or print the payment:`,
  ],
  [
    "a card payment that was not collected",
    waiting({ ...card, event: "failed", shares: share }),
    "Your card payment of $0.05 could not be collected",
    `Dear Maya,

Your card payment of $0.05 was approved, but the card processor could not collect it from your card's bank. These amounts are owed again:

  Panel dues, due 01/31/2026: $0.05

View or print the payment:`,
  ],
  [
    "a card payment that was collected after all",
    waiting({ ...card, event: "came through", shares: share }),
    "Your card payment of $0.05 was collected after all",
    `Dear Maya,

Your card payment of $0.05 was collected from your card's bank after all. These amounts are paid. You do not need to pay them again:

  Panel dues, due 01/31/2026: $0.05

View or print the payment:`,
  ],
])("the email about %s", (_, text, subject, body) => {
  expect(text).toEqual({ subject, body });
});

test("an email stored as text keeps its text", () => {
  const written = { subject: "A subject", body: "A body" };
  expect(renderMail({ ...written, facts: null })).toEqual(written);
});

test("facts of an unknown kind are refused", () => {
  expect(() => waiting({ kind: "greeting", firstName: "Grace" })).toThrow(/kind/);
});
