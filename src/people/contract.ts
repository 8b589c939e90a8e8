import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import {
  Day,
  DueDay,
  Email,
  Id,
  IdText,
  line,
  Money,
  Name,
  Timestamp,
} from "#kit/contract/fields.ts";
import { Phone, Region, Zip } from "#kit/contract/us-contact.ts";
import { AttorneyRow } from "#panel/contract.ts";
import { chosenAttorneys, hasIdsOrFilters, idsOrFiltersRequired } from "#panel/shapes.ts";
import { Debit } from "#dues/ledger/contract.ts";
import { importEndpoints, hasAllDigits } from "#kit/imports/contract.ts";
import { Instance, Plan } from "#dues/plans/contract.ts";

const share = {
  id: Id,
  /** The share's payment, which receipts and refunds refer to. */
  paymentId: Id,
  name: z.string(),
  description: z.string(),
  note: z.string(),
  /** The debit's due date. */
  dueDate: DueDay,
  quantity: Money,
  createdAt: Timestamp,
};

/** One debit's share of a card payment. */
export const OnlinePayment = z.object({
  ...share,
  status: z.enum(["processing", "paid"]),
  /** The amount that still counts: less than `quantity` after a partial refund or chargeback. */
  received: Money,
});
export type OnlinePayment = z.output<typeof OnlinePayment>;

/** One debit's share of a card payment that was refunded, charged back or not collected. It is owed again. */
export const ReversedOnlinePayment = z.object({
  ...share,
  status: z.enum(["refunded", "failed", "charged back"]),
});
export type ReversedOnlinePayment = z.output<typeof ReversedOnlinePayment>;

/** One debit's share of a check. */
export const CheckPayment = z.object({
  ...share,
  checkNumber: z.string(),
  status: z.enum(["pending", "approved", "denied", "returned"]),
});
export type CheckPayment = z.output<typeof CheckPayment>;

/** The part of a payment that is credit instead of paying a debit. A card refund uses it first. */
export const CreditPayment = z.object({
  paymentId: Id,
  /** Null for a card payment. */
  checkNumber: z.string().nullable(),
  quantity: Money,
  createdAt: Timestamp,
  status: z.enum([
    "pending",
    "approved",
    "denied",
    "returned",
    "processing",
    "paid",
    "partly refunded",
    "refunded",
    "charged back",
    "failed",
  ]),
  /** The amount that still counts. */
  received: Money,
});
export type CreditPayment = z.output<typeof CreditPayment>;

/**
 * Whether the attorney can sign in: no account; invited, and the link works or has expired; has a password; or returned
 * to the panel and must choose a new password.
 */
export const accountStates = [
  "none",
  "invited",
  "invitation_ended",
  "active",
  "new_password",
] as const;

export const Attorney = AttorneyRow.extend({
  /** Unused credit, and whether there ever was any. GET /attorneys/{id}/credit has the history. */
  credit: Money,
  hasHadCredit: z.boolean(),
  firstName: z.string(),
  lastName: z.string(),
  barNumber: z.string(),
  addressLine1: z.string(),
  addressLine2: z.string(),
  addressCity: z.string(),
  addressRegion: z.string(),
  addressZip: z.string(),
  suspendedAt: Timestamp.nullable(),
  suspensionReason: z.string().nullable(),
  leftReason: z.string(),
  account: z.enum(accountStates),
  /** A new email address that is not confirmed yet; null if none. */
  pendingEmail: z
    .object({
      email: z.string(),
      askedBy: z.string(),
      askedAt: Timestamp,
      confirmedByNew: z.boolean(),
      confirmedByOld: z.boolean(),
      /** From this day, the new address's confirmation is enough. */
      appliesOn: Day,
    })
    .nullable(),
  /** Why the last email was refused, such as "no such mailbox"; null if it was accepted. */
  emailRefusal: z.string().nullable(),
  /** Needs a second factor to sign in. */
  hasSecondFactor: z.boolean(),
  firm: z.object({ id: Id, name: z.string() }).nullable(),
  referrals: z.object({
    open: z.number().int(),
    /** Open referrals whose report was due before today. */
    overdue: z.number().int(),
    /** How many reports must be filed to end the suspension; 0 if not suspended. */
    mustFile: z.number().int(),
    /** The referrals of these reports, oldest due first, at most 20. */
    late: z.array(z.object({ id: Id, name: z.string(), reportDueOn: Day })),
  }),
  subscriptions: z.array(Plan),
  subscriptionInstances: z.array(Instance),
  outstandingPayments: z.array(Debit),
  debits: z.array(Debit),
  onlinePayments: z.array(OnlinePayment),
  reversedOnlinePayments: z.array(ReversedOnlinePayment),
  checkPayments: z.array(CheckPayment),
  creditPayments: z.array(CreditPayment),
});
export type Attorney = z.output<typeof Attorney>;

const ById = z.object({ id: IdText });

export const showAttorney = endpoint({
  method: "GET",
  path: "/attorneys/:id",
  summary: "An attorney's record with enrolments, debits and payments",
  params: ById,
  object: Attorney,
});

