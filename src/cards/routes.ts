import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { findChallenge, payByCard } from "#cards/charge/card-payments.ts";
import { listCards, showCard } from "#cards/card-lists.ts";
import { openElavonSession, openPayflowSession } from "#cards/session/card-sessions.ts";
import {
  changeSettings,
  showDashboardSettings,
  showSettings,
} from "#cards/settings/card-settings.ts";
import { confirmPaymentNow } from "#cards/reconcile/confirmation.ts";
import * as contract from "#cards/contract.ts";
import { listHeld } from "#cards/reconcile/held-charges.ts";
import { payflowReturnRoute } from "#cards/session/payflow-return.ts";
import {
  recordManualTransaction,
  markChargebacksSeenOf,
} from "#cards/transactions/record-by-hand.ts";
import { refundCardPayment } from "#cards/refund/refunds.ts";
import type { CardPaymentContext } from "#cards/card-payment-context.ts";
import { webhookRoutes } from "#cards/reconcile/webhooks.ts";

const withoutTransaction = { ownTransactions: true } as const;

export function cardRoutes(app: FastifyInstance, context: CardPaymentContext): void {
  serve(
    app,
    contract.payByCard,
    { allow: "attorney", ...withoutTransaction },
    ({ actor, body, effectId }) =>
      payByCard(context, actor, { idempotency_key: effectId ?? undefined, ...body }),
  );
  serve(
    app,
    contract.showChallenge,
    { allow: "attorney", ...withoutTransaction },
    ({ actor, body }) => findChallenge(context, actor, body),
  );
  serve(
    app,
    contract.elavonSessionToken,
    { allow: "attorney", withoutEnvelope: true, hasSideEffects: true },
    ({ actor, query }) => openElavonSession(context, actor, query),
  );
  serve(
    app,
    contract.payflowSecureToken,
    { allow: "attorney", ...withoutTransaction },
    ({ actor, body }) => openPayflowSession(context, actor, body),
  );
  serve(app, contract.dashboardSettings, { allow: "attorney" }, ({ actor }) =>
    showDashboardSettings(context, actor),
  );
  adminRoutes(app, context);
  webhookRoutes(app, context);
  payflowReturnRoute(app);
}

function adminRoutes(app: FastifyInstance, context: CardPaymentContext): void {
  serve(app, contract.showCardSettings, { allow: "admin" }, ({ actor }) =>
    showSettings(context, actor),
  );
  serve(
    app,
    contract.changeCardSettings,
    { allow: "admin", inPerson: true, needsConfirmation: true, ...withoutTransaction },
    ({ actor, body }) => changeSettings(context, actor, body),
  );
  serve(app, contract.listCardPayments, { allow: "admin" }, ({ tx, actor, query }) =>
    listCards(tx, actor, query),
  );
  serve(app, contract.listHeldCharges, { allow: "admin" }, ({ tx, actor, query }) =>
    listHeld(tx, actor, query),
  );
  serve(
    app,
    contract.confirmCardPayment,
    { allow: "admin", ...withoutTransaction },
    async ({ actor, params }) => {
      await confirmPaymentNow(context, actor, params.id);
      return await showCard(context.db, actor, params.id);
    },
  );
  serve(
    app,
    contract.refundPayment,
    { allow: "admin", ...withoutTransaction },
    ({ actor, params, body, effectId }) =>
      refundCardPayment(context, actor, params.id, { ...body, effectId }),
  );
  serve(app, contract.showCardPayment, { allow: "admin" }, ({ tx, actor, params }) =>
    showCard(tx, actor, params.id),
  );
  serve(
    app,
    contract.refundCard,
    { allow: "admin", ...withoutTransaction },
    ({ actor, params, body, effectId }) =>
      refundCardPayment(context, actor, params.id, { ...body, effectId }),
  );
  serve(app, contract.recordCardTransaction, { allow: "admin" }, ({ tx, actor, params, body }) =>
    recordManualTransaction(tx, actor, params.id, body),
  );
  serve(app, contract.markChargebacksSeen, { allow: "admin" }, ({ tx, actor, params }) =>
    markChargebacksSeenOf(tx, actor, params.id),
  );
}
