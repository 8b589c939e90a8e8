import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import { changeOwnPassword } from "#features/auth/accounts.ts";
import { inviteAdmin, listAdmins, removeAdmin } from "#features/auth/administrators.ts";
import * as contract from "#features/auth/contract.ts";
import { knownDevice, rememberDevice } from "#features/auth/device-cookie.ts";
import type { AuthSettings } from "#features/auth/better-auth.ts";
import { limitLinkRequests } from "#features/auth/link-requests.ts";
import { requestPasswordReset } from "#features/auth/password-reset.ts";
import { acceptSignInLink, inspectSignInLink } from "#features/auth/sign-in-links.ts";
import { signInRoutes } from "#features/auth/sign-in-routes.ts";
import { secondFactorRoutes } from "#features/auth/second-factor-routes.ts";

export function authRoutes(
  app: FastifyInstance,
  settings: AuthSettings & { rateLimits: boolean },
): void {
  serve(app, contract.showSession, { allow: "anyone" }, async ({ actor }) => ({
    user: actor && { ...actor, id: actor.userId },
  }));
  serve(app, contract.inspectLink, { allow: "anyone" }, ({ tx, body }) =>
    inspectSignInLink(tx, body.token),
  );
  serve(app, contract.acceptLink, { allow: "anyone" }, async ({ tx, body, request, reply }) => {
    const accepted = await acceptSignInLink(tx, body);
    // A mailbox is not the second factor: such a browser counts with strangers until it has signed in.
    if (!accepted.hasSecondFactor)
      await rememberDevice(tx, { request, reply }, accepted.email, settings);
    return accepted;
  });
  const own = { allow: "signed-in", ownTransactions: true } as const;
  serve(app, contract.changePassword, own, async ({ tx, actor, body, request, reply }) => {
    const device = await knownDevice(tx, request, actor.email, settings.secret);
    const from = { address: request.ip, device, limits: settings.rateLimits };
    const changed = await changeOwnPassword(tx, actor, body, from);
    await rememberDevice(tx, { request, reply }, actor.email, settings);
    return changed;
  });
  const anyones = { allow: "anyone", ownTransactions: true } as const;
  serve(app, contract.requestLink, anyones, ({ tx, body, request }) => {
    const work = () => requestPasswordReset(tx, body.email, settings.publicUrl);
    return settings.rateLimits ? limitLinkRequests(tx, request.ip, work) : work();
  });
  serve(app, contract.listAdministrators, { allow: "admin" }, ({ tx, actor }) =>
    listAdmins(tx, actor),
  );
  serve(app, contract.inviteAdministrator, { allow: "admin" }, ({ tx, actor, body }) =>
    inviteAdmin(tx, actor, body, settings.publicUrl),
  );
  serve(app, contract.removeAdministrator, { allow: "admin" }, ({ tx, actor, params }) =>
    removeAdmin(tx, actor, params.id),
  );
  secondFactorRoutes(app, settings);
  signInRoutes(app, settings);
}
