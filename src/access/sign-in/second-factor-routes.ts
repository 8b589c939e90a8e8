import type { FastifyInstance } from "fastify";
import { refuseUnlessConfirmed, serve } from "#kit/http/serve.ts";
import type { AuthSettings } from "#access/sign-in/better-auth.ts";
import * as contract from "#access/sign-in/contract.ts";
import { rememberDevice } from "#access/sign-in/device-cookie.ts";
import {
  removeSecondFactorOfAdmin,
  removeSecondFactorOfAttorney,
} from "#access/sign-in/lost-second-factor.ts";
import { changeRequirement, showRequirement } from "#access/sign-in/second-factor-requirement.ts";
import * as own from "#access/sign-in/own-authenticator-app.ts";
import { requestSource } from "#access/sign-in/sign-in-traces.ts";

export function secondFactorRoutes(app: FastifyInstance, settings: AuthSettings): void {
  const appSecret = settings.secret;
  const signedIn = { allow: "signed-in", inPerson: true } as const;
  const confirmed = { ...signedIn, needsConfirmation: true } as const;
  serve(app, contract.showSecondFactor, signedIn, ({ tx, actor }) =>
    own.showOwnSecondFactor(tx, actor, appSecret),
  );
  serve(app, contract.beginAuthenticatorApp, confirmed, ({ tx, actor }) =>
    own.beginOwnApp(tx, actor, appSecret),
  );
  serve(app, contract.confirmAuthenticatorApp, signedIn, async (call) => {
    const { tx, actor, body, request } = call;
    const from = requestSource(request);
    const confirmedApp = await own.confirmOwnApp(tx, actor, body.code, { appSecret, from });
    await rememberDevice(tx, call, actor.email, settings);
    return confirmedApp;
  });
  serve(app, contract.removeAuthenticatorApp, confirmed, ({ tx, actor, request }) =>
    own.removeOwnApp(tx, actor, { appSecret, from: requestSource(request) }),
  );
  serve(app, contract.replaceRecoveryCodes, confirmed, ({ tx, actor, request }) =>
    own.replaceOwnRecoveryCodes(tx, actor, { appSecret, from: requestSource(request) }),
  );

  const inPerson = { allow: "admin", inPerson: true } as const;
  const admins = { ...inPerson, needsConfirmation: true, ownTransactions: true } as const;
  serve(app, contract.showSecondFactorRequirement, { allow: "admin" }, ({ tx, actor }) =>
    showRequirement(tx, actor),
  );
  serve(app, contract.changeSecondFactorRequirement, inPerson, ({ tx, actor, body }) => {
    if (!body.required) refuseUnlessConfirmed(actor);
    return changeRequirement(tx, actor, body.required);
  });
  serve(app, contract.removeSecondFactorOfAdministrator, admins, (call) =>
    removeSecondFactorOfAdmin(call.tx, call.actor, call.params.id, requestSource(call.request)),
  );
  serve(app, contract.removeSecondFactorOfAttorney, admins, (call) =>
    removeSecondFactorOfAttorney(call.tx, call.actor, call.params.id, requestSource(call.request)),
  );
}
