import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import {
  Day,
  Dollars,
  Id,
  IdText,
  line,
  Money,
  Name,
  Note,
  Timestamp,
} from "#kit/contract/fields.ts";
import { PageQuery, pageOf } from "#kit/contract/page.ts";
import { OptionalEmail, Phone, Region, Zip } from "#kit/contract/us-contact.ts";
import { importEndpoints } from "#kit/imports/contract.ts";

const Status = z.enum(["new", "open", "closed"]);
export const contactPreferences = ["phone", "email", "either"] as const;

export const Matter = z.object({
  id: Id,
  name: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  addressLine1: z.string(),
  addressLine2: z.string(),
  addressCity: z.string(),
  addressRegion: z.string(),
  addressZip: z.string(),
  /** As on an envelope, with line breaks. */
  addressDisplay: z.string(),
  phone: z.string(),
  email: z.string(),
  contactPreferenceSentence: z.string(),
  followupConsentSentence: z.string(),
  submittedAt: Timestamp,
  referredAt: Timestamp.nullable(),
  status: Status,
  attorneyId: Id.nullable(),
  attorneyName: z.string().nullable(),
  reportDueOn: Day.nullable(),
  permitEditing: z.boolean(),
  /** The administrator's note for the attorney. */
  note: z.string(),
});
export type Matter = z.output<typeof Matter>;

const ById = z.object({ id: IdText });

const contact = {
  phone: Phone,
  email: OptionalEmail,
  address_line_1: line(200),
  address_line_2: line(200),
  address_city: line(200),
  address_region: Region,
  address_zip: Zip,
};

export const showMatter = endpoint({
  method: "GET",
  path: "/matters/:id",
  summary: "One referral",
  params: ById,
  object: Matter,
});

const MatterChanges = z.strictObject({
  matter_id: Id,
  first_name: Name.optional(),
  last_name: Name.optional(),
  address_line_1: contact.address_line_1.optional(),
  address_line_2: contact.address_line_2.optional(),
  address_city: contact.address_city.optional(),
  address_region: contact.address_region.optional(),
  address_zip: contact.address_zip.optional(),
  phone: contact.phone.optional(),
  email: contact.email.optional(),
});
export type MatterChanges = z.output<typeof MatterChanges>;

export const editMatter = endpoint({
  method: "PATCH",
  path: "/matters/update_v2",
  summary: "Change a referral's contact details; absent names stay as they are",
  body: MatterChanges,
  object: Matter,
});

const NewMatter = z.strictObject({
  first_name: Name,
  last_name: Name,
  phone: contact.phone.default(""),
  email: contact.email.default(""),
  address_line_1: contact.address_line_1.default(""),
  address_line_2: contact.address_line_2.default(""),
  address_city: contact.address_city.default(""),
  address_region: contact.address_region.default(""),
  address_zip: contact.address_zip.default(""),
  contact_preference: z.enum(contactPreferences).default("either"),
  followup_consent: z.boolean().default(false),
  attorney_id: Id.optional(),
  note: Note.default(""),
});
export type NewMatter = z.output<typeof NewMatter>;

export const recordMatter = endpoint({
  method: "POST",
  path: "/matters",
  summary: "Record a referral, and refer it to an attorney who may receive one",
  body: NewMatter,
  object: Matter,
});

export const referMatter = endpoint({
  method: "POST",
  path: "/matters/:id/referral",
  summary: "Refer a matter to an attorney who may receive one, or reassign it",
  params: ById,
  body: z.strictObject({
    attorney_id: Id,
    reason: Note.default(""),
    /** The attorney who should have it now, null for none: refused if another has it. */
    from_attorney_id: Id.nullable().optional(),
  }),
  object: Matter,
});
export type NewReferral = z.output<typeof referMatter.body>;

const Reasoned = z.strictObject({
  reason: Note.refine((text) => text !== "", { error: "Enter a reason.", abort: true }),
});

export const withdrawMatter = endpoint({
  method: "POST",
  path: "/matters/:id/withdrawal",
  summary: "Withdraw an open referral from its attorney: it becomes new again",
  params: ById,
  body: Reasoned.extend({
    /** The attorney who should have it now: refused if another has it. */
    from_attorney_id: Id.nullable().optional(),
  }),
  object: Matter,
});

