import { APIError, createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { parseUserOutput } from "better-auth/db";
import type { BetterAuthPlugin } from "better-auth/types";
import { z } from "zod";
import { isEmailAddress } from "#domain/email-text.ts";

/**
 * The library's sign-in by email and password, in its own steps and answers, for every address that we take. Its own
 * refuses letters that addresses may have (`o&leary@example.org`) before it looks for the account, and has no setting
 * for that. The endpoint replaces the library's by its name; hooks of other plugins know it by its path.
 */
export const signInAnyAddress = {
  id: "sign-in-any-address",
  endpoints: {
    signInEmail: createAuthEndpoint(
      "/sign-in/email",
      { method: "POST", body: z.object({ email: z.string(), password: z.string() }) },
      async (ctx) => {
        const { body, context } = ctx;
        if (!isEmailAddress(body.email))
          throw new APIError("BAD_REQUEST", { code: "INVALID_EMAIL", message: "Invalid email" });
        const found = await context.internalAdapter.findUserByEmail(body.email.toLowerCase(), {
          includeAccounts: true,
        });
        const account = found?.accounts.find((one) => one.providerId === "credential");
        if (!found || !account?.password) {
          await context.password.hash(body.password); // as long as an account with a password takes
          throw wrong();
        }
        const { user } = found;
        if (!(await context.password.verify({ hash: account.password, password: body.password })))
          throw wrong();
        const session = await context.internalAdapter.createSession(user.id, false);
        await setSessionCookie(ctx, { session, user }, false);
        const shown = parseUserOutput(context.options, user);
        return ctx.json({ redirect: false, token: session.token, user: shown });
      },
    ),
  },
} satisfies BetterAuthPlugin;

const wrong = () =>
  new APIError("UNAUTHORIZED", {
    code: "INVALID_EMAIL_OR_PASSWORD",
    message: "Invalid email or password",
  });
