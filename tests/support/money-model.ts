import { type Day, daysBetween } from "#kit/domain/day.ts";

/*
 * A model of all money, in memory and in numbers: the balance and pending amount of each debit, each receipt
 * of credit, each check and card payment, and the resulting double entries. It knows no tables, triggers,
 * sets or locks.
 */

type Account =
  | "accounts_receivable"
  | "dues_income"
  | "other_income"
  | "adjustments"
  | "attorneys_credit"
  | "undeposited_checks"
  | "bank"
  | "held"
  | "card_clearing";

export interface Debit {
  id: number;
  attorneyId: number;
  /** Null for a charge. */
  enrolmentId: number | null;
  dueOn: Day;
  amount: number;
  owed: number;
}

export interface Share {
  /** The id that confirms a share of a check; 0 for a share of a card payment. */
  id: number;
  debit: Debit;
  cents: number;
  status: "pending" | "approved" | "denied" | "returned" | TakenBack;
  /** The part of an approved share that was reversed while the rest counts. */
  takenBack: number;
}

/** The status of a card payment's share with nothing left. */
export type TakenBack = "refunded" | "failed" | "charged_back";

export interface Check {
  id: number;
  number: string;
  payer: "firm" | number;
  /** True for a check recorded whole by the office, false for one reported by its shares. */
  isWhole: boolean;
  receivedOn: string;
  shares: Share[];
  /** By attorney. */
  credits: Map<number, number>;
  status: "pending" | "approved" | "denied" | "mixed" | "returned";
  deposit: Deposit | null;
}

export interface Receipt {
  /** 0 until the database's id is known. */
  id: number;
  attorneyId: number;
  source: Check | CardPayment;
  amount: number;
  left: number;
  givenBack: number;
  applied: Map<Debit, number>;
  /** The number of its last movement, for the order in which debits were paid. */
  moved: Map<Debit, number>;
}

const isOfCheck = ({ source }: Receipt): boolean => "payer" in source;

export interface Deposit {
  id: number;
  day: string;
  isBanked: boolean;
}

export interface CardPayment {
  id: number;
  attorneyId: number;
  amount: number;
  shares: Share[];
  state: "processing" | "captured" | "declined" | TakenBack;
  received: number;
  transactionId: string | null;
  transactions: CardTransaction[];
  /** Events that its processor reports. */
  events: CardEvent[];
}

export interface CardTransaction {
  kind: "refund" | "chargeback" | "chargeback_reversed" | "failed" | "purchase";
  cents: number;
  /** The processor's own id, once it is known. */
  processorId: string | null;
}

export interface CardEvent {
  kind: "refund" | "chargeback" | "chargeback_reversed";
  cents: number;
  processorId: string;
}

const eventKinds = ["refund", "chargeback", "chargeback_reversed"] as const;

/** A charge voided twice has one event of its id. */
function eventsOf({ events }: CardPayment, wanted: CardEvent["kind"]): CardEvent[] {
  const byId = new Map<string, CardEvent>();
  for (const event of events.filter(({ kind, cents }) => kind === wanted && cents > 0)) {
    const cents = event.cents + (byId.get(event.processorId)?.cents ?? 0);
    byId.set(event.processorId, { ...event, cents });
  }
  return [...byId.values()];
}

const takenBackAs: Partial<Record<CardTransaction["kind"], TakenBack>> = {
  refund: "refunded",
  failed: "failed",
  chargeback: "charged_back",
};

export const sumOf = (list: Iterable<number>) => [...list].reduce((added, one) => added + one, 0);

export const amountOf = (check: Check) =>
  sumOf(check.shares.map(({ cents }) => cents)) + sumOf(check.credits.values());

/** The undecided part of a pending check. */
export const waitingOf = (check: Check) =>
  amountOf(check) -
  sumOf(check.shares.filter(({ status }) => status !== "pending").map(({ cents }) => cents));

/** A charge that another step causes; the product names it. */
export interface Charged {
  attorneyId: number;
  amount: number;
}

