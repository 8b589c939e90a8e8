import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, Id, Money, Note, Timestamp } from "#kit/contract/fields.ts";
import { journal } from "#dues/ledger/journal/journal.list.ts";
import { listEndpoint } from "#kit/list/list-endpoint.ts";

/** One movement of money, from the account credited to the account debited. Source: domain rules §10. */
export const Entry = z.object({
  id: Id,
  on: Day,
  recordedAt: Timestamp,
  /** Accounts as stored in entries, such as "receivable" or "bank:Operating". */
  from: z.string(),
  to: z.string(),
  amount: Money,
  attorneyName: z.string().nullable(),
  /** Check number, card transaction, debit or deposit. */
  reference: z.string(),
  memo: z.string(),
});
export type Entry = z.output<typeof Entry>;

/** One account's totals in a period. A balance is debits less credits. */
export const AccountTotals = z.object({
  account: z.string(),
  /** The name from the network's settings, such as "Bank: Operating". */
  name: z.string(),
  before: Money,
  debits: Money,
  credits: Money,
  after: Money,
});
export type AccountTotals = z.output<typeof AccountTotals>;

export const listJournal = listEndpoint(journal, {
  path: "/journal",
  summary: "Entries of the journal, newest first, with the trial balance of the period",
  item: Entry,
  /** All accounts with an entry by the end of the period, whatever the other filters. */
  more: { trialBalance: z.array(AccountTotals) },
});

/** The day through which the books are closed, and each closing and reopening, newest first. */
export const Books = z.object({
  closedThrough: Day.nullable(),
  history: z.array(
    z.object({
      action: z.enum(["close", "reopen"]),
      /** Null if all days were reopened. */
      through: Day.nullable(),
      by: z.string(),
      /** A reopening's reason, or a closing's note. */
      note: z.string(),
      at: Timestamp,
    }),
  ),
});
export type Books = z.output<typeof Books>;

export const showBooks = endpoint({
  method: "GET",
  path: "/books",
  summary: "The day through which the books are closed, with each closing and reopening",
  object: Books,
});

const Through = z.object({ through: Day });

export const previewClosing = endpoint({
  method: "GET",
  path: "/books/close_preview",
  summary: "Checks, cards and deposits still open through a day",
  query: Through,
  object: z.object({
    /** Received by that day. */
    pendingChecks: z.number().int(),
    /** Started by that day, with no outcome from the processor yet. */
    processingCards: z.number().int(),
    /** Dated on or before that day, and not banked. */
    openDeposits: z.number().int(),
  }),
});
export type OpenItems = z.output<typeof previewClosing.object>;

const Closing = z.strictObject({ ...Through.shape, note: Note.default("") });
export type Closing = z.output<typeof Closing>;

export const closeBooks = endpoint({
  method: "POST",
  path: "/books/close",
  summary: "Close the books through a past day; no entry can be added on or before it",
  body: Closing,
  object: Books,
});

const Reopening = z.strictObject({
  /** The books stay closed through this day; null reopens all days. */
  after: Day.nullable(),
  reason: Note.refine((text) => text !== "", { error: "Enter a reason.", abort: true }),
});
export type Reopening = z.output<typeof Reopening>;

export const reopenBooks = endpoint({
  method: "POST",
  path: "/books/reopen",
  summary: "Reopen the books after an earlier day, or all of them",
  body: Reopening,
  object: Books,
});
