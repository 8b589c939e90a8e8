import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { parseUserOutput } from "better-auth/db";
import type { BetterAuthPlugin } from "better-auth/types";
import { z } from "zod";

/**
 * Replaces the library's sign-in by email and password, after `accountOfPassword` has checked the password without
 * holding a connection, and for addresses that the library would refuse. The name replaces the library's endpoint; the
 * path triggers the hook of the second factor.
 */
export const signInPlugin = {
  id: "sign-in-proved",
  endpoints: {
    signInEmail: createAuthEndpoint(
      "/sign-in/email",
      { method: "POST", body: z.object({ userId: z.string() }) },
      async (ctx) => {
        const { internalAdapter, options } = ctx.context;
        const user = await internalAdapter.findUserById(ctx.body.userId);
        if (!user) throw new Error(`user ${ctx.body.userId} is locked but does not exist`);
        const session = await internalAdapter.createSession(user.id, false);
        await setSessionCookie(ctx, { session, user }, false);
        const shown = parseUserOutput(options, user);
        return ctx.json({ redirect: false, token: session.token, user: shown });
      },
    ),
  },
} satisfies BetterAuthPlugin;
