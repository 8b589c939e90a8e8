import type { ColumnType, Generated, RawBuilder } from "kysely";
import type { Day } from "#domain/day.ts";
import type { Cents } from "#domain/money.ts";

/*
 * The tables of migrations/, as Kysely needs them: columns in camelCase, `bigint` as a number,
 * `date` as `YYYY-MM-DD`, `timestamptz` as ISO 8601 text.
 */

type Instant = string | RawBuilder<string>;
type Made = ColumnType<string, Instant | undefined, Instant>;
type Moment = ColumnType<string | null, Instant | null | undefined, Instant | null>;
type Json = ColumnType<unknown, string | null, never>;
type Text = Generated<string>;

export interface Networks {
  id: Generated<number>;
  name: string;
  timeZone: string;
  permitsMatterEditing: Generated<boolean>;
  suspendsOverdueAttorneys: Generated<boolean>;
  overduePeriodsSuspensionThreshold: Generated<number>;
  overduePeriodInDays: Generated<number>;
  billedThrough: Day | null;
  billedSeal: string | null;
  createdAt: Made;
}

export interface Attorneys {
  networkId: number;
  id: Generated<number>;
  firstName: string;
  lastName: string;
  email: string;
  phone: Text;
  barNumber: Text;
  addressLine1: Text;
  addressLine2: Text;
  addressCity: Text;
  addressRegion: Text;
  addressZip: Text;
  pausedUntil: Day | null;
  suspendedAt: Moment;
  suspensionReason: string | null;
  createdAt: Made;
}

export interface Users {
  id: Generated<number>;
  networkId: number;
  role: "admin" | "attorney";
  attorneyId: number | null;
  name: string;
  email: string;
  emailVerified: Generated<boolean>;
  image: string | null;
  createdAt: Made;
  updatedAt: Made;
}

export interface Accounts {
  id: Generated<number>;
  networkId: Generated<number>;
  userId: number;
  accountId: string;
  providerId: string;
  password: string | null;
  createdAt: Made;
  updatedAt: Made;
}

export interface Sessions {
  id: Generated<number>;
  networkId: Generated<number>;
  userId: number;
  token: string;
  expiresAt: ColumnType<string, Instant, Instant>;
  createdAt: Made;
  updatedAt: Made;
}

export interface SignInLinks {
  networkId: number;
  id: Generated<number>;
  userId: number;
  purpose: "invitation" | "password_reset";
  codeHash: string;
  expiresAt: ColumnType<string, Instant, Instant>;
  usedAt: Moment;
  createdAt: Made;
}

export interface SignInFailures {
  id: Generated<number>;
  addressAndEmail: string;
  email: string | null;
  failedAt: Made;
}

export interface LinkRequests {
  id: Generated<number>;
  address: string;
  askedAt: Made;
}

export interface AuditEntries {
  networkId: number;
  id: Generated<number>;
  actorUserId: number | null;
  actorName: string;
  action: string;
  recordType: string;
  recordId: number | null;
  before: Json;
  after: Json;
  createdAt: Made;
}

export interface Plans {
  networkId: number;
  id: Generated<number>;
  name: string;
  description: Text;
  amountCents: Cents;
  frequencyInMonths: number;
  archivedAt: Moment;
  createdAt: Made;
  enrolledCount: Generated<number>;
}

export interface Enrolments {
  networkId: number;
  id: Generated<number>;
  attorneyId: number;
  planId: number;
  startDate: Day;
  enrolledOn: Day;
  billsImmediately: Generated<boolean>;
  firstPeriod: number;
  note: Text;
  archivedAt: Moment;
  createdAt: Made;
}

export interface BillingRuns {
  networkId: number;
  id: Generated<number>;
  asOf: Day;
  startedBy: string;
  startedAt: Made;
  finishedAt: Moment;
  debits: Generated<number>;
  amountCents: Generated<Cents>;
  failures: Generated<number>;
  failureReason: string | null;
}

export interface UnbilledCounts {
  networkId: number;
  countedOn: Day;
  debits: number;
  countedAt: string;
}

