import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { dayIn } from "#domain/calendar.ts";
import { allowOnly, decodeInput, serve } from "#http/serve.ts";
import { notFound } from "#contract/refusal.ts";
import { findLogo } from "#features/networks/brand.ts";
import * as contract from "#features/statements/contract.ts";
import { showStatementOf } from "#features/statements/statement.ts";
import { statementPdf } from "#features/statements/statement-pdf.ts";
import {
  readStatementSettings,
  writeStatementSettings,
} from "#features/statements/statement-settings.ts";

export function statementRoutes(app: FastifyInstance): void {
  serve(
    app,
    contract.showStatement,
    { allow: "signed-in" },
    ({ tx, actor, params, query, today }) =>
      showStatementOf(tx, actor, { attorneyId: params.id, between: query }, today),
  );
  serve(app, contract.showStatementSettings, { allow: "admin" }, ({ tx, actor, today }) =>
    readStatementSettings(tx, actor, today),
  );
  serve(app, contract.changeStatementSettings, { allow: "admin" }, ({ tx, actor, body, today }) =>
    writeStatementSettings(tx, actor, body.mailed_on_day, today),
  );
  servePdf(app);
}

function servePdf(app: FastifyInstance): void {
  const endpoint = contract.downloadStatement;
  app.endpoints.push({
    endpoint,
    allow: "signed-in",
    isForPrograms: true,
    isBare: true,
    mediaType: "application/pdf",
  });
  app.get(
    endpoint.path,
    { onRequest: async (request) => allowOnly("signed-in", endpoint, request) },
    async (request, reply) => {
      const { actor } = request;
      const between = decodeInput(endpoint.query, request.query);
      const params = z.safeDecode(endpoint.params, request.params as { id: string });
      if (!params.success || !actor) throw notFound("attorney");
      const today = dayIn(actor.timeZone, app.now());
      const wanted = { attorneyId: params.data.id, between };
      const answer = await showStatementOf(app.db, actor, wanted, today);
      const statement = z.decode(contract.Statement, JSON.parse(answer.text));
      const logo = statement.brand.logo ? await findLogo(app.db, actor) : null;
      return await reply
        .headers({
          "Content-Type": "application/pdf",
          "Content-Disposition": `attachment; filename="${fileName(statement)}"`,
        })
        .send(await statementPdf(statement, logo?.bytes ?? null));
    },
  );
}

/** Plain ASCII, as every program can save it. */
function fileName({ attorneyName, from, to }: contract.Statement): string {
  const whose = attorneyName
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .slice(0, 60);
  return `statement-${whose}-${from}-${to}.pdf`.replaceAll(/-+/g, "-");
}
