/*
 * Generated from the tables that migrations/ make: `npm run schema` writes it, as
 * scripts/schema-types.ts says. Columns are as openDatabase() gives and takes them.
 */

import type { Day } from "#kit/domain/day.ts";
import type { Cents } from "#kit/domain/money.ts";
import type { ColumnType, GeneratedAlways, RawBuilder } from "kysely";

export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;

export type Instant = ColumnType<string, string | RawBuilder<string>, string | RawBuilder<string>>;

export type Json = ColumnType<unknown, string, never>;

export interface Accounts {
  accessToken: string | null;
  accessTokenExpiresAt: Instant | null;
  accountId: string;
  createdAt: Generated<Instant>;
  id: Generated<number>;
  idToken: string | null;
  networkId: Generated<number>;
  password: string | null;
  passwordId: Generated<string>;
  providerId: string;
  refreshToken: string | null;
  refreshTokenExpiresAt: Instant | null;
  scope: string | null;
  updatedAt: Generated<Instant>;
  userId: number;
}

export interface ApiTokens {
  createdAt: Generated<Instant>;
  createdBy: string;
  expiresAt: Instant | null;
  hash: string;
  id: Generated<number>;
  lastFour: string;
  lastUsedAt: Instant | null;
  madeBy: number | null;
  name: string;
  networkId: number;
  revokedAt: Instant | null;
  scope: "read" | "write";
}

export interface Attorneys {
  addressCity: Generated<string>;
  addressLine1: Generated<string>;
  addressLine2: Generated<string>;
  addressRegion: Generated<string>;
  addressZip: Generated<string>;
  barNumber: Generated<string>;
  createdAt: Generated<Instant>;
  email: string;
  firmId: number | null;
  firstName: string;
  id: Generated<number>;
  lastName: string;
  leftOn: Day | null;
  leftReason: Generated<string>;
  networkId: number;
  pausedUntil: Day | null;
  phone: Generated<string>;
  searchText: GeneratedAlways<string>;
  suspendedAt: Instant | null;
  suspensionReason: string | null;
}

export interface AuditEntries {
  action: string;
  actorName: string;
  actorUserId: number | null;
  after: Json | null;
  before: Json | null;
  createdAt: Generated<Instant>;
  id: Generated<number>;
  networkId: number;
  recordId: number | null;
  recordType: string;
}

export interface BillingProgress {
  billedChecksum: string | null;
  billedThrough: Day | null;
  failedAt: Instant | null;
  networkId: number;
}

export interface BillingRuns {
  amountCents: Generated<Cents>;
  asOf: Day;
  debits: Generated<number>;
  failureReason: string | null;
  failures: Generated<number>;
  finishedAt: Instant | null;
  id: Generated<number>;
  networkId: number;
  startedAt: Generated<Instant>;
  startedBy: string;
}

export interface BookClosings {
  action: "close" | "reopen";
  actorName: string;
  actorUserId: number | null;
  balances: Json | null;
  createdAt: Generated<Instant>;
  id: Generated<number>;
  networkId: number;
  note: Generated<string>;
  through: Day | null;
}

export interface CardPayments {
  attorneyId: number;
  cardBrand: Generated<string>;
  cardLastFour: Generated<string>;
  cardProcessorId: number;
  createdAt: Generated<Instant>;
  failedAt: Instant | null;
  followAt: Instant | null;
  heldAt: Instant | null;
  idempotencyKey: string | null;
  looks: Generated<number>;
  message: string | null;
  networkId: number;
  nextLookAt: Instant | null;
  paymentId: number;
  problem: string | null;
  processor: string;
  receivedCents: Generated<Cents>;
  reference: string;
  refundedAt: Instant | null;
  refundedBy: number | null;
  sessionId: number | null;
  settledAt: Instant | null;
  settledBy: number | null;
  sharesHash: string;
  state: Generated<"processing" | "captured" | "declined" | "refunded" | "failed" | "charged_back">;
  tokenHash: string;
  transactionId: string | null;
}

