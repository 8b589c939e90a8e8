import { expect, test } from "vitest";
import {
  accessAfterReturn,
  emailKept,
  invitation,
  type MailText,
  newEmailCounts,
  newEmailToConfirm,
  oldEmailToConfirm,
  passwordReset,
  referral,
  referralEnded,
  renderMail,
  secondFactorKept,
  signedOut,
} from "#outgoing/mail/templates.ts";

/* Every mail's whole text, as its reader has it above the address of the page that it is about. */

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
const stays = "Your email address stays as it was";
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

Harbor County has made an account for you. Choose a password here within seven days; the link works once:

https://dues.example.test/sign-in/link#k3JZ-abc`,
  ],
  [
    "a link to choose a new password",
    passwordReset({ name: "Ada Min", link }),
    "Choose a new password",
    `Dear Ada Min,

Someone, most likely you, asked for a new password. Choose it here within two hours:

https://dues.example.test/sign-in/link#k3JZ-abc

If it was not you, ignore this mail: nothing has changed.`,
  ],
  [
    "a link to who is on the panel again",
    accessAfterReturn({ name: "Maya Okafor", networkName: "Harbor County", link }),
    "Your access to Harbor County",
    `Dear Maya Okafor,

Harbor County has taken you back on its panel. The password and the passkeys that you had no longer work. Choose a new password here within seven days; the link works once:

https://dues.example.test/sign-in/link#k3JZ-abc`,
  ],
  [
    "another address, to the new one",
    newEmailToConfirm({ ...change, link: addressLink }),
    "Confirm your new email address",
    `Dear Maya Okafor,

Ada Min has asked to change the email address of your account at Harbor County from maya@old.example to this one. Confirm within thirty days that it is yours:

https://dues.example.test/sign-in/address#k3JZ-abc

If you know nothing of this, ignore this mail: nothing changes.`,
  ],
  [
    "another address, to the old one",
    oldEmailToConfirm({ ...change, link: addressLink, appliesOn: "2026-12-03" }),
    "Your email address is to be changed",
    `Dear Maya Okafor,

Ada Min has asked to change the email address of your account at Harbor County from this one to maya@new.example. Confirm this, or keep this address:

https://dues.example.test/sign-in/address#k3JZ-abc

If you do neither, the change takes effect on 12/03/2026, provided that the new address is confirmed. Until then you sign in with this address.

If you have not asked for this, keep this address and tell Harbor County.`,
  ],
  [
    "an address that counts now",
    newEmailCounts(change),
    "You sign in with this address now",
    `Dear Maya Okafor,

The email address of your account at Harbor County was changed to this one. Sign in with it from now on; mail comes here. You are signed out everywhere.

To sign in:`,
  ],
  [
    "an address that was refused from the old one",
    emailKept({ ...change, why: "undone" }),
    stays,
    keptBecause(
      "the change to maya@new.example that Ada Min asked for was refused by the link in our mail to maya@old.example",
    ),
  ],
  [
    "an address that was called off",
    emailKept({ ...change, why: { by: "Grace Ful" } }),
    stays,
    keptBecause("Grace Ful has called off the change to maya@new.example that Ada Min asked for"),
  ],
  [
    "an address that was not confirmed",
    emailKept({ ...change, why: "expired" }),
    stays,
    keptBecause(
      "the change to maya@new.example that Ada Min asked for was not confirmed by the new address within thirty days",
    ),
  ],
  [
    "an address that somebody else has by now",
    emailKept({ ...change, why: "taken" }),
    stays,
    keptBecause(
      "the change to maya@new.example that Ada Min asked for was not made, because that address belongs to somebody else",
    ),
  ],
  [
    "a second factor that somebody wanted to remove",
    secondFactorKept({ name: "Maya Okafor", by: "Ada Min", changed: "email address" }),
    "Somebody asked to remove your second factor",
    `Dear Maya Okafor,

Ada Min has asked to remove the second factor of your account, because it was said to be lost. It was not removed: your email address was changed less than seven days ago.

If you have not asked for this, choose a new password at once and tell your referral service:`,
  ],
  [
    "a new referral",
    referral({ firstName: "Maya", networkName: "Harbor County", reportDueOn: "2026-07-30" }),
    "A client has been referred to you",
    `Dear Maya,

Harbor County has referred a client to you. Your first status report on this referral is due on 07/30/2026.

How to reach the client, and where to report:`,
  ],
  [
    "who was signed out by an administrator",
    signedOut({ name: "Maya Okafor", by: "Ada Min" }),
    "You were signed out everywhere",
    `Dear Maya Okafor,

Ada Min has signed you out on every device. You can sign in again at any time.

If somebody else may have used your account, choose a new password. If you do not know why this was done, ask your referral service:`,
  ],
  [
    "a referral that another attorney has now",
    referralEnded({
      firstName: "Maya",
      networkName: "Harbor County",
      referredOn: "2026-07-30",
      how: "reassigned",
      hasLeft: false,
    }),
    "A referral was reassigned",
    `Dear Maya,

Harbor County has given the referral that was made to you on 07/30/2026 to another attorney. You owe no further report on it.

Your referrals:`,
  ],
  [
    "a referral taken back from who has left",
    referralEnded({
      firstName: "Maya",
      networkName: "Harbor County",
      referredOn: "2026-07-30",
      how: "withdrawn",
      hasLeft: true,
    }),
    "A referral was withdrawn",
    `Dear Maya,

Harbor County has withdrawn the referral that was made to you on 07/30/2026. You owe no further report on it.`,
  ],
  [
    "a report that falls due",
    waiting({ kind: "reports due", firstName: "Grace", reports: 1 }),
    "A status report is due today",
    `Dear Grace,

The status report on one of your referrals is due today. Filing takes under a minute:`,
  ],
  [
    "several reports that fall due",
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

A status report that was due on 05/01/2026 has not been filed. On 07/01/2026, in 7 days, you will be suspended and receive no new referrals until it is.

File it here:`,
  ],
  [
    "a suspension of the next day, for a report that is due today",
    waiting({ ...warning, today: "2026-06-30", dueOn: "2026-06-30" }),
    "You will be suspended on 07/01/2026 unless you report",
    `Dear Grace,

A status report due on 06/30/2026 has not been filed. On 07/01/2026, tomorrow, you will be suspended and receive no new referrals until it is.

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

You receive no new referrals for now: 1 status report is more than 60 days late, the oldest due 04/30/2026.

File what is overdue and the suspension ends at once. Here:`,
  ],
  [
    "the end of a suspension",
    waiting({ kind: "suspension lifted", firstName: "Grace" }),
    "Your suspension is lifted",
    `Dear Grace,

Your suspension is lifted: you can receive referrals again. Yours are here:`,
  ],
  [
    "a check that was recorded",
    waiting({ ...check, event: "recorded", shares }),
    "Your check 1001 for $1,254.50 is recorded",
    `Dear Maya,

Your check 1001 for $1,254.50 has been recorded. It awaits confirmation; until then these amounts are reserved:

  Panel dues, due 01/31/2026: $1,234.50
  Experience panel (Family law), due 02/28/2026: $20.00

The payment, to read or to print:`,
  ],
  [
    "a check that was approved",
    waiting({ ...check, event: "approved", shares: share }),
    "Your check 1001 for $0.05 is approved",
    `Dear Maya,

Your check 1001 for $0.05 has been approved. Thank you. These amounts are paid:

  Panel dues, due 01/31/2026: $0.05

The payment, to read or to print:`,
  ],
  [
    "a check that was denied",
    waiting({ ...check, event: "denied", shares: share }),
    "Your check 1001 for $0.05 was not accepted",
    `Dear Maya,

Your check 1001 for $0.05 was not accepted. These amounts are owed as before:

  Panel dues, due 01/31/2026: $0.05

The payment, to read or to print:`,
  ],
  [
    "a check of a firm that brings credit",
    waiting({
      ...check,
      event: "approved",
      shares: share,
      creditCents: 4_000,
      firm: "Okafor & Lane",
    }),
    "Your part of check 1001 of Okafor & Lane for $40.05 is approved",
    `Dear Maya,

Your part of check 1001 of Okafor & Lane for $40.05 has been approved. Thank you. These amounts are paid:

  Panel dues, due 01/31/2026: $0.05
  Credit on your account: $40.00

The payment, to read or to print:`,
  ],
  [
    "credit that a check brought in the end",
    waiting({ ...check, event: "credited", shares: [], creditCents: 4_000, firm: null }),
    "Your check 1001 for $40.00 brought you credit",
    `Dear Maya,

Your check 1001 for $40.00 has brought you credit, which is kept on your account:

  Credit on your account: $40.00

The payment, to read or to print:`,
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

Together, you owe $1,289.50 for it.

Your account:`,
  ],
  [
    "a returned check of a firm that was credit alone",
    waiting({
      ...returned,
      ...ofFirm,
      shares: [],
      takenBackCents: 3_000,
      chargedCents: 1_000,
      feeCents: 0,
    }),
    "A check of your firm was returned by the bank",
    `Dear Maya,

The bank returned check 1001 of Okafor & Lane on 11/20/2026.

$30.00 of credit that it brought is taken off your account.

$10.00 of credit that it brought was given back to you, and is charged to your account.

Together, you owe $10.00 for it.

Your account:`,
  ],
  [
    "a returned check of which other credit has paid a part of the fee",
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

Other credit on your account has paid $25.00 of what is charged.

Together, you owe $1,264.50 for it.

Your account:`,
  ],
  [
    "a returned check of which other credit has paid all that is charged",
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

$10.00 of credit that it brought was given back to you, and is charged to your account.

A fee of $35.00 for the returned check is charged to your account.

Other credit on your account has paid $45.00 of what is charged.

You owe nothing for it.

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

The payment, to read or to print:`,
  ],
  [
    "a card payment given back",
    waiting({ ...card, event: "refunded", shares: share }),
    "Your card payment of $0.05 is refunded",
    `Dear Maya,

Your card payment of $0.05 has been refunded. These amounts are owed again:

  Panel dues, due 01/31/2026: $0.05

The payment, to read or to print:`,
  ],
  [
    "a refund that came to nothing",
    waiting({ ...card, event: "counts again", shares: share }),
    "Your card payment of $0.05 counts again",
    `Dear Maya,

Your card payment of $0.05 could not be refunded: the card processor returned the refund to your referral service. The payment counts again. These amounts are paid:

  Panel dues, due 01/31/2026: $0.05

The payment, to read or to print:`,
  ],
  [
    "a card payment that was not collected",
    waiting({ ...card, event: "failed", shares: share }),
    "Your card payment of $0.05 could not be collected",
    `Dear Maya,

Your card payment of $0.05 was approved, but the card processor could not collect it from your card's bank. These amounts are owed again:

  Panel dues, due 01/31/2026: $0.05

The payment, to read or to print:`,
  ],
  [
    "a card payment that was collected after all",
    waiting({ ...card, event: "came through", shares: share }),
    "Your card payment of $0.05 came through after all",
    `Dear Maya,

Your card payment of $0.05 could be collected from your card's bank after all. These amounts are paid; there is no need to pay them again:

  Panel dues, due 01/31/2026: $0.05

The payment, to read or to print:`,
  ],
])("the mail of %s", (_, text, subject, body) => {
  expect(text).toEqual({ subject, body });
});

test("a mail that has its text keeps it", () => {
  const written = { subject: "A subject", body: "A body" };
  expect(renderMail({ ...written, facts: null })).toEqual(written);
});

test("nothing is made of facts that no mail tells of", () => {
  expect(() => waiting({ kind: "greeting", firstName: "Grace" })).toThrow(/kind/);
});