export type Withdrawal = z.output<typeof withdrawMatter.body>;

export const closeMatter = endpoint({
  method: "POST",
  path: "/matters/:id/closing",
  summary: "Close a new referral without an attorney",
  params: ById,
  body: Reasoned,
  object: Matter,
});

/** An attorney on the panel who is neither on vacation nor suspended. */
export const Candidate = z.object({
  id: Id,
  name: z.string(),
  email: z.string(),
  city: z.string(),
  openReferrals: z.number().int(),
  /** Null if there is no referral yet. */
  lastReferredOn: Day.nullable(),
  /** What else matched the search, if not the name, such as "email j@barnes.example". */
  foundBy: z.string().nullable(),
});
export type Candidate = z.output<typeof Candidate>;

export const listCandidates = endpoint({
  method: "GET",
  path: "/matters/attorneys",
  summary: "Attorneys who may receive a referral: best match of the name first, then longest wait",
  query: PageQuery.extend({ search: line(200).default("") }),
  object: pageOf(Candidate),
});

/** A referral that may be the same client's. */
export const SameClient = z.object({
  id: Id,
  name: z.string(),
  phone: z.string(),
  status: Status,
  submittedAt: Timestamp,
  attorneyName: z.string().nullable(),
  sameName: z.boolean(),
  samePhone: z.boolean(),
});
export type SameClient = z.output<typeof SameClient>;

export const listSameClient = endpoint({
  method: "GET",
  path: "/matters/same_client",
  summary:
    "The newest five referrals of a client by this name, or with this phone number in any format",
  query: z.object({
    first_name: line(200).default(""),
    last_name: line(200).default(""),
    phone: line(50).default(""),
  }),
  object: z.array(SameClient),
});

export const MatterReferral = z.object({
  id: Id,
  attorneyId: Id,
  attorneyName: z.string(),
  attorneyPhone: z.string(),
  referredAt: Timestamp,
  endedAt: Timestamp.nullable(),
  /** Why it ended; null while the attorney has it. */
  ended: z.enum(["reassigned", "withdrawn", "closed"]).nullable(),
  reason: z.string(),
});
export type MatterReferral = z.output<typeof MatterReferral>;

export const listReferrals = endpoint({
  method: "GET",
  path: "/matters/:id/referrals",
  summary: "The attorneys to whom a matter was referred, newest first",
  params: ById,
  object: z.array(MatterReferral),
});

export const listMyMatters = endpoint({
  method: "GET",
  path: "/matters/mine",
  summary: "The signed-in attorney's open referrals, most overdue report first",
  object: z.array(Matter),
});

export const outcomes = [
  "consulted",
  "retained",
  "could_not_reach",
  "not_retained",
  "closed",
] as const;
export type Outcome = (typeof outcomes)[number];

/** Outcomes that close a referral. Source: domain rules §6. */
export const closingOutcomes: ReadonlySet<Outcome> = new Set(["not_retained", "closed"]);

const NewReport = z.strictObject({
  outcome: z.enum(outcomes),
  fee: Dollars.optional(),
  note: Note.default(""),
});
export type NewReport = z.output<typeof NewReport>;

export const fileReport = endpoint({
  method: "POST",
  path: "/matters/:id/reports",
  summary: "File a status report on an open referral",
  params: ById,
  body: NewReport,
  object: Matter,
});

export const MatterReport = z.object({
  id: Id,
  attorneyName: z.string(),
  outcome: z.enum(outcomes),
  fee: Money.nullable(),
  note: z.string(),
  filedOn: Day,
  createdAt: Timestamp,
});
export type MatterReport = z.output<typeof MatterReport>;

export const listReports = endpoint({
  method: "GET",
  path: "/matters/:id/reports",
  summary: "The status reports filed on a referral, newest first",
  params: ById,
  object: z.array(MatterReport),
});

export const matterImports = importEndpoints("/matters/import", { records: "referrals" });
