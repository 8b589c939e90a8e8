import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { showAttorneyRecord } from "#people/attorney-record.ts";
import { requestSource } from "#access/sign-in/sign-in-events.ts";
import * as contract from "#people/departures/contract.ts";
import {
  departAttorney,
  previewDepartureOf,
  returnAttorney,
} from "#people/departures/departures.ts";

export function departureRoutes(app: FastifyInstance, { publicUrl }: { publicUrl: string }): void {
  const allowed = { allow: "admin" } as const;
  serve(app, contract.recordDeparture, allowed, async ({ tx, actor, params, body, today }) => {
    await departAttorney(tx, actor, { attorneyId: params.id, wanted: body, today });
    return await showAttorneyRecord(tx, actor, params.id, today);
  });
  serve(app, contract.previewDeparture, allowed, ({ tx, actor, params, body, today }) =>
    previewDepartureOf(tx, actor, { attorneyId: params.id, leftOn: body.left_on, today }),
  );
  serve(app, contract.recordReturn, allowed, async ({ tx, actor, params, today, request }) => {
    const from = requestSource(request);
    await returnAttorney(tx, actor, { attorneyId: params.id, today, publicUrl, from });
    return await showAttorneyRecord(tx, actor, params.id, today);
  });
}
