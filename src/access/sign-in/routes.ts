import { showSession } from "#kit/contract/session.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Person } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { serve } from "#kit/http/serve.ts";
import { changeOwnPassword } from "#access/sign-in/accounts.ts";
import { confirmByPassword } from "#access/sign-in/confirmation.ts";
import { inviteAdmin, listAdmins, removeAdmin } from "#access/sign-in/administrators.ts";
import * as contract from "#access/sign-in/contract.ts";
import { knownDevice, rememberDevice } from "#access/sign-in/device-cookie.ts";
import type { AuthSettings } from "#access/sign-in/better-auth.ts";
import { confirmChange, inspectChange, undoChange } from "#access/sign-in/email-change-links.ts";
import { limitLinkRequests } from "#access/sign-in/link-requests.ts";
import { requestPasswordReset } from "#access/sign-in/password-reset.ts";
import { acceptSignInLink, inspectSignInLink } from "#access/sign-in/sign-in-links.ts";
import {
  endOtherSessions,
  endOwnSession,
  endSessionsOfAdmin,
  endSessionsOfAttorney,
  listOwnSessions,
} from "#access/sign-in/sessions.ts";
import { signInRoutes } from "#access/sign-in/sign-in-routes.ts";
import { requestSource } from "#access/sign-in/sign-in-events.ts";
import { secondFactorRoutes } from "#access/sign-in/second-factor-routes.ts";

export function authRoutes(
  app: FastifyInstance,
  settings: AuthSettings & { rateLimits: boolean },
): void {
  serve(app, showSession, { allow: "anyone" }, async ({ actor }) => ({
    user: actor && { ...actor, id: actor.userId },
  }));
  serve(app, contract.inspectLink, { allow: "anyone" }, ({ tx, body }) =>
    inspectSignInLink(tx, body.token),
  );
  serve(app, contract.acceptLink, { allow: "anyone" }, async ({ tx, body, request, reply }) => {
    // A mailbox is not a second factor, so the link does not make the browser a known one.
    const { email } = await inspectSignInLink(tx, body.token);
    const isKnown = (await knownDevice(tx, request, email, settings)) !== null;
    const accepted = await acceptSignInLink(tx, body, requestSource(request));
    if (isKnown || !accepted.hasSecondFactor)
      await rememberDevice(tx, { request, reply }, accepted.email, settings);
    return accepted;
  });
  serve(app, contract.inspectEmailChange, { allow: "anyone" }, ({ tx, body }) =>
    inspectChange(tx, body.token),
  );
  const anyones = { allow: "anyone", ownTransactions: true } as const;
  serve(app, contract.confirmEmailChange, anyones, ({ tx, body }) => confirmChange(tx, body.token));
  serve(app, contract.keepOldEmail, { allow: "anyone" }, ({ tx, body }) =>
    undoChange(tx, body.token),
  );
  const own = { allow: "signed-in", ownTransactions: true, inPerson: true } as const;
  const inPerson = { allow: "signed-in", inPerson: true } as const;
  const passwordSource = async (db: Db, request: FastifyRequest, { email }: Person) => ({
    ...requestSource(request),
    knownDevice: await knownDevice(db, request, email, settings),
    limits: settings.rateLimits,
  });
  serve(app, contract.changePassword, own, async ({ tx, actor, body, request, reply }) => {
    const from = await passwordSource(tx, request, actor);
    const changed = await changeOwnPassword(tx, actor, body, from);
    await rememberDevice(tx, { request, reply }, actor.email, settings);
    return changed;
  });
  serve(app, contract.confirmPassword, own, async ({ tx, actor, body, request }) =>
    confirmByPassword(tx, actor, body.password, await passwordSource(tx, request, actor)),
  );
  serve(app, contract.listSessions, inPerson, ({ tx, actor }) => listOwnSessions(tx, actor));
  const inPersonConfirmed = { ...inPerson, needsConfirmation: true } as const;
  serve(app, contract.endSession, inPersonConfirmed, ({ tx, actor, params, request }) =>
    endOwnSession(tx, actor, params.id, requestSource(request)),
  );
  serve(app, contract.endOtherSessions, inPersonConfirmed, ({ tx, actor, request }) =>
    endOtherSessions(tx, actor, requestSource(request)),
  );
  serve(app, contract.requestLink, anyones, ({ tx, body, request }) => {
    const work = () =>
      requestPasswordReset(tx, body.email, settings.publicUrl, requestSource(request));
    return settings.rateLimits ? limitLinkRequests(tx, request.ip, work) : work();
  });
  serve(app, contract.listAdministrators, { allow: "admin" }, ({ tx, actor }) =>
    listAdmins(tx, actor),
  );
  const confirmed = { allow: "admin", inPerson: true, needsConfirmation: true } as const;
  serve(app, contract.inviteAdministrator, confirmed, ({ tx, actor, body, request }) =>
    inviteAdmin(tx, actor, body, { publicUrl: settings.publicUrl, from: requestSource(request) }),
  );
  serve(app, contract.removeAdministrator, confirmed, ({ tx, actor, params, body }) =>
    removeAdmin(tx, actor, params.id, body.keep_token_ids),
  );
  serve(app, contract.endSessionsOfAdministrator, confirmed, ({ tx, actor, params, request }) =>
    endSessionsOfAdmin(tx, actor, params.id, requestSource(request)),
  );
  serve(app, contract.endSessionsOfAttorney, confirmed, ({ tx, actor, params, request }) =>
    endSessionsOfAttorney(tx, actor, params.id, requestSource(request)),
  );
  secondFactorRoutes(app, settings);
  signInRoutes(app, settings);
}
