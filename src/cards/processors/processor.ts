import type { Cents } from "#kit/domain/money.ts";
import type { PageSources } from "#kit/http/security-headers.ts";
import type { ChargeEvent } from "#cards/processors/charge-events.ts";
import type { ProcessorName } from "#cards/shapes.ts";

/*
 * Everything the product asks of a card processor, and everything it knows of one. Each file beside this
 * one implements it for one processor; `processors.ts` lists them. docs/adding-a-processor.md
 */

/** A network's account with a processor, from one version of its settings. */
export interface Account {
  networkId: number;
  live: boolean;
  /** By the names of the processor's `fields`; an optional key that was not entered is absent. */
  keys: Readonly<Record<string, string>>;
  /** The processor's addresses: `liveAddresses`, `testAddresses` or those of the sandboxes. */
  addresses: Readonly<Record<string, string>>;
  /** The product's address for browsers, without a trailing slash. */
  publicUrl: string;
  timeoutMs: number;
}

/** A value that an administrator enters, in the order of the form. */
export interface KeyField {
  name: string;
  label: string;
  hint: string;
  isSecret: boolean;
  isRequired: boolean;
  /** A public key that does not identify the account: the account may get a new one, like its secrets. */
  isReplaceable?: boolean;
}

/** What a page of the network needs to turn a card into a token. */
export interface Page {
  publicKeys: Record<string, string>;
  clientIds: Record<string, string>;
  /** Null if the browser needs no script. */
  scriptUrl: string | null;
  /** The script's hash, if its vendor publishes one: browsers run nothing else from that address. */
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

export interface Charge {
  /** Ours: 12 digits and capital letters, unique in the network, in every request to the processor. */
  reference: string;
  amountCents: Cents;
  /** The processor's id, once known. */
  transactionId: string | null;
  /** When the payment was recorded, ISO 8601; nothing was charged before. */
  startedAt: string;
  /** The session in which the browser showed the card to the processor, if there was one. */
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
  /** The processor's answer for the session, if it is needed again. */
  secret: string | null;
  /** The amount the browser charges in it; null if our server charges the card that was shown. */
  amountCents: Cents | null;
}

export interface Card {
  /** The processor's name; `brandName` turns it into "Visa". Empty if the processor does not say. */
  brand: string;
  /** Empty if the processor does not say. */
  lastFour: string;
}

/** The money was taken. */
export interface Approved {
  kind: "approved";
  transactionId: string;
  amountCents: Cents;
  card: Card | null;
  /** The events that `lookUp` found since, wherever they were made. */
  since?: ChargeEvent[];
}

/** The money was not taken and will not be. */
export interface Declined {
  kind: "declined";
  /** One sentence for the payer. */
  message: string;
  transactionId?: string;
  /** What an administrator must fix, if the card is not at fault; the payer does not see it. */
  fault?: string;
  /** Approved first, then not collected; a later batch may still collect it. */
  mayComeThrough?: boolean;
}

/** The outcome is not known yet. */
export interface UnknownOutcome {
  kind: "unknown";
  /** The reason, for administrators. */
  problem: string;
  transactionId?: string;
  /** The confirmation that the payer's bank wants in the browser. */
  challenge?: string;
  /** Authorised, and held until the network accepts or declines it at the processor, which may take days. */
  isHeld?: boolean;
}

/** The processor knows no charge by this reference: final only once it must have been listed. */
export interface Missing {
  kind: "missing";
  /** Only declines are listed: the browser's attempts were answered, and nothing is on its way. */
  wasDeclined?: boolean;
}

export type ChargeOutcome = Approved | Declined | UnknownOutcome;
export type LookUpOutcome = ChargeOutcome | Missing;

export interface Captured {
  transactionId: string;
  chargeReference: string;
  /** The amount to refund: partial if less than was charged. */
  amountCents: Cents;
  chargedCents: Cents;
  chargedAt: string;
  lastFour: string;
  /** Our reference of the void or refund, unique in the network. */
  reference: string;
  requestedAt: string;
  /** The processor's id of it, once known. */
  processorId: string | null;
}

export interface RefundRequest extends Captured {
  /** The processor may already have been asked, and its answer lost. */
  wasAskedBefore: boolean;
  /** It is all that we know to be left: if less is left, that is refunded. */
  isRest: boolean;
  otherRefunds: Cents[];
}

export type RefundOutcome =
  | {
      kind: "done";
      how: "voided" | "refunded";
      /** Its id in `since`; absent if its answer was lost, or if several refunds make up the whole. */
      processorId?: string;
    }
  | {
      kind: "refused";
      message: string;
      /** The processor says, or may mean, that less is left of the charge: its events are looked up. */
      exceedsRest?: boolean;
    }
  | UnknownOutcome;

export interface NewSession {
  reference: string;
  /** The amount the browser will charge; null if it only shows the card. */
  amountCents: Cents | null;
  payer: Payer;
}

export type OpenedSession =
  | {
      kind: "opened";
      /** For the browser, to use the session. */
      token: string;
      /** The browser's later name for it; null if its transaction names it. */
      handle: string | null;
      /** Stored encrypted for as long as it may be needed. */
      secret: string | null;
    }
  | { kind: "refused"; message: string; fault: string };

/** A notice that a processor sent and signed. It is only a hint: we look up the payment. */
export interface Notice {
  eventId: string;
  eventType: string;
  /** Our reference and the processor's transaction id, if the notice has them. */
  reference: string | null;
  transactionId: string | null;
}

/**
 * Sessions are opened before a card is shown to the processor; with an amount, the browser charges it
 * there.
 */
export interface Sessions {
  /** How long after opening the browser can still use a session. */
  lastsMinutes: number;
  /**
   * How long after opening a charge may be on its way without being listed: until then no other session is
   * opened.
   */
  chargeTakesSeconds?: number;
  /**
   * Which sessions to wait for: all, or those that another page opened for a payment with a name. A page
   * waits for its own charge's answer, and a program may open several sessions and use one.
   */
  waitsFor?: "all" | "other pages";
  open: (account: Account, wanted: NewSession) => Promise<OpenedSession>;
  /** The reference of the session that a transaction was made in; null while unknown. */
  referenceOf?: (account: Account, transactionId: string) => Promise<string | null>;
}

/** Refunds that were accepted and may still fail. */
export interface RefundsMayFail {
  forDays: number;
  /** Why an accepted refund failed, in a sentence for administrators; null while it has not. */
  why: (account: Account, captured: Captured) => Promise<string | null>;
}

/**
 * One card processor. Any function may throw: the outcome is then unknown. None may guess: "unknown" is an
 * answer.
 */
export interface Processor {
  name: ProcessorName;
  label: string;
  /** What to set up in the network's account in addition to its keys, in a sentence for administrators. */
  advice?: string;
  /** Where the network accepts or declines held charges, by the name its administrators know. */
  reviewedIn?: string;
  fields: KeyField[];
  liveAddresses: Readonly<Record<string, string>>;
  testAddresses: Readonly<Record<string, string>>;
  page: (account: Account) => Page;
  /**
   * Check the keys with the processor; null if they are right, otherwise a sentence. Throws if it cannot be
   * reached.
   */
  checkKeys: (account: Account) => Promise<string | null>;
  /** Charge a card once; if the browser charged it, verify that it did. */
  charge: (account: Account, wanted: NewCharge) => Promise<ChargeOutcome>;
  /**
   * The outcome of a charge, by our reference, and its events since. A lookup changes nothing that a payer
   * would notice, except that it voids an approval that cannot be this payment (for part of the amount, or
   * refused by the merchant's own rules).
   */
  lookUp: (account: Account, charge: Charge) => Promise<LookUpOutcome>;
  /** After this time a charge unknown to the processor was never made. */
  missingIsFinalAfterMinutes: number;
  /**
   * Void before settlement, refund after it, once, however often it is called: the whole charge, or what is
   * left of it; done if nothing is left. A partial refund is never a void: it is exactly that amount, and
   * refused if an unsettled charge can only be voided.
   */
  voidOrRefund: (account: Account, captured: RefundRequest) => Promise<RefundOutcome>;
  /** For how many days a later batch may still collect a sale that was not collected (`mayComeThrough`). */
  comesThroughWithinDays?: number;
  refundsMayFail?: RefundsMayFail;
  sessions?: Sessions;
  /** Read a notice; null unless its signature is right. `headers` have lower-case names. */
  readNotice?: (account: Account, body: Buffer, headers: Headers) => NoticeRead;
}

type NoticeRead = Notice | null | Promise<Notice | null>;

export type Headers = Readonly<Record<string, string | string[] | undefined>>;
