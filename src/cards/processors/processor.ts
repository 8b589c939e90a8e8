import type { Cents } from "#kit/domain/money.ts";
import type { PageSources } from "#kit/http/security-headers.ts";
import type { ChargeEvent } from "#cards/processors/charge-events.ts";
import type { ProcessorName } from "#cards/shapes.ts";

/*
 * What the product asks of a card processor, and all it knows of one. Each of the files beside this
 * one implements it for one processor; `processors.ts` lists them. docs/adding-a-processor.md
 */

/** A network's account with a processor, as one version of its settings describes it. */
export interface Account {
  networkId: number;
  live: boolean;
  /** By the names of the processor's own `fields`; an optional one that was not entered is absent. */
  keys: Readonly<Record<string, string>>;
  /** Where the processor is reached: `liveAddresses`, `testAddresses` or those of the sandboxes. */
  addresses: Readonly<Record<string, string>>;
  /** Where browsers reach the product, without a trailing slash. */
  publicUrl: string;
  /** How long to wait for one answer. */
  timeoutMs: number;
}

/** Something that an administrator enters, in the order of the form. */
export interface KeyField {
  name: string;
  label: string;
  hint: string;
  isSecret: boolean;
  isRequired: boolean;
  /** A public one that does not name the account: the same account may get another, as it gets other secrets. */
  isReplaceable?: boolean;
}

/** What a page of the network needs to turn a card into a token. */
export interface Page {
  publicKeys: Record<string, string>;
  clientIds: Record<string, string>;
  /** Null where the browser needs no script. */
  scriptUrl: string | null;
  /** The script's hash, where its vendor publishes one: browsers run nothing else from that address. */
  scriptIntegrity?: string | null;
  /** Exactly the hosts that the script and the card form load from, frame and post to. */
  sources: PageSources;
}

export interface Payer {
  attorneyId: number;
  firstName: string;
  lastName: string;
  email: string;
  address: string;
  city: string;
  region: string;
  zip: string;
}

/** A charge to look up, whether or not it was ever made. */
export interface Charge {
  /** Ours: 12 digits and capital letters, unique in the network, in every request to the processor. */
  reference: string;
  amountCents: Cents;
  /** The processor's own id, once known. */
  transactionId: string | null;
  /** When the payment was recorded, ISO 8601; nothing was charged before. */
  startedAt: string;
  /** The session in which the browser showed the card to the processor, where there was one. */
  session: Session | null;
}

export interface NewCharge extends Charge {
  /** The processor's single-use token that the browser sent; never stored. */
  token: string;
  description: string;
  payer: Payer;
}

export interface Session {
  reference: string;
  startedAt: string;
  /** What the processor answered for the session, if it is needed again. */
  secret: string | null;
  /** What the browser charges in it; null where our server charges the card that was shown. */
  amountCents: Cents | null;
}

export interface Card {
  /** In the processor's word; `brandName` makes "Visa" of it. Empty when the processor does not say. */
  brand: string;
  /** Empty when the processor does not say. */
  lastFour: string;
}

/** The money was taken. */
export interface Approved {
  kind: "approved";
  transactionId: string;
  amountCents: Cents;
  card: Card | null;
  /** What `lookUp` found to have happened to it since, wherever that was asked for. */
  since?: ChargeEvent[];
}

/** The money was not taken and will not be. */
export interface Declined {
  kind: "declined";
  /** One sentence for the payer. */
  message: string;
  transactionId?: string;
  /** What an administrator must see to, where it is not the card's fault; the payer sees less. */
  fault?: string;
  /** Approved at first, and not collected; a later batch may do so after all. */
  mayComeThrough?: boolean;
}

/** Nobody can say yet. */
export interface UnknownOutcome {
  kind: "unknown";
  /** For administrators: why. */
  problem: string;
  transactionId?: string;
  /** What the payer's bank wants confirmed in the browser. */
  challenge?: string;
  /** Authorised, and held until the network accepts or declines it at the processor, which may take days. */
  isHeld?: boolean;
}

/** The processor knows of no charge by this reference: final only once it must have been listed. */
export interface Missing {
  kind: "missing";
  /** Only declines are listed: what the browser sent was answered, and nothing is on its way. */
  wasDeclined?: boolean;
}

export type ChargeOutcome = Approved | Declined | UnknownOutcome;
export type LookUpOutcome = ChargeOutcome | Missing;

export interface Captured {
  transactionId: string;
  /** The charge's own reference. */
  chargeReference: string;
  /** What is to be given back of it: a part, where it is less than what was charged. */
  amountCents: Cents;
  chargedCents: Cents;
  chargedAt: string;
  lastFour: string;
  /** Our reference of the void or refund, unique in the network. */
  reference: string;
  requestedAt: string;
  /** The processor's own id of it, once that is known. */
  processorId: string | null;
}

