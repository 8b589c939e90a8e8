import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { parseUserOutput } from "better-auth/db";
import type { BetterAuthPlugin } from "better-auth/types";
import { z } from "zod";

/**
 * The library's sign-in by email and password, for somebody whose password was found right before: it is hashed with no
 * connection held (`accountOfPassword`), and for every address that we take, some of which the library refuses. The
 * endpoint replaces the library's by its name; the second factor's hook knows it by its path.
 */
export const signInProved = {
  id: "sign-in-proved",
  endpoints: {
    signInEmail: createAuthEndpoint(
      "/sign-in/email",
      { method: "POST", body: z.object({ userId: z.string() }) },
      async (ctx) => {
        const { internalAdapter, options } = ctx.context;
        const user = await internalAdapter.findUserById(ctx.body.userId);
        if (!user) throw new Error(`user ${ctx.body.userId} is locked, and not there`);
        const session = await internalAdapter.createSession(user.id, false);
        await setSessionCookie(ctx, { session, user }, false);
        const shown = parseUserOutput(options, user);
        return ctx.json({ redirect: false, token: session.token, user: shown });
      },
    ),
  },
} satisfies BetterAuthPlugin;
