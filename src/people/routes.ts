import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { showAttorneyRecord } from "#people/attorney-record.ts";
import { addToPanel, changeDetails, setVacation } from "#people/attorneys.ts";
import * as contract from "#people/contract.ts";
import { attorneyImport } from "#people/import-attorneys.ts";
import { inviteAttorney, inviteAttorneys, previewInvitations } from "#people/invitations.ts";
import { callOffEmail } from "#people/new-emails.ts";
import { requestSource } from "#access/sign-in/sign-in-events.ts";
import { previewReminders, remindAttorneys } from "#people/reminders.ts";
import { rememberColumns } from "#kit/imports/remembered-columns.ts";
import { importUpload, previewUpload, refusedRowsOf } from "#kit/imports/uploads.ts";

const { attorneyImports } = contract;

export function attorneyRoutes(
  app: FastifyInstance,
  { publicUrl, sendsMail }: { publicUrl: string; sendsMail: boolean },
): void {
  serve(app, contract.addAttorney, { allow: "admin" }, async ({ tx, actor, body, today }) =>
    showAttorneyRecord(tx, actor, await addToPanel(tx, actor, body), today),
  );
  serve(app, contract.showAttorney, { allow: "signed-in" }, ({ tx, actor, params, today }) =>
    showAttorneyRecord(tx, actor, params.id, today),
  );
  serve(
    app,
    contract.editAttorney,
    { allow: "admin" },
    async ({ tx, actor, params, body, today }) => {
      await changeDetails(tx, actor, { attorneyId: params.id, wanted: body, publicUrl });
      return await showAttorneyRecord(tx, actor, params.id, today);
    },
  );
  const inPerson = { allow: "admin", inPerson: true } as const;
  serve(app, contract.callOffEmail, inPerson, async ({ tx, actor, params, today }) => {
    await callOffEmail(tx, actor, params.id);
    return await showAttorneyRecord(tx, actor, params.id, today);
  });
  // The link signs in as the attorney, so no token may get it.
  serve(app, contract.inviteAttorney, inPerson, ({ tx, actor, params, request }) =>
    inviteAttorney(tx, actor, params.id, { publicUrl, sendsMail, from: requestSource(request) }),
  );
  const delivery = sendsMail ? ("server" as const) : ("disk" as const);
  serve(app, contract.remindAttorneys, { allow: "admin" }, async ({ tx, actor, body, today }) => ({
    ...(await remindAttorneys(tx, actor, body, today)),
    delivery,
  }));
  serve(app, contract.previewReminders, { allow: "admin" }, async ({ tx, actor, body, today }) => ({
    ...(await previewReminders(tx, actor, body, today)),
    delivery,
  }));
  // Not for tokens: one could change the address, get the link and sign in as the attorney.
  serve(app, contract.inviteAttorneys, inPerson, ({ tx, actor, body, today, request }) =>
    inviteAttorneys(tx, actor, {
      chosen: body,
      today,
      sendsMail,
      publicUrl,
      from: requestSource(request),
    }),
  );
  serve(app, contract.previewInvitations, { allow: "admin" }, ({ tx, actor, body, today }) =>
    previewInvitations(tx, actor, { chosen: body, today, sendsMail }),
  );
  serve(app, contract.pauseAttorney, { allow: "signed-in" }, async ({ tx, actor, body, today }) => {
    await setVacation(tx, actor, body, today);
    return await showAttorneyRecord(tx, actor, body.attorney_id, today);
  });
  serve(app, attorneyImports.preview, { allow: "admin" }, (call) =>
    previewUpload(call, attorneyImport(call.actor, publicUrl)),
  );
  serve(app, attorneyImports.refusedRows, { allow: "admin" }, (call) =>
    refusedRowsOf(call, attorneyImport(call.actor, publicUrl)),
  );
  serve(app, attorneyImports.columns, { allow: "admin" }, ({ tx, actor, body }) =>
    rememberColumns(tx, actor, attorneyImport(actor, publicUrl), body.columns),
  );
  serve(app, attorneyImports.importing, { allow: "admin" }, (call) =>
    importUpload(call, attorneyImport(call.actor, publicUrl)),
  );
}