export interface CardProcessors {
  brandmarks: string[];
  createdAt: Generated<Instant>;
  createdBy: number | null;
  encryptedSecrets: string;
  id: Generated<number>;
  keyVersion: number;
  live: boolean;
  networkId: number;
  processor: string;
  publicKeys: ColumnType<Record<string, string>, string, never>;
  sandbox: Generated<boolean>;
}

export interface CardRefunds {
  amountCents: Cents;
  cardProcessorId: number;
  createdAt: Generated<Instant>;
  effectId: string | null;
  followAt: Instant | null;
  id: Generated<number>;
  kind: "voided" | "refunded" | null;
  looks: Generated<number>;
  networkId: number;
  nextLookAt: Instant | null;
  paymentId: number;
  problem: string | null;
  processor: string;
  reason: string;
  reference: string;
  requestedBy: number | null;
  requestedByName: string;
  settledAt: Instant | null;
  state: Generated<"requested" | "done" | "failed">;
  transactionId: string;
}

export interface CardSessions {
  amountCents: Cents | null;
  attorneyId: number;
  cardProcessorId: number;
  createdAt: Generated<Instant>;
  encryptedSecret: string | null;
  fault: string | null;
  handle: string | null;
  heldAt: Instant | null;
  heldTransactionId: string | null;
  id: Generated<number>;
  idempotencyKey: string | null;
  looks: Generated<number>;
  networkId: number;
  nextLookAt: Instant | null;
  problem: string | null;
  processor: string;
  reference: string;
  state: Generated<"open" | "used" | "closed">;
}

export interface CardTransactions {
  actorUserId: number | null;
  amountCents: Cents;
  createdAt: Generated<Instant>;
  doneBy: "here" | "processor" | "hand";
  happenedOn: Day;
  id: Generated<number>;
  kind: "purchase" | "refund" | "chargeback" | "chargeback_reversed" | "failed";
  networkId: number;
  note: Generated<string>;
  paymentId: number;
  processorId: string | null;
  refundId: number | null;
  seenAt: Instant | null;
  seenBy: number | null;
}

export interface Charges {
  amountCents: Cents;
  createdAt: Generated<Instant>;
  createdBy: number | null;
  dueOn: Day;
  id: Generated<number>;
  name: string;
  networkId: number;
  note: Generated<string>;
}

export interface Credits {
  amountCents: Cents;
  attorneyId: number;
  createdAt: Generated<Instant>;
  id: Generated<number>;
  leftCents: Generated<Cents>;
  networkId: number;
  paymentId: number;
}

export interface DataExportPieces {
  attempt: number;
  bytes: Buffer;
  exportId: number;
  networkId: number;
  startByte: number;
}

export interface DataExports {
  attempt: Generated<number>;
  attorneyId: number | null;
  columns: string[];
  createdAt: Generated<Instant>;
  downloadedAt: Instant | null;
  expiresAt: Instant;
  failureCause: "disk full" | "folder" | "database" | "stopped" | "other" | null;
  failureReason: string | null;
  fileBytes: number | null;
  fileName: string | null;
  filters: Json | null;
  filterWords: string | null;
  finishedAt: Instant | null;
  firstOn: Day | null;
  id: Generated<number>;
  isCancelled: Generated<boolean>;
  lastOn: Day | null;
  networkId: number;
  removedAt: Instant | null;
  reportType: string;
  requestedBy: string;
  rowsWritten: Generated<number>;
  scheduledOn: Day | null;
  scheduleId: number | null;
  startedAt: Instant | null;
  status: Generated<"queued" | "running" | "ready" | "failed">;
  takeovers: Generated<number>;
  timeFilterMode: string | null;
  totalRows: number | null;
}

