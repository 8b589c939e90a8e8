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
import { chosenAttorneys, namesAttorneys, unnamedAttorneys } from "#panel/shapes.ts";
import { Debit } from "#dues/ledger/contract.ts";
import { importEndpoints, isWrittenOut } from "#kit/imports/contract.ts";
import { Instance, Plan } from "#dues/plans/contract.ts";

const share = {
  id: Id,
  /** The payment that the share is part of, which receipts and refunds refer to. */
  paymentId: Id,
  name: z.string(),
  description: z.string(),
  note: z.string(),
  /** When the debit fell due. */
  dueDate: DueDay,
  quantity: Money,
  createdAt: Timestamp,
};

/** One debit's share of a card payment. */
export const OnlinePayment = z.object({
  ...share,
  status: z.enum(["processing", "paid"]),
  /** What of it counts now: less than its amount once a part was taken back. */
  received: Money,
});
export type OnlinePayment = z.output<typeof OnlinePayment>;

/** One debit's share of a card payment that was given back, or never collected: it is owed again. */
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

/** What of a payment pays no debit and is kept as credit; of a card it goes first when that is given back. */
export const CreditPayment = z.object({
  paymentId: Id,
  /** Null of a card. */
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
  /** What of it counts now. */
  received: Money,
});
export type CreditPayment = z.output<typeof CreditPayment>;

/**
 * Whether the attorney can sign in: has no account; was invited and has not chosen a password yet,
 * with a link that still works or with none; has a password; or came back to the panel, and has not chosen a new
 * password yet.
 */
export const accountStates = [
  "none",
  "invited",
  "invitation_ended",
  "active",
  "new_password",
] as const;

export const Attorney = AttorneyRow.extend({
  /** What is left of credit, and whether there ever was any: then GET /attorneys/{id}/credit tells of it. */
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
  /** Another email address that was asked for, and does not count yet; null for none. */
  pendingEmail: z
    .object({
      email: z.string(),
      askedBy: z.string(),
      askedAt: Timestamp,
      confirmedByNew: z.boolean(),
      confirmedByOld: z.boolean(),
      /** From this day on it takes effect without the old address, once the new one has confirmed. */
      appliesOn: Day,
    })
    .nullable(),
  /** Why mail to the address is refused, such as "no such mailbox", until one is accepted; null where none is. */
  emailRefusal: z.string().nullable(),
  /** Signs in with more than the password. */
  hasSecondFactor: z.boolean(),
  firm: z.object({ id: Id, name: z.string() }).nullable(),
  referrals: z.object({
    open: z.number().int(),
    /** Open ones whose report fell due before today. */
    overdue: z.number().int(),
    /** How many reports must be filed before the suspension ends; 0 for who is not suspended. */
    mustFile: z.number().int(),
    /** The referrals of these reports, oldest due first, at most 20 of them. */
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

const Chosen = z.strictObject(chosenAttorneys).refine(namesAttorneys, unnamedAttorneys);

const Reminders = z.object({
  /** Who gets a mail, and what is overdue of theirs together, less their credit. */
  reminded: z.number().int(),
  amount: Money,
  /** Who does not, and why. */
  remindedToday: z.number().int(),
  nothingOverdue: z.number().int(),
  /** Their credit is as much as what is overdue. */
  coveredByCredit: z.number().int(),
  left: z.number().int(),
  /** Whether a server sends the mails, or they stay on disk because none is set up. */
  delivery: z.enum(["server", "disk"]),
});
export type Reminders = z.output<typeof Reminders>;

export const remindAttorneys = endpoint({
  method: "POST",
  path: "/attorneys/remind",
  summary: "Mail attorneys what is overdue, each at most once a day",
  body: Chosen,
  object: Reminders,
});

export const previewReminders = endpoint({
  method: "POST",
  path: "/attorneys/remind/preview",
  summary: "Who would be reminded of what is overdue, and who would not",
  body: Chosen,
  object: Reminders,
});

const Invitations = z.object({
  invited: z.number().int(),
  /** Who is not, and why: */
  canSignIn: z.number().int(),
  /** invited less than a day ago, with a link that still works; */
  invitedLately: z.number().int(),
  /** the email address belongs to another account. */
  emailTaken: z.number().int(),
  left: z.number().int(),
});
export type Invitations = z.output<typeof Invitations>;

export const inviteAttorneys = endpoint({
  method: "POST",
  path: "/attorneys/invite",
  summary: "Mail attorneys who cannot sign in yet a link each to choose a password",
  body: Chosen,
  object: Invitations,
});

export const previewInvitations = endpoint({
  method: "POST",
  path: "/attorneys/invite/preview",
  summary: "Who would be invited to sign in, and who would not",
  body: Chosen,
  object: Invitations,
});

/** What an administrator can write of an attorney. */
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

/** The columns of an attorney import. The firm is called by its name, and made when it is new. */
export const ImportedAttorney = AttorneyDetails.extend({
  bar_number: line(50).check(isWrittenOut).default(""),
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
  /** Null for none. */
  firm_id: Id.nullable().optional(),
});
export type AttorneyChanges = z.output<typeof AttorneyChanges>;

export const editAttorney = endpoint({
  method: "PATCH",
  path: "/attorneys/:id",
  summary:
    "Change an attorney's details; absent names stay as they are. The address of an account in use changes once it is confirmed by mail",
  params: ById,
  body: AttorneyChanges,
  object: Attorney,
});

export const callOffEmail = endpoint({
  method: "POST",
  path: "/attorneys/:id/email_change/call_off",
  summary: "Call off another email address that was asked for and is not confirmed yet",
  params: ById,
  object: Attorney,
});

export const inviteAttorney = endpoint({
  method: "POST",
  path: "/attorneys/:id/invitation",
  summary: "Make a single-use link with which the attorney chooses a password and signs in",
  params: ById,
  /** `url` is null where the account is in use: then the link is in the mail alone. */
  object: z.object({ url: z.string().nullable(), expiresAt: Timestamp }),
});

/**
 * `off` ends a vacation. Lawyers may do it for themselves where the network's settings say so. Source:
 * spec §4, domain rules §6.
 */
export const pauseAttorney = endpoint({
  method: "POST",
  path: "/attorneys/update",
  summary: "Put an attorney on vacation until a day, or end the vacation",
  body: z.strictObject({
    attorney_id: Id,
    paused_until: z.union([Day, z.literal("off")], {
      error: 'Vacation until must be a date written YYYY-MM-DD, or "off".',
    }),
  }),
  object: Attorney,
});

export const attorneyImports = importEndpoints("/attorneys/import", { records: "attorneys" });
