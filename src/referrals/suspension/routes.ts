import { findSuspensionStatus } from "./suspension-status.ts";
import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { previewReview } from "#referrals/suspension/suspension.ts";
import {
  changeSettings,
  showSuspensionStatus,
  previewSuspensions,
  showSettings,
} from "#referrals/suspension/contract.ts";
import { readSettings, writeSettings } from "#referrals/suspension/settings.ts";

export function suspensionRoutes(app: FastifyInstance): void {
  serve(app, showSettings, { allow: "admin" }, ({ tx, actor }) => readSettings(tx, actor));
  serve(app, changeSettings, { allow: "admin" }, ({ tx, actor, body, today }) =>
    writeSettings(tx, actor, body, today),
  );
  serve(app, previewSuspensions, { allow: "admin" }, ({ tx, actor, query, today }) =>
    previewReview(
      tx,
      actor.networkId,
      { enabled: query.enabled === "true", threshold: query.threshold },
      today,
    ),
  );
  serve(app, showSuspensionStatus, { allow: "attorney" }, ({ tx, actor, today }) =>
    findSuspensionStatus(tx, actor, today),
  );
}