export interface DataExportSchedules {
  attorneyId: number | null;
  columns: string[];
  createdAt: Generated<Instant>;
  createdBy: string;
  frequency: "weekly" | "monthly";
  id: Generated<number>;
  networkId: number;
  nextOn: Day;
  removedAt: Instant | null;
  reportType: string;
  timeFilterMode: string | null;
}

export interface Debits {
  amountCents: Cents;
  attorneyId: number;
  balanceCents: Cents;
  billingRunId: number | null;
  chargeId: number | null;
  createdAt: Generated<Instant>;
  createdBy: number | null;
  dueOn: Day;
  enrolmentId: number | null;
  id: Generated<number>;
  incomeAccount: Generated<string>;
  networkId: number;
  pendingCents: Generated<Cents>;
  period: number | null;
}

export interface Deposits {
  accountName: string;
  bankedAt: Instant | null;
  bankedBy: number | null;
  bankedOn: Day | null;
  createdAt: Generated<Instant>;
  createdBy: number | null;
  depositedOn: Day;
  id: Generated<number>;
  networkId: number;
  number: number;
}

export interface EmailChanges {
  askedAt: Generated<Instant>;
  askedBy: string;
  confirmedByNewAt: Instant | null;
  confirmedByOldAt: Instant | null;
  ended: "applied" | "undone" | "called off" | "replaced" | "expired" | "taken" | null;
  endedAt: Instant | null;
  id: Generated<number>;
  networkId: number;
  newCodeHash: string;
  newEmail: string;
  oldCodeHash: string;
  oldEmail: string;
  userId: number;
}

export interface EnrolmentBatches {
  createdAt: Generated<Instant>;
  createdBy: number | null;
  enrolments: Generated<number>;
  firstEnrolmentId: number | null;
  id: Generated<number>;
  lastEnrolmentId: number | null;
  networkId: number;
  ofAll: Generated<boolean>;
  planId: number;
  undoneAt: Instant | null;
  undoneBy: number | null;
}

export interface Enrolments {
  archivedAt: Instant | null;
  attorneyId: number;
  batchId: number | null;
  billsImmediately: Generated<boolean>;
  createdAt: Generated<Instant>;
  enrolledOn: Day;
  firstPeriod: number;
  id: Generated<number>;
  networkId: number;
  note: Generated<string>;
  planId: number;
  startDate: Day;
}

export interface Entries {
  actorUserId: number | null;
  allocationId: number | null;
  amountCents: Cents;
  attorneyId: number | null;
  cause: "charge" | "adjustment" | "payment" | "reversal" | "credit_received" | "credit_applied" | "credit_taken_off" | "credit_given_back" | "credit_reversed" | "deposit" | "held" | "held_given_back" | "held_reversed" | "return_charged" | "unapplied";
  createdAt: Generated<Instant>;
  creditCents: GeneratedAlways<Cents>;
  creditId: number | null;
  day: Day;
  debitId: number | null;
  depositId: number | null;
  fromAccount: string;
  id: Generated<number>;
  networkId: number;
  note: Generated<string>;
  owedCents: GeneratedAlways<Cents>;
  receivedCheckId: number | null;
  reference: string | null;
  toAccount: string;
}

export interface Firms {
  billingEmail: Generated<string>;
  createdAt: Generated<Instant>;
  id: Generated<number>;
  name: string;
  networkId: number;
  searchText: GeneratedAlways<string>;
  twin: Generated<number>;
}

export interface IdempotencyKeys {
  attempts: Generated<number>;
  body: string | null;
  caller: string;
  createdAt: Generated<Instant>;
  effectId: Generated<string>;
  key: string;
  leaseEndsAt: Instant | null;
  networkId: number;
  path: string;
  requestHash: string;
  status: number | null;
}

export interface ImportColumns {
  heading: string;
  holds: string;
  networkId: number;
  recordType: "attorney" | "matter";
}

