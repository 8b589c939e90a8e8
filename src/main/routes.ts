import type { FastifyInstance } from "fastify";
import "#main/reports.ts";
import { activityRoutes } from "#features/activity/routes.ts";
import { apiTokenRoutes } from "#features/api-tokens/routes.ts";
import { attorneyRecord } from "#features/attorney-record/attorney-record.ts";
import { attorneyRoutes } from "#features/attorneys/routes.ts";
import { authRoutes } from "#features/auth/routes.ts";
import type { CardPaymentContext } from "#features/cards/card-payment-context.ts";
import { cardRoutes } from "#features/cards/routes.ts";
import { checkRoutes } from "#features/checks/routes.ts";
import { choiceRoutes } from "#features/choices/routes.ts";
import { departureRoutes } from "#features/departures/routes.ts";
import { depositRoutes } from "#features/deposits/routes.ts";
import { exportRoutes } from "#features/exports/routes.ts";
import { firmRoutes } from "#features/firms/routes.ts";
import { importRoutes } from "#features/imports/routes.ts";
import { journalRoutes } from "#features/journal/routes.ts";
import { ledgerRoutes } from "#features/ledger/routes.ts";
import { listRoutes } from "#list/saved-filter-routes.ts";
import { savedLists } from "#main/lists.ts";
import { mailRoutes } from "#features/mail/routes.ts";
import { matterRoutes } from "#features/matters/routes.ts";
import { networkRoutes } from "#features/networks/routes.ts";
import { paymentRoutes } from "#features/payments/routes.ts";
import { receivableRoutes } from "#features/receivables/routes.ts";
import { searchRoutes } from "#features/search/routes.ts";
import { statementRoutes } from "#features/statements/routes.ts";
import { subscriptionRoutes } from "#features/subscriptions/routes.ts";
import { suspensionRoutes } from "#features/suspension/routes.ts";
import { todayRoutes } from "#features/today/routes.ts";
import { webhookRoutes } from "#features/webhooks/routes.ts";

type RouteSettings = Parameters<typeof authRoutes>[1] &
  Parameters<typeof mailRoutes>[1] & { publicUrl: string };

/** Every call that the server answers, feature by feature. */
export function addFeatureRoutes(
  app: FastifyInstance,
  settings: RouteSettings,
  context: CardPaymentContext,
): void {
  authRoutes(app, settings);
  apiTokenRoutes(app);
  networkRoutes(app);
  attorneyRoutes(app, { ...settings, record: attorneyRecord });
  importRoutes(app);
  listRoutes(app, savedLists);
  subscriptionRoutes(app);
  ledgerRoutes(app);
  paymentRoutes(app, attorneyRecord);
  checkRoutes(app);
  firmRoutes(app);
  depositRoutes(app);
  receivableRoutes(app);
  journalRoutes(app);
  choiceRoutes(app);
  searchRoutes(app);
  statementRoutes(app);
  cardRoutes(app, context, attorneyRecord);
  matterRoutes(app);
  departureRoutes(app, { ...settings, record: attorneyRecord });
  suspensionRoutes(app);
  mailRoutes(app, settings);
  activityRoutes(app);
  exportRoutes(app);
  todayRoutes(app, settings);
  webhookRoutes(app, context);
}