export interface Debits {
  networkId: number;
  id: Generated<number>;
  attorneyId: number;
  enrolmentId: number;
  period: number;
  dueOn: Day;
  amountCents: Cents;
  balanceCents: Cents;
  pendingCents: Generated<Cents>;
  billingRunId: number | null;
  createdBy: number | null;
  createdAt: Made;
}

export interface Payments {
  networkId: number;
  id: Generated<number>;
  attorneyId: number;
  method: "check" | "online";
  amountCents: Cents;
  checkNumber: string | null;
  createdBy: number | null;
  createdAt: Made;
}

export interface PaymentAllocations {
  networkId: number;
  id: Generated<number>;
  attorneyId: number;
  paymentId: number;
  debitId: number;
  amountCents: Cents;
  checkNumber: string | null;
  status: Generated<"pending" | "approved" | "denied" | "refunded" | "failed">;
  decidedAt: Moment;
  decidedBy: number | null;
  createdAt: Made;
}

export interface LedgerEntries {
  networkId: number;
  id: Generated<number>;
  debitId: number;
  kind: "charge" | "adjustment" | "payment" | "reversal";
  amountCents: Cents;
  allocationId: number | null;
  note: Text;
  actorUserId: number | null;
  createdAt: Made;
}

export interface Matters {
  networkId: number;
  id: Generated<number>;
  firstName: string;
  lastName: string;
  phone: Text;
  email: Text;
  addressLine1: Text;
  addressLine2: Text;
  addressCity: Text;
  addressRegion: Text;
  addressZip: Text;
  contactPreference: Generated<"phone" | "email" | "either">;
  followupConsent: Generated<boolean>;
  note: Text;
  status: Generated<"new" | "open" | "closed">;
  attorneyId: number | null;
  reference: Text;
  submittedAt: Made;
  referredAt: Moment;
  closedAt: Moment;
  reportDueOn: Day | null;
}

export interface MatterReports {
  networkId: number;
  id: Generated<number>;
  matterId: number;
  attorneyId: number;
  outcome: "consulted" | "retained" | "could_not_reach" | "not_retained" | "closed";
  feeCents: Cents | null;
  note: Text;
  filedOn: Day;
  createdAt: Made;
}

export interface Mails {
  networkId: number;
  id: Generated<number>;
  occasion: string;
  recipient: string;
  subject: string;
  body: string;
  pagePath: string | null;
  status: Generated<"queued" | "sent" | "gave_up" | "withdrawn">;
  attempts: Generated<number>;
  nextAttemptAt: Made;
  lastProblem: string | null;
  sentAt: Moment;
  createdAt: Made;
}

export interface DataExports {
  networkId: number;
  id: Generated<number>;
  reportType: string;
  columns: string[];
  attorneyId: number | null;
  timeFilterMode: string | null;
  firstOn: Day | null;
  lastOn: Day | null;
  status: Generated<"queued" | "running" | "ready" | "failed">;
  attempt: Generated<number>;
  takeovers: Generated<number>;
  rowsWritten: Generated<number>;
  totalRows: number | null;
  fileName: string | null;
  fileBytes: number | null;
  failureReason: string | null;
  failureCause: string | null;
  isCancelled: Generated<boolean>;
  requestedBy: string;
  scheduleId: number | null;
  scheduledOn: Day | null;
  createdAt: Made;
  startedAt: Moment;
  finishedAt: Moment;
  expiresAt: ColumnType<string, Instant, Instant>;
  removedAt: Moment;
}

export interface DataExportSchedules {
  networkId: number;
  id: Generated<number>;
  frequency: "weekly" | "monthly";
  reportType: string;
  columns: string[];
  attorneyId: number | null;
  timeFilterMode: string | null;
  nextOn: Day;
  createdBy: string;
  createdAt: Made;
  removedAt: Moment;
}

export interface ImportsUnderWay {
  networkId: number;
  recordType: "attorney" | "matter";
  fileName: string;
  begunBy: string;
  step: "reading" | "comparing" | "saving";
  rowsRead: number;
  rowsInAll: number;
}