export interface ImportsUnderWay {
  begunBy: string;
  fileName: string;
  networkId: number;
  recordType: "attorney" | "matter";
  rowsInAll: number;
  rowsRead: number;
  step: "reading" | "comparing" | "saving";
}

export interface Installation {
  firstId: number | null;
  isOnlyRow: Generated<boolean>;
  lastId: number | null;
  secretCheckValue: string | null;
}

export interface LinkRequests {
  address: string;
  askedAt: Generated<Instant>;
  id: Generated<number>;
}

export interface Mails {
  attempts: Generated<number>;
  attorneyId: number | null;
  body: string | null;
  createdAt: Generated<Instant>;
  facts: Json | null;
  id: Generated<number>;
  isBulk: Generated<boolean>;
  lastProblem: string | null;
  networkId: number;
  nextAttemptAt: Generated<Instant>;
  occasion: string;
  pagePath: string | null;
  recipient: string;
  refusal: string | null;
  refusalStands: Generated<boolean>;
  sentAt: Instant | null;
  status: Generated<"queued" | "sent" | "gave_up" | "withdrawn">;
  subject: string | null;
  userId: number | null;
}

export interface MatterReferrals {
  attorneyId: number;
  ended: "reassigned" | "withdrawn" | "closed" | null;
  endedAt: Instant | null;
  id: Generated<number>;
  matterId: number;
  networkId: number;
  reason: Generated<string>;
  referredAt: Instant;
}

export interface MatterReports {
  attorneyId: number;
  createdAt: Generated<Instant>;
  feeCents: Cents | null;
  filedOn: Day;
  id: Generated<number>;
  matterId: number;
  networkId: number;
  note: Generated<string>;
  outcome: "consulted" | "retained" | "could_not_reach" | "not_retained" | "closed";
}

export interface Matters {
  addressCity: Generated<string>;
  addressLine1: Generated<string>;
  addressLine2: Generated<string>;
  addressRegion: Generated<string>;
  addressZip: Generated<string>;
  attorneyId: number | null;
  closedAt: Instant | null;
  contactPreference: Generated<"phone" | "email" | "either">;
  email: Generated<string>;
  firstName: string;
  followupConsent: Generated<boolean>;
  id: Generated<number>;
  lastName: string;
  networkId: number;
  note: Generated<string>;
  phone: Generated<string>;
  reference: Generated<string>;
  referredAt: Instant | null;
  reportDueOn: Day | null;
  searchText: GeneratedAlways<string>;
  status: Generated<"new" | "open" | "closed">;
  submittedAt: Generated<Instant>;
}

export interface Migrations {
  appliedAt: Generated<Instant>;
  checksum: string | null;
  name: string;
}

export interface NetworkLogos {
  bytes: Buffer;
  createdAt: Generated<Instant>;
  digest: string;
  height: number;
  mediaType: "image/png" | "image/jpeg";
  networkId: number;
  printed: Buffer | null;
  width: number;
}

export interface Networks {
  accountNames: Generated<Json>;
  appliesCreditAutomatically: Generated<boolean>;
  chargebackFeeCents: Generated<Cents>;
  createdAt: Generated<Instant>;
  email: Generated<string>;
  firstStepsPutAwayAt: Instant | null;
  id: Generated<number>;
  lawyersSetOwnVacation: Generated<boolean>;
  name: string;
  overduePeriodInDays: Generated<number>;
  overduePeriodsSuspensionThreshold: Generated<number>;
  permitsMatterEditing: Generated<boolean>;
  phone: Generated<string>;
  postalAddress: Generated<string>;
  returnedCheckFeeCents: Generated<Cents>;
  secondFactorRequiredSince: Instant | null;
  statementDay: number | null;
  statementsBegunOn: Day | null;
  statementsMailedThrough: Day | null;
  suspendsOverdueAttorneys: Generated<boolean>;
  timeZone: string;
}

