import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import * as contract from "#outgoing/webhooks/contract.ts";
import { listDeliveries, sendAgain } from "#outgoing/webhooks/deliveries.ts";
import {
  addEndpoint,
  changeEndpoint,
  listEndpoints,
  removeEndpoint,
  renewSecret,
  sendPing,
} from "#outgoing/webhooks/endpoints.ts";

export function webhookRoutes(app: FastifyInstance, { secret }: { secret: string }): void {
  const allowed = { allow: "admin" } as const;
  // A receiver keeps getting data unnoticed, so a stolen session or token must not be able to add one.
  const confirmed = { ...allowed, inPerson: true, needsConfirmation: true } as const;
  serve(app, contract.listWebhookEndpoints, allowed, ({ tx, actor }) => listEndpoints(tx, actor));
  serve(app, contract.addWebhookEndpoint, confirmed, ({ tx, actor, body }) =>
    addEndpoint(tx, actor, body, secret),
  );
  serve(app, contract.changeWebhookEndpoint, confirmed, ({ tx, actor, params, body }) =>
    changeEndpoint(tx, actor, params.id, body),
  );
  serve(app, contract.removeWebhookEndpoint, confirmed, ({ tx, actor, params }) =>
    removeEndpoint(tx, actor, params.id),
  );
  serve(app, contract.renewWebhookSecret, confirmed, ({ tx, actor, params }) =>
    renewSecret(tx, actor, params.id, secret),
  );
  serve(app, contract.testWebhookEndpoint, confirmed, ({ tx, actor, params }) =>
    sendPing(tx, actor, params.id),
  );
  serve(app, contract.listWebhookDeliveries, allowed, ({ tx, actor, query }) =>
    listDeliveries(tx, actor, query),
  );
  serve(app, contract.sendWebhookAgain, allowed, ({ tx, actor, params }) =>
    sendAgain(tx, actor, params.id),
  );
}