export class MoneyModel {
  readonly debits: Debit[] = [];
  readonly checks: Check[] = [];
  readonly cards: CardPayment[] = [];
  readonly deposits: Deposit[] = [];
  readonly accounts = new Map<Account, number>();
  receipts: Receipt[] = [];
  appliesCredit = true;
  /** The last date of the closed books. */
  closedThrough: Day | null = null;
  private moves = 0;

  /** One double entry: the amount is added to the first account and subtracted from the second. */
  post(to: Account, from: Account, cents: number): void {
    this.accounts.set(to, (this.accounts.get(to) ?? 0) + cents);
    this.accounts.set(from, (this.accounts.get(from) ?? 0) - cents);
  }

  pendingOn(debit: Debit): number {
    const shares = [...this.checks, ...this.cards].flatMap((payment) => payment.shares);
    return sumOf(
      shares
        .filter((share) => share.debit === debit && share.status === "pending")
        .map(({ cents }) => cents),
    );
  }

  freeOn = (debit: Debit): number => debit.owed - this.pendingOn(debit);

  /** Amounts of each debit that was paid, by a share or with a card; credit is not a payment. */
  isPaid(debit: Debit): boolean {
    return [...this.checks, ...this.cards].some((payment) =>
      payment.shares.some(
        ({ debit: its, status }) =>
          its === debit && (status === "pending" || status === "approved"),
      ),
    );
  }

  /** New debits of one transaction: credit pays them, oldest due first, if the network's setting says so. */
  charge(made: Debit[]): void {
    for (const debit of made) {
      const income = debit.enrolmentId === null ? "other_income" : "dues_income";
      this.post("accounts_receivable", income, debit.amount);
      this.debits.push(debit);
    }
    if (!this.appliesCredit) return;
    for (const debit of made.toSorted(byAge))
      this.applyCredit(debit, Math.min(debit.owed, this.creditOf(debit.attorneyId)));
  }

  adjust(debit: Debit, cents: number, account: Account = "adjustments"): void {
    debit.owed += cents;
    this.post("accounts_receivable", account, cents);
  }

  receiptsOf = (attorneyId: number) =>
    this.receipts.filter((one) => one.attorneyId === attorneyId && one.left > 0);

  creditOf = (attorneyId: number): number =>
    sumOf(this.receiptsOf(attorneyId).map(({ left }) => left));

  /** Credit from a card is refunded only to the card. */
  canGiveBack = (attorneyId: number): number =>
    sumOf(
      this.receiptsOf(attorneyId)
        .filter(isOfCheck)
        .map(({ left }) => left),
    );

  applyCredit(debit: Debit, cents: number): void {
    this.spend(this.receiptsOf(debit.attorneyId), cents, (receipt, taken) => {
      receipt.applied.set(debit, (receipt.applied.get(debit) ?? 0) + taken);
      receipt.moved.set(debit, (this.moves += 1));
    });
    debit.owed -= cents;
    this.post("attorneys_credit", "accounts_receivable", cents);
  }

  /** Debits on which something can be paid, oldest due first. */
  payableOf = (attorneyId: number): Debit[] =>
    this.debits
      .filter((one) => one.attorneyId === attorneyId && this.freeOn(one) > 0)
      .toSorted(byAge);

  /** The attorney uses credit. */
  useCredit(attorneyId: number, cents: number): void {
    let missing = cents;
    for (const debit of this.payableOf(attorneyId)) {
      const paid = Math.min(missing, this.freeOn(debit));
      if (paid > 0) this.applyCredit(debit, paid);
      missing -= paid;
    }
  }

  giveBack(attorneyId: number, cents: number): void {
    const ofChecks = this.receiptsOf(attorneyId).filter(isOfCheck);
    this.spend(ofChecks, cents, (receipt, taken) => (receipt.givenBack += taken));
    this.post("attorneys_credit", "bank", cents);
  }