export interface Passkeys {
  aaguid: string | null;
  backedUp: boolean;
  counter: number;
  createdAt: Generated<Instant>;
  credentialId: string;
  deviceType: string;
  id: Generated<number>;
  lastUsedAt: Instant | null;
  name: string | null;
  networkId: Generated<number>;
  publicKey: string;
  transports: string | null;
  userId: number;
}

export interface PaymentAllocations {
  amountCents: Cents;
  attorneyId: number;
  checkNumber: string | null;
  createdAt: Generated<Instant>;
  debitId: number;
  decidedAt: Instant | null;
  decidedBy: number | null;
  id: Generated<number>;
  networkId: number;
  paymentId: number;
  status: Generated<"pending" | "approved" | "denied" | "refunded" | "failed" | "returned" | "charged_back">;
  takenBackAs: "refunded" | "failed" | "charged_back" | null;
  takenBackCents: Generated<Cents>;
}

export interface Payments {
  amountCents: Cents;
  attorneyId: number;
  checkNumber: string | null;
  createdAt: Generated<Instant>;
  createdBy: number | null;
  creditCents: Generated<Cents>;
  id: Generated<number>;
  method: "check" | "online";
  networkId: number;
  receivedCheckId: number | null;
}

export interface Plans {
  amountCents: Cents;
  archivedAt: Instant | null;
  createdAt: Generated<Instant>;
  description: Generated<string>;
  enrolledCount: Generated<number>;
  frequencyInMonths: number;
  id: Generated<number>;
  name: string;
  networkId: number;
}

export interface ReceivedChecks {
  amountCents: Cents;
  attorneyId: number | null;
  checkNumber: string;
  createdAt: Generated<Instant>;
  createdBy: number | null;
  decidedAt: Instant | null;
  decidedBy: number | null;
  depositId: number | null;
  firmId: number | null;
  id: Generated<number>;
  isAnotherCheck: Generated<boolean>;
  isWhole: Generated<boolean>;
  networkId: number;
  note: Generated<string>;
  receivedOn: Day;
  returnChargeId: number | null;
  returnedAt: Instant | null;
  returnedBy: number | null;
  returnedOn: Day | null;
  returnNote: Generated<string>;
  status: Generated<"pending" | "approved" | "denied" | "returned" | "mixed">;
}

export interface Rules {
  appliedAt: Generated<Instant>;
  definitionChecksum: string;
  name: string;
  serverVersion: number;
  statementChecksum: string;
}

export interface SavedFilters {
  createdAt: Generated<Instant>;
  id: Generated<number>;
  list: string;
  name: string;
  networkId: number;
  query: string;
  userId: number;
}

export interface Sessions {
  confirmedAt: Generated<Instant>;
  createdAt: Generated<Instant>;
  expiresAt: Instant;
  id: Generated<number>;
  ipAddress: string | null;
  lastSeenAt: Generated<Instant>;
  networkId: Generated<number>;
  token: string;
  updatedAt: Generated<Instant>;
  userAgent: string | null;
  userId: number;
}

export interface SignInFailures {
  addressAndEmail: string;
  email: string | null;
  failedAt: Generated<Instant>;
  id: Generated<number>;
}

export interface SignInLinks {
  codeHash: string;
  createdAt: Generated<Instant>;
  expiresAt: Instant;
  id: Generated<number>;
  networkId: number;
  purpose: "invitation" | "password_reset";
  usedAt: Instant | null;
  userId: number;
}

export interface TwoFactors {
  backupCodes: string;
  createdAt: Generated<Instant>;
  failedVerificationCount: Generated<number>;
  id: Generated<number>;
  lastUsedStep: number | null;
  lockExpiresAt: Instant | null;
  networkId: Generated<number>;
  secret: string;
  userId: number;
  verified: Generated<boolean>;
}

export interface UnbilledCounts {
  countedAt: Instant;
  countedOn: Day;
  debits: number;
  networkId: number;
}

