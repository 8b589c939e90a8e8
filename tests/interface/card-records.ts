import { cents } from "#kit/domain/money.ts";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { accountInUseOrRefuse } from "#cards/settings/card-accounts.ts";
import { findSession } from "#cards/reconcile/confirmation.ts";
import { payByCard } from "#cards/contract.ts";
import { findPayer } from "#cards/charge/payer.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { referenceOf } from "#cards/card-payment-context.ts";
import { postUnmatchedCharge } from "#cards/reconcile/found-charges.ts";
import { cardOf, payflowToken } from "#tests/support/card-browser.ts";
import { takesCards, cardPaymentContext } from "#tests/support/card-network.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import { makeAccount, type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

/** The server and the card processors' sandboxes. */
export interface CardWorld extends RunningApp {
  sandboxes: Sandboxes;
}

export async function anAppBesideSandboxes(
  settings: Parameters<typeof anApp>[0] = {},
): Promise<CardWorld> {
  const sandboxes = await startSandboxes({ port: 0 });
  // A program written against the published call verifies the card, and the server charges it.
  sandboxes.paypal_payflow_pro.allowReferences(true);
  // Mail is set up, so that many attorneys can be invited together.
  const app = await anApp({ sendsMail: true, ...settings, sandboxes: sandboxes.addresses });
  const close = async () => {
    await app.close();
    await sandboxes.close();
  };
  return { ...app, sandboxes, close };
}

/** The processor of all networks here: the one with a call of its own in the envelope. */
export const processorHere: ProcessorName = "paypal_payflow_pro";

export interface CardIds {
  /** A card payment that the processor has captured. */
  cardPayment: number;
  /** The token it was made with. */
  paidToken: string;
  /** Of a charge with nothing owed. */
  creditOfCard: number;
  /** The processor's verification of a card that nothing has been charged to yet. */
  cardToken: string;
}

/** Let the network take cards, and make one record of each kind that card payments leave. */
export async function cardRecordsOf(
  app: CardWorld,
  network: MadeNetwork,
  owner: MadeAttorney,
): Promise<CardIds> {
  if (!(await hasProcessor(app, network))) await takesCards(app, network, processorHere);
  const visitor = await signedIn(app, owner, network);
  return {
    ...(await aCapturedPayment(app, network, owner, visitor)),
    creditOfCard: await aChargeThatIsCredit(app, network),
    cardToken: await shownCard(visitor),
  };
}

async function hasProcessor({ db }: CardWorld, network: MadeNetwork): Promise<boolean> {
  const rows = db.selectFrom("cardProcessors").select("id").where("networkId", "=", network.id);
  return (await rows.limit(1).execute()).length > 0;
}

const shownCard = (visitor: Visitor) => payflowToken({ visitor, card: cardOf(processorHere) });

async function aCapturedPayment(
  app: CardWorld,
  network: MadeNetwork,
  owner: MadeAttorney,
  visitor: Visitor,
) {
  const debit = await makeDebit(app.db, network, owner);
  const paidToken = await shownCard(visitor);
  const body = { payment_hash: { [debit]: "50.00" }, token: paidToken };
  const { onlinePayments } = await visitor.call(payByCard, { body });
  const cardPayment = Math.max(...onlinePayments.map((payment) => payment.paymentId));
  return { cardPayment, paidToken };
}

/** As a charge found at the processor, of an attorney who owes nothing. */
async function aChargeThatIsCredit(app: CardWorld, network: MadeNetwork): Promise<number> {
  const attorney = await makeAttorney(app.db, network);
  const account = await makeAccount(app.db, network, attorney);
  const visitor = await signedIn(app, attorney, network);
  const token = await shownCard(visitor);
  const context = cardPaymentContext(app, app.sandboxes);
  const using = await accountInUseOrRefuse(context, network.id);
  const { id: sessionId } = await app.db
    .selectFrom("cardSessions")
    .select("id")
    .where("networkId", "=", network.id)
    .where("handle", "=", token)
    .executeTakeFirstOrThrow();
  const charged = await using.processor.charge(using.account, {
    reference: referenceOf(network.id, token),
    amountCents: cents(30_00),
    transactionId: null,
    startedAt: context.now().toString(),
    session: await findSession(context, network.id, sessionId),
    token,
    description: "Dues",
    payer: await findPayer(app.db, account),
  });
  if (charged.kind !== "approved") throw new Error(`The charge was ${charged.kind}.`);
  app.sandboxes[processorHere].settle(); // a partial refund is possible only after that
  const loose = {
    networkId: network.id,
    attorneyId: attorney.id,
    processor: processorHere,
    cardProcessorId: using.id,
    sessionId,
    ...charged,
  };
  await app.db.transaction().execute((tx) => postUnmatchedCharge(tx, loose, network.admin));
  const { paymentId } = await app.db
    .selectFrom("cardPayments")
    .select("paymentId")
    .where("networkId", "=", network.id)
    .where("attorneyId", "=", attorney.id)
    .executeTakeFirstOrThrow();
  return paymentId;
}