  /** The oldest receipts first. */
  private spend(
    receipts: readonly Receipt[],
    cents: number,
    use: (from: Receipt, taken: number) => void,
  ) {
    let missing = cents;
    for (const receipt of receipts) {
      const taken = Math.min(receipt.left, missing);
      if (taken === 0) return;
      receipt.left -= taken;
      missing -= taken;
      use(receipt, taken);
    }
  }

  private putBack(
    receipt: Receipt,
    debit: Debit,
    cents: number = receipt.applied.get(debit) ?? 0,
  ): void {
    receipt.applied.set(debit, (receipt.applied.get(debit) ?? 0) - cents);
    receipt.moved.set(debit, (this.moves += 1));
    receipt.left += cents;
    debit.owed += cents;
    this.post("accounts_receivable", "attorneys_credit", cents);
  }

  /**
   * Subscribe all was undone: credit returns to its receipts, nothing is owed any more, and its dues are no
   * income.
   */
  reverse(debits: Debit[]): void {
    for (const debit of debits) {
      for (const receipt of this.receipts) this.putBack(receipt, debit);
      this.adjust(debit, -debit.owed, "dues_income");
    }
  }

  /**
   * True if a number is refused: the payer already used it, if this check or that is recorded whole; it is on
   * one of these debits; or, unless it is said to be another check, one of `mates` used it: the payer's firm
   * and colleagues.
   */
  isTaken(
    { number, payer, isWhole }: Pick<Check, "number" | "payer" | "isWhole">,
    debits: Debit[],
    mates: Check["payer"][],
  ): boolean {
    const stands = (status: string) => status !== "denied" && status !== "returned";
    return this.checks
      .filter((check) => check.number === number)
      .some(
        (check) =>
          (check.payer === payer && (isWhole || check.isWhole) && stands(check.status)) ||
          (mates.includes(check.payer) && stands(check.status)) ||
          check.shares.some(({ debit, status }) => debits.includes(debit) && stands(status)),
      );
  }

  decide(check: Check, share: Share, status: "approved" | "denied"): void {
    share.status = status;
    if (status === "approved") this.pay(share, "undeposited_checks");
    const statuses = check.shares.map((one) => one.status);
    if (!statuses.includes("pending")) this.settle(check, statuses.includes("approved"));
  }

  /** The rest of a check is decided; a check of credit only is decided itself. */
  decideAll(check: Check, status: "approved" | "denied"): void {
    const open = check.shares.filter((share) => share.status === "pending");
    for (const share of open) this.decide(check, share, status);
    if (check.shares.length === 0) this.settle(check, status === "approved");
  }

  private settle(check: Check, isApproved: boolean): void {
    const hasDenied = check.shares.some(({ status }) => status === "denied");
    check.status = isApproved ? (hasDenied ? "mixed" : "approved") : "denied";
    if (!isApproved) return;
    for (const [attorneyId, amount] of check.credits) {
      this.receive(attorneyId, check, amount, "undeposited_checks");
    }
  }

  private receive(attorneyId: number, source: Receipt["source"], amount: number, into: Account) {
    const [applied, moved] = [new Map<Debit, number>(), new Map<Debit, number>()];
    const receipt = {
      id: 0,
      attorneyId,
      source,
      amount,
      left: amount,
      givenBack: 0,
      applied,
      moved,
    };
    this.receipts.push(receipt);
    this.post(into, "attorneys_credit", amount);
  }

  private pay(share: Share, into: Account, cents: number = share.cents): void {
    share.debit.owed -= cents;
    this.post(into, "accounts_receivable", cents);
  }

  private reopen(share: Share, from: Account, cents: number = share.cents): void {
    share.debit.owed += cents;
    this.post("accounts_receivable", from, cents);
  }

