import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { moneyText } from "#db/money-text.ts";

/**
 * What a receipt tells of: a check in one of its states, or a card payment captured, given back, not
 * given back after all, not collected by its processor, or collected after all.
 */
export type Receipt =
  | "recorded"
  | "approved"
  | "denied"
  | "captured"
  | "refunded"
  | "counts again"
  | "failed"
  | "came through";

interface Wording {
  /** Follows "Check 1001 for $75.00" or "Your card payment of $75.00". */
  subject: string;
  sentence: string;
  /** Whether a share can come to it twice: given back again, after the first had come to nothing. */
  recurs?: boolean;
}

const wordings: Record<Receipt, Wording> = {
  recorded: {
    subject: "is recorded",
    sentence: "has been recorded. It awaits confirmation; until then these amounts are reserved:",
  },
  approved: {
    subject: "is approved",
    sentence: "has been approved. Thank you. These amounts are paid:",
  },
  denied: {
    subject: "was not accepted",
    sentence: "was not accepted. These amounts are owed as before:",
  },
  captured: {
    subject: "is received",
    sentence: "has been received. Thank you. These amounts are paid:",
  },
  refunded: {
    subject: "is refunded",
    sentence: "has been refunded. These amounts are owed again:",
    recurs: true,
  },
  "counts again": {
    subject: "counts again",
    sentence:
      "could not be refunded: the card processor returned the refund to your referral service. The payment counts again. These amounts are paid:",
    recurs: true,
  },
  failed: {
    subject: "could not be collected",
    sentence:
      "was approved, but the card processor could not collect it from your card's bank. These amounts are owed again:",
    recurs: true,
  },
  "came through": {
    subject: "came through after all",
    sentence:
      "could be collected from your card's bank after all. These amounts are paid; there is no need to pay them again:",
    recurs: true,
  },
};

/** Which shares a receipt is for: all of some payments, or those that were just decided. */
export type Receipted = { paymentIds: number[] } | { shareIds: number[] };

/**
 * Put receipts into the outbox, one for each payment, in the transaction that moves the money. The
 * same receipt for the same shares is made once.
 */
export async function queueReceipts(
  tx: Db,
  networkId: number,
  receipt: Receipt,
  which: Receipted,
): Promise<void> {
  const chosen =
    "paymentIds" in which
      ? sql`payment_id = any(${which.paymentIds}::bigint[])`
      : sql`id = any(${which.shareIds}::bigint[])`;
  const shares = sql`(select * from payment_allocations where network_id = ${networkId} and ${chosen})`;
  await sql`${receiptsOf(shares, receipt)}`.execute(tx);
}

/**
 * The statement that makes receipts for rows of payment_allocations, which may also be those that
 * another part of the same statement makes.
 */
export function receiptsOf(shares: RawBuilder<unknown>, receipt: Receipt): RawBuilder<unknown> {
  const { subject, sentence, recurs } = wordings[receipt];
  const turn = recurs ? turnOfReceipt : sql`''`;
  return sql`
    insert into mails (network_id, occasion, recipient, subject, body, page_path)
    select network_id, 'payment ' || ${receipt}::text || ':' || payment_id || ':' || first_share || ${turn}, email,
      'Your ' || payment || ' ' || ${subject}::text,
      'Dear ' || first_name || E',\n\nYour ' || payment || ' ' || ${sentence}::text || E'\n\n' || amounts
        || E'\n\nThe payment, to read or to print:',
      '/receipts/' || payment_id
    from (
      select s.network_id, s.payment_id, min(s.id) as first_share,
        case when s.check_number is null then 'card payment of ' else 'check ' || s.check_number || ' for ' end
          || ${moneyText(sql`sum(s.amount_cents)`)} as payment,
        string_agg('  ' || p.name || case e.note when '' then '' else ' (' || e.note || ')' end
          || ', due ' || to_char(d.due_on, 'MM/DD/YYYY') || ': ' || ${moneyText(sql`s.amount_cents`)},
          E'\n' order by d.due_on, d.id) as amounts,
        a.first_name, a.email
      from ${shares} as s
      join debits d on d.network_id = s.network_id and d.id = s.debit_id
      join enrolments e on e.network_id = d.network_id and e.id = d.enrolment_id
      join plans p on p.network_id = e.network_id and p.id = e.plan_id
      join attorneys a on a.network_id = s.network_id and a.id = s.attorney_id
      group by s.network_id, s.payment_id, s.check_number, a.first_name, a.email
    ) as receipts
    order by payment_id
    on conflict (network_id, occasion) do nothing`;
}

/** What tells the receipt of a second time from that of the first: nothing, then ":2" and so on. */
const turnOfReceipt = sql`(
  select case when count(*) > 1 then ':' || count(*) else '' end from ledger_entries l
  where l.network_id = receipts.network_id and l.allocation_id = first_share and l.kind = 'reversal')`;
