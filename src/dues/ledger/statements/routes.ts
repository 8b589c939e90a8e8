import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import { dayIn } from "#kit/domain/calendar.ts";
import { allowOnly, decodeInput, serve } from "#kit/http/serve.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import { findPrintedLogo } from "#access/networks/brand.ts";
import * as contract from "#dues/ledger/statements/contract.ts";
import { printedLetters } from "#dues/ledger/statements/pdf-text.ts";
import { readStatement } from "#dues/ledger/statements/statement.ts";
import { StatementDrawing } from "#dues/ledger/statements/statement-drawing.ts";
import {
  readStatementSettings,
  writeStatementSettings,
} from "#dues/ledger/statements/statement-settings.ts";

export function statementRoutes(app: FastifyInstance): void {
  serve(
    app,
    contract.showStatement,
    { allow: "signed-in" },
    ({ tx, actor, params, query, today }) =>
      readStatement(tx, actor, { attorneyId: params.id, between: query }, today),
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
  const drawing = new StatementDrawing();
  app.addHook("onClose", async () => drawing.close());
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
      const { fileName, bytes } = await drawing.draw(
        actor.networkId,
        untilDisconnected(reply),
        async () => ({
          statement: await readStatement(app.db, actor, wanted, today, {
            letters: printedLetters,
          }),
          logo: await findPrintedLogo(app.db, actor),
        }),
      );
      return await reply
        .headers({
          "Content-Type": "application/pdf",
          "Content-Disposition": `attachment; filename="${fileName}"`,
        })
        .send(Buffer.from(bytes.buffer));
    },
  );
}

/** Aborted when the caller disconnects, and when the answer is sent. */
function untilDisconnected({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const abort = () =>
    controller.abort(new Refusal(408, "The connection was closed before the PDF was ready."));
  if (raw.destroyed) abort();
  else raw.once("close", abort);
  return controller.signal;
}