  /** The bank returned a check. Returns the resulting charges to its attorneys, in order. */
  bounce(check: Check, fee: number): Charged[] {
    const isBanked = check.deposit?.isBanked === true;
    const from = isBanked ? "bank" : "undeposited_checks";
    const parts = new Map<number, number>();
    const charged: Charged[] = [];
    const add = (attorneyId: number, cents: number) =>
      parts.set(attorneyId, (parts.get(attorneyId) ?? 0) + cents);
    for (const share of check.shares) {
      if (share.status === "denied" && isBanked) this.post("held", "bank", share.cents);
      if (share.status !== "approved") continue;
      share.status = "returned";
      this.reopen(share, from);
      add(share.debit.attorneyId, share.cents);
    }
    const brought = this.receipts.filter((receipt) => receipt.source === check);
    for (const receipt of brought.toSorted((a, b) => a.attorneyId - b.attorneyId)) {
      const { attorneyId, givenBack } = receipt;
      add(attorneyId, receipt.amount);
      for (const debit of receipt.applied.keys()) this.putBack(receipt, debit);
      this.post("attorneys_credit", from, receipt.left);
      receipt.left = 0;
      this.post("other_income", from, givenBack);
      if (givenBack > 0) charged.push({ attorneyId, amount: givenBack });
    }
    const largest = Math.max(...parts.values());
    const payers = [...parts].filter(([, part]) => part === largest).map(([id]) => id);
    if (fee > 0) charged.push({ attorneyId: Math.min(...payers), amount: fee });
    check.status = "returned";
    return charged;
  }

  /** The bank has everything except what it returned before; the denied part is held for its payers. */
  bank(deposit: Deposit): void {
    deposit.isBanked = true;
    const checks = this.checks.filter(
      (check) => check.deposit === deposit && check.status !== "returned",
    );
    const denied = checks
      .flatMap(({ shares }) => shares)
      .filter(({ status }) => status === "denied");
    this.post("bank", "undeposited_checks", sumOf(checks.map(amountOf)));
    this.post("undeposited_checks", "held", sumOf(denied.map(({ cents }) => cents)));
  }

  /** The part that fits no debit is credit. */
  capture(card: CardPayment): void {
    card.state = "captured";
    card.received = card.amount;
    card.transactions.push({ kind: "purchase", cents: card.amount, processorId: null });
    for (const share of card.shares) {
      share.status = "approved";
      this.pay(share, "card_clearing");
    }
    const rest = card.amount - sumOf(card.shares.map(({ cents }) => cents));
    if (rest > 0) this.receive(card.attorneyId, card, rest, "card_clearing");
  }

  decline(card: CardPayment): void {
    card.state = "declined";
    for (const share of card.shares) share.status = "denied";
  }

  /** An event of a card payment. */
  happened(card: CardPayment, transaction: CardTransaction): void {
    const { kind, cents } = transaction;
    card.transactions.push(transaction);
    const as = takenBackAs[kind];
    card.received += as ? -cents : cents;
    card.state = card.received > 0 ? "captured" : (as ?? card.state);
    if (as) this.takeBack(card, cents, as);
    else this.bringBack(card, cents);
  }

  /**
   * The events that the processor lists for a card payment, each once. An entry made by hand matches the
   * event of its amount, and gets its id; otherwise it covers a part of other events of its kind, in the
   * order of their ids.
   */
  found(card: CardPayment): void {
    for (const kind of eventKinds) {
      const recorded = card.transactions.filter((one) => one.kind === kind);
      const unknown: CardTransaction[] = [];
      let covered = 0;
      const events = eventsOf(card, kind).toSorted((a, b) =>
        a.processorId.localeCompare(b.processorId),
      );
      for (const { processorId, cents } of events) {
        const known =
          recorded.find((one) => one.processorId === processorId) ??
          recorded.find((one) => one.processorId === null && one.cents === cents);
        if (!known) unknown.push({ kind, cents, processorId });
        else {
          known.processorId = processorId;
          const more = cents - known.cents;
          if (more > 0) unknown.push({ kind, cents: more, processorId: null });
          else covered -= more;
        }
      }
      covered += sumOf(recorded.map((one) => (one.processorId === null ? one.cents : 0)));
      for (const event of unknown) {
        const part = Math.min(covered, event.cents);
        covered -= part;
        const most = kind === "chargeback_reversed" ? this.chargedBack(card) : card.received;
        const amount = Math.min(event.cents - part, most);
        if (amount > 0) this.happened(card, { ...event, cents: amount });
      }
    }
  }

