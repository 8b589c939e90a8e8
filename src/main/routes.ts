import type { FastifyInstance } from "fastify";
import "#main/reports.ts";
import { activityRoutes } from "#office/activity/routes.ts";
import { apiTokenRoutes } from "#access/tokens/routes.ts";
import { attorneyRoutes } from "#people/routes.ts";
import { authRoutes } from "#access/sign-in/routes.ts";
import type { CardPaymentContext } from "#cards/card-payment-context.ts";
import { cardRoutes } from "#cards/routes.ts";
import { checkRoutes } from "#payments/checks/routes.ts";
import { choiceRoutes } from "#kit/list/choice-routes.ts";
import { departureRoutes } from "#people/departures/routes.ts";
import { depositRoutes } from "#payments/deposits/routes.ts";
import { exportRoutes } from "#office/reports/routes.ts";
import { firmRoutes } from "#panel/firms/routes.ts";
import { importRoutes } from "#kit/imports/routes.ts";
import { journalRoutes } from "#dues/ledger/journal/routes.ts";
import { ledgerRoutes } from "#dues/ledger/routes.ts";
import { listRoutes } from "#kit/list/saved-filter-routes.ts";
import { savedLists } from "#main/lists.ts";
import { mailRoutes } from "#outgoing/mail/routes.ts";
import { matterRoutes } from "#referrals/matters/routes.ts";
import { networkRoutes } from "#access/networks/routes.ts";
import { panelRoutes } from "#panel/routes.ts";
import { paymentRoutes } from "#payments/routes.ts";
import { receivableRoutes } from "#dues/ledger/receivables/routes.ts";
import { searchRoutes } from "#office/desk/search/routes.ts";
import { statementRoutes } from "#dues/ledger/statements/routes.ts";
import { subscriptionRoutes } from "#dues/plans/routes.ts";
import { suspensionRoutes } from "#referrals/suspension/routes.ts";
import { todayRoutes } from "#office/desk/today/routes.ts";
import { webhookRoutes } from "#outgoing/webhooks/routes.ts";

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
  panelRoutes(app);
  attorneyRoutes(app, settings);
  importRoutes(app);
  listRoutes(app, savedLists);
  subscriptionRoutes(app);
  ledgerRoutes(app);
  paymentRoutes(app);
  checkRoutes(app);
  firmRoutes(app);
  depositRoutes(app);
  receivableRoutes(app);
  journalRoutes(app);
  choiceRoutes(app);
  searchRoutes(app);
  statementRoutes(app);
  cardRoutes(app, context);
  matterRoutes(app);
  departureRoutes(app, settings);
  suspensionRoutes(app);
  mailRoutes(app, settings);
  activityRoutes(app);
  exportRoutes(app);
  todayRoutes(app, settings);
  webhookRoutes(app, context);
}