export interface RefundRequest extends Captured {
  /** The processor may have been asked before, and its answer been lost. */
  wasAskedBefore: boolean;
  /** It is all that we know to be left: where less is, that is given back. */
  isRest: boolean;
  /** The amounts of the other refunds that we know of. */
  otherRefunds: Cents[];
}

export type RefundOutcome =
  | {
      kind: "done";
      how: "voided" | "refunded";
      /** By which id `since` lists it; absent where its answer was lost, or more than one make up the whole. */
      processorId?: string;
    }
  | {
      kind: "refused";
      message: string;
      /** The processor says, or may mean, that so much is not left of the charge: what has happened to it is asked. */
      exceedsRest?: boolean;
    }
  | UnknownOutcome;

export interface NewSession {
  reference: string;
  /** What the browser will charge; null where it only shows the card. */
  amountCents: Cents | null;
  payer: Payer;
}

export type OpenedSession =
  | {
      kind: "opened";
      /** What the browser uses it by. */
      token: string;
      /** What the browser later names it by; null where the transaction made in it does. */
      handle: string | null;
      /** Stored encrypted for as long as it may be needed. */
      secret: string | null;
    }
  | { kind: "refused"; message: string; fault: string };

/** A notice that a processor sent and signed. It is a hint: what it is about is looked up. */
export interface Notice {
  eventId: string;
  eventType: string;
  /** Our reference and the processor's transaction id, as far as the notice names them. */
  reference: string | null;
  transactionId: string | null;
}

/** Sessions that are opened before a card is shown to the processor; with an amount, the browser charges it there. */
export interface Sessions {
  /** How long after its opening the browser can still use a session. */
  lastsMinutes: number;
  /** For how long after its opening a charge may be on its way without being listed: until then no other is begun. */
  chargeTakesSeconds?: number;
  /**
   * In which sessions it is waited for: all, or those that another page opened for a payment which it names. One
   * page waits for the answer of its own charge, and a program may open several sessions and use one.
   */
  waitsFor?: "all" | "other pages";
  open: (account: Account, wanted: NewSession) => Promise<OpenedSession>;
  /** The reference of the session that a transaction was made in; null while that is not known. */
  referenceOf?: (account: Account, transactionId: string) => Promise<string | null>;
}

/** Refunds that were accepted, and that may fail all the same. */
export interface RefundsMayFail {
  /** For how long after they were accepted. */
  forDays: number;
  /** Why an accepted refund failed, in a sentence for administrators; null while it has not. */
  why: (account: Account, captured: Captured) => Promise<string | null>;
}

/**
 * One card processor. Every function may throw: the outcome is then unknown. None guesses: "unknown" is
 * an answer.
 */
export interface Processor {
  name: ProcessorName;
  label: string;
  /** What the network's account needs besides its keys, in a sentence for administrators. */
  advice?: string;
  /** Where the network accepts or declines what is held for review, as its administrators know it. */
  reviewedIn?: string;
  fields: KeyField[];
  liveAddresses: Readonly<Record<string, string>>;
  testAddresses: Readonly<Record<string, string>>;
  page: (account: Account) => Page;
  /** Ask the processor whether the keys are right; null if so, else a sentence. Throws when it cannot be reached. */
  checkKeys: (account: Account) => Promise<string | null>;
  /** Charge a card once; where the browser charged it, verify that it did. */
  charge: (account: Account, wanted: NewCharge) => Promise<ChargeOutcome>;
  /**
   * How a charge went, by our reference, and what has happened to it since. Asking changes nothing that
   * a payer would notice, except that an approval which cannot be this payment (of a part of the amount,
   * or refused by the merchant's own rules) is taken back.
   */
  lookUp: (account: Account, charge: Charge) => Promise<LookUpOutcome>;
  /** After how long a charge that the processor does not know of was never made. */
  missingIsFinalAfterMinutes: number;
  /**
   * Void before settlement, refund after it, once, however often it is called: the whole charge, or what is left of it,
   * done where nothing is. A part is never voided; it is refunded as exactly that amount, and refused where a charge
   * that is not settled can only be voided.
   */
  voidOrRefund: (account: Account, captured: RefundRequest) => Promise<RefundOutcome>;
  /** For how many days a sale that was not collected (`mayComeThrough`) may be collected in a later batch. */
  comesThroughWithinDays?: number;
  refundsMayFail?: RefundsMayFail;
  sessions?: Sessions;
  /** Read a notice; null unless its signature is right. `headers` have lower-case names. */
  readNotice?: (account: Account, body: Buffer, headers: Headers) => NoticeRead;
}

type NoticeRead = Notice | null | Promise<Notice | null>;

export type Headers = Readonly<Record<string, string | string[] | undefined>>;