  chargedBack(card: CardPayment): number {
    const signs: Partial<Record<CardTransaction["kind"], number>> = {
      chargeback: 1,
      chargeback_reversed: -1,
    };
    return sumOf(card.transactions.map(({ kind, cents }) => cents * (signs[kind] ?? 0)));
  }

  /** Unused credit goes first, then credit that pays debits, then the newest shares. */
  private takeBack(card: CardPayment, amount: number, as: TakenBack): void {
    let missing = amount;
    const take = (most: number): number => {
      const taken = Math.min(missing, most);
      missing -= taken;
      return taken;
    };
    const brought = this.receipts.filter((receipt) => receipt.source === card);
    const goes = (receipt: Receipt, cents: number) => {
      receipt.left -= cents;
      this.post("attorneys_credit", "card_clearing", cents);
    };
    for (const receipt of brought.toReversed()) goes(receipt, take(receipt.left));
    const applied = brought.flatMap((receipt) =>
      [...receipt.moved].map(([debit, turn]) => ({ receipt, debit, turn })),
    );
    for (const { receipt, debit } of applied.toSorted((a, b) => b.turn - a.turn)) {
      const cents = take(receipt.applied.get(debit) ?? 0);
      if (cents === 0) continue;
      this.putBack(receipt, debit, cents);
      goes(receipt, cents);
    }
    for (const share of card.shares.toReversed()) {
      if (share.status !== "approved") continue;
      const counts = share.cents - share.takenBack;
      const cents = take(counts);
      this.reopen(share, "card_clearing", cents);
      if (cents === counts) Object.assign(share, { status: as, takenBack: 0 });
      else share.takenBack += cents;
    }
  }

  /** Its shares pay again what is still owed, oldest first; the rest is credit. */
  private bringBack(card: CardPayment, amount: number): void {
    let rest = amount;
    for (const share of card.shares) {
      const missing = share.status === "approved" ? share.takenBack : share.cents;
      const cents = Math.min(rest, missing, this.freeOn(share.debit));
      if (cents === 0) continue;
      rest -= cents;
      Object.assign(share, { status: "approved", takenBack: missing - cents });
      this.pay(share, "card_clearing", cents);
    }
    if (rest > 0) this.receive(card.attorneyId, card, rest, "card_clearing");
  }

  /** A charge that no payment waits for pays the oldest debits. */
  sharesOldestFirst(attorneyId: number, cents: number): Share[] {
    let left = cents;
    const own = this.debits.filter((debit) => debit.attorneyId === attorneyId);
    return own.toSorted(byAge).flatMap((debit) => {
      const part = Math.min(left, this.freeOn(debit));
      left -= part;
      return part > 0
        ? [{ id: 0, debit, cents: part, status: "pending" as const, takenBack: 0 }]
        : [];
    });
  }

  /**
   * Each attorney with a balance or credit: amounts owed by days overdue on a date, the total, the credit.
   */
  receivablesOn(day: Day): number[][] {
    const ids = [...this.debits, ...this.receipts].map(({ attorneyId }) => attorneyId);
    return [...new Set(ids)]
      .toSorted((a, b) => a - b)
      .map((id) => {
        const own = this.debits.filter(({ attorneyId }) => attorneyId === id);
        const between = (from: number, to: number) =>
          sumOf(
            own
              .filter(({ dueOn }) => {
                const days = daysBetween(dueOn, day);
                return days >= from && days <= to;
              })
              .map(({ owed }) => owed),
          );
        const far = Number.POSITIVE_INFINITY;
        const aging = [
          between(-far, 0),
          between(1, 30),
          between(31, 60),
          between(61, 90),
          between(91, far),
        ];
        return [id, ...aging, sumOf(aging), this.creditOf(id)];
      })
      .filter(([, ...amounts]) => amounts.some((amount) => amount !== 0));
  }
}

/** Oldest due first. */
const byAge = (a: Debit, b: Debit) => a.dueOn.localeCompare(b.dueOn) || a.id - b.id;