const Chosen = z.strictObject(chosenAttorneys).refine(hasIdsOrFilters, idsOrFiltersRequired);

const Reminders = z.object({
  /** The number of recipients, and the sum of their overdue debits less their credit. */
  reminded: z.number().int(),
  amount: Money,
  /** The attorneys left out, by reason. */
  remindedToday: z.number().int(),
  nothingOverdue: z.number().int(),
  /** Their credit covers their overdue debits. */
  coveredByCredit: z.number().int(),
  left: z.number().int(),
  /** Whether a mail server sends the emails, or they stay on disk because none is set up. */
  delivery: z.enum(["server", "disk"]),
});
export type Reminders = z.output<typeof Reminders>;

export const remindAttorneys = endpoint({
  method: "POST",
  path: "/attorneys/remind",
  summary: "Email attorneys their overdue debits, each at most once a day",
  body: Chosen,
  object: Reminders,
});

export const previewReminders = endpoint({
  method: "POST",
  path: "/attorneys/remind/preview",
  summary: "How many attorneys would be reminded of overdue debits, and how many would not",
  body: Chosen,
  object: Reminders,
});

const Invitations = z.object({
  invited: z.number().int(),
  /** The attorneys left out, by reason. */
  canSignIn: z.number().int(),
  /** Invited less than a day ago, and the link still works. */
  invitedLately: z.number().int(),
  /** The email address belongs to another account. */
  emailTaken: z.number().int(),
  left: z.number().int(),
});
export type Invitations = z.output<typeof Invitations>;

export const inviteAttorneys = endpoint({
  method: "POST",
  path: "/attorneys/invite",
  summary: "Email a password link to each attorney who cannot sign in yet",
  body: Chosen,
  object: Invitations,
});

export const previewInvitations = endpoint({
  method: "POST",
  path: "/attorneys/invite/preview",
  summary: "How many attorneys would be invited to sign in, and how many would not",
  body: Chosen,
  object: Invitations,
});

/** The details of an attorney that administrators edit. */
export const AttorneyDetails = z.strictObject({
  first_name: Name,
  last_name: Name,
  email: Email,
  phone: Phone.default(""),
  bar_number: line(50).default(""),
  address_line_1: line(200).default(""),
  address_line_2: line(200).default(""),
  address_city: line(200).default(""),
  address_region: Region.default(""),
  address_zip: Zip.default(""),
});
export type AttorneyDetails = z.output<typeof AttorneyDetails>;

const NewAttorney = AttorneyDetails.extend({ firm_id: Id.nullable().default(null) });
export type NewAttorney = z.output<typeof NewAttorney>;

/** The columns of an attorney import. A firm is named, and added if it is new. */
export const ImportedAttorney = AttorneyDetails.extend({
  bar_number: line(50).check(hasAllDigits).default(""),
  firm: line(200).default(""),
});
export type ImportedAttorney = z.output<typeof ImportedAttorney>;

export const addAttorney = endpoint({
  method: "POST",
  path: "/attorneys",
  summary: "Add an attorney to the panel",
  body: NewAttorney,
  object: Attorney,
});

const AttorneyChanges = z.strictObject({
  first_name: Name.optional(),
  last_name: Name.optional(),
  email: Email.optional(),
  phone: Phone.optional(),
  bar_number: line(50).optional(),
  address_line_1: line(200).optional(),
  address_line_2: line(200).optional(),
  address_city: line(200).optional(),
  address_region: Region.optional(),
  address_zip: Zip.optional(),
  /** Null for no firm. */
  firm_id: Id.nullable().optional(),
});
export type AttorneyChanges = z.output<typeof AttorneyChanges>;

export const editAttorney = endpoint({
  method: "PATCH",
  path: "/attorneys/:id",
  summary:
    "Change an attorney's details; fields left out stay as they are. A new address for an account in use takes effect after it is confirmed by email",
  params: ById,
  body: AttorneyChanges,
  object: Attorney,
});

export const callOffEmail = endpoint({
  method: "POST",
  path: "/attorneys/:id/email_change/call_off",
  summary: "Cancel a new email address that is not confirmed yet",
  params: ById,
  object: Attorney,
});

export const inviteAttorney = endpoint({
  method: "POST",
  path: "/attorneys/:id/invitation",
  summary: "Make a single-use link for the attorney to choose a password and sign in",
  params: ById,
  /** `url` is null if the account is in use: then the link is only in the email. */
  object: z.object({ url: z.string().nullable(), expiresAt: Timestamp }),
});

/**
 * `off` ends a vacation. Lawyers may set their own if the network's settings allow it. Source: spec §4, domain
 * rules §6.
 */
export const pauseAttorney = endpoint({
  method: "POST",
  path: "/attorneys/update",
  summary: "Put an attorney on vacation until a date, or end the vacation",
  body: z.strictObject({
    attorney_id: Id,
    paused_until: z.union([Day, z.literal("off")], {
      error: 'Vacation until must be a date written YYYY-MM-DD, or "off".',
    }),
  }),
  object: Attorney,
});

export const attorneyImports = importEndpoints("/attorneys/import", { records: "attorneys" });