export interface Users {
  attorneyId: number | null;
  createdAt: Generated<Instant>;
  email: string;
  emailChangedAt: Instant | null;
  emailVerified: Generated<boolean>;
  id: Generated<number>;
  image: string | null;
  inUseSince: Instant | null;
  lastSignedInAt: Instant | null;
  name: string;
  networkId: number;
  passwordChangedAt: Instant | null;
  role: "admin" | "attorney";
  twoFactorEnabled: Generated<boolean>;
  updatedAt: Generated<Instant>;
}

export interface Verifications {
  createdAt: Generated<Instant>;
  expiresAt: Instant;
  id: Generated<number>;
  identifier: string;
  updatedAt: Generated<Instant>;
  value: string;
}

export interface WebhookDeliveries {
  attempts: Generated<number>;
  createdAt: Generated<Instant>;
  deliveredAt: Instant | null;
  endpointId: number;
  id: Generated<number>;
  lastProblem: string | null;
  lastStatus: number | null;
  messageId: number;
  networkId: number;
  nextAttemptAt: Generated<Instant | null>;
  state: Generated<"waiting" | "delivered" | "failed">;
}

export interface WebhookEndpoints {
  active: Generated<boolean>;
  createdAt: Generated<Instant>;
  createdBy: number | null;
  disabledReason: "gone" | "failed" | null;
  encryptedOldSecret: string | null;
  encryptedSecret: string;
  eventTypes: string[];
  failingSince: Instant | null;
  id: Generated<number>;
  keyVersion: number;
  lastSuccessAt: Instant | null;
  networkId: number;
  notBefore: Instant | null;
  oldSecretExpiresAt: Instant | null;
  url: string;
}

export interface WebhookEvents {
  eventId: string;
  eventType: string;
  networkId: number;
  processor: string;
  receivedAt: Generated<Instant>;
}

export interface WebhookMessages {
  createdAt: Generated<Instant>;
  data: Json;
  id: Generated<number>;
  networkId: number;
  type: string;
  webhookId: Generated<string>;
}

export interface Tables {
  accounts: Accounts;
  apiTokens: ApiTokens;
  attorneys: Attorneys;
  auditEntries: AuditEntries;
  billingProgress: BillingProgress;
  billingRuns: BillingRuns;
  bookClosings: BookClosings;
  cardPayments: CardPayments;
  cardProcessors: CardProcessors;
  cardRefunds: CardRefunds;
  cardSessions: CardSessions;
  cardTransactions: CardTransactions;
  charges: Charges;
  credits: Credits;
  dataExportPieces: DataExportPieces;
  dataExports: DataExports;
  dataExportSchedules: DataExportSchedules;
  debits: Debits;
  deposits: Deposits;
  emailChanges: EmailChanges;
  enrolmentBatches: EnrolmentBatches;
  enrolments: Enrolments;
  entries: Entries;
  firms: Firms;
  idempotencyKeys: IdempotencyKeys;
  importColumns: ImportColumns;
  importsUnderWay: ImportsUnderWay;
  installation: Installation;
  linkRequests: LinkRequests;
  mails: Mails;
  matterReferrals: MatterReferrals;
  matterReports: MatterReports;
  matters: Matters;
  migrations: Migrations;
  networkLogos: NetworkLogos;
  networks: Networks;
  passkeys: Passkeys;
  paymentAllocations: PaymentAllocations;
  payments: Payments;
  plans: Plans;
  receivedChecks: ReceivedChecks;
  rules: Rules;
  savedFilters: SavedFilters;
  sessions: Sessions;
  signInFailures: SignInFailures;
  signInLinks: SignInLinks;
  twoFactors: TwoFactors;
  unbilledCounts: UnbilledCounts;
  users: Users;
  verifications: Verifications;
  webhookDeliveries: WebhookDeliveries;
  webhookEndpoints: WebhookEndpoints;
  webhookEvents: WebhookEvents;
  webhookMessages: WebhookMessages;
}