export interface CardProcessors {
  networkId: number;
  id: Generated<number>;
  processor: string;
  live: boolean;
  sandbox: Generated<boolean>;
  brandmarks: string[];
  publicKeys: ColumnType<Record<string, string>, string, never>;
  sealedSecrets: string;
  keyVersion: number;
  createdBy: number | null;
  createdAt: Made;
}

export interface CardSessions {
  networkId: number;
  id: Generated<number>;
  attorneyId: number;
  processor: string;
  cardProcessorId: number;
  reference: string;
  handle: string | null;
  sealedSecret: string | null;
  amountCents: Cents | null;
  state: Generated<"open" | "used" | "closed">;
  looks: Generated<number>;
  nextLookAt: Moment;
  heldAt: Moment;
  heldTransactionId: string | null;
  problem: string | null;
  fault: string | null;
  createdAt: Made;
}

export interface CardPayments {
  networkId: number;
  paymentId: number;
  attorneyId: number;
  processor: string;
  cardProcessorId: number;
  sessionId: number | null;
  reference: string;
  tokenHash: string;
  sharesHash: string;
  idempotencyKey: string | null;
  state: Generated<"processing" | "captured" | "declined" | "refunded" | "failed">;
  transactionId: string | null;
  cardBrand: Text;
  cardLastFour: Text;
  message: string | null;
  problem: string | null;
  looks: Generated<number>;
  nextLookAt: Moment;
  settledAt: Moment;
  settledBy: number | null;
  refundedAt: Moment;
  refundedBy: number | null;
  failedAt: Moment;
  followAt: Moment;
  heldAt: Moment;
  createdAt: Made;
}

export interface UnappliedPayments {
  networkId: number;
  id: Generated<number>;
  attorneyId: number;
  processor: string;
  cardProcessorId: number;
  transactionId: string;
  reference: string;
  amountCents: Cents;
  chargedCents: Cents;
  paymentId: number | null;
  createdAt: Made;
  resolvedAt: Moment;
}

export interface CardRefunds {
  networkId: number;
  id: Generated<number>;
  processor: string;
  cardProcessorId: number;
  transactionId: string;
  paymentId: number | null;
  unappliedPaymentId: number | null;
  reference: string;
  amountCents: Cents;
  reason: string;
  requestedBy: number | null;
  requestedByName: string;
  state: Generated<"requested" | "done" | "failed">;
  kind: "voided" | "refunded" | null;
  problem: string | null;
  looks: Generated<number>;
  nextLookAt: Moment;
  createdAt: Made;
  settledAt: Moment;
  followAt: Moment;
}

export interface WebhookEvents {
  networkId: number;
  processor: string;
  eventId: string;
  eventType: string;
  receivedAt: Made;
}

/** One row, of the database as a whole. */
export interface Installation {
  isOnlyRow: Generated<boolean>;
  databaseId: Generated<string>;
  folderId: string | null;
  sealedProbe: string | null;
}

export interface Tables {
  networks: Networks;
  attorneys: Attorneys;
  users: Users;
  accounts: Accounts;
  sessions: Sessions;
  signInLinks: SignInLinks;
  signInFailures: SignInFailures;
  linkRequests: LinkRequests;
  auditEntries: AuditEntries;
  plans: Plans;
  enrolments: Enrolments;
  billingRuns: BillingRuns;
  unbilledCounts: UnbilledCounts;
  debits: Debits;
  payments: Payments;
  paymentAllocations: PaymentAllocations;
  ledgerEntries: LedgerEntries;
  matters: Matters;
  matterReports: MatterReports;
  mails: Mails;
  dataExports: DataExports;
  dataExportSchedules: DataExportSchedules;
  importsUnderWay: ImportsUnderWay;
  cardProcessors: CardProcessors;
  cardSessions: CardSessions;
  cardPayments: CardPayments;
  unappliedPayments: UnappliedPayments;
  cardRefunds: CardRefunds;
  webhookEvents: WebhookEvents;
  installation: Installation;
}
