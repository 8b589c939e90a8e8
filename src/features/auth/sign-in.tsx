import { z } from "zod";
import type { FieldError } from "#contract/envelope.ts";
import { CallFailure } from "#web/call-failure.tsx";
import { forgetFound } from "#web/recently-found.tsx";
import { type ServerAnswer, send } from "#web/send.tsx";

export interface Credentials {
  email: string;
  password: string;
}

// The auth library answers in its own shape; a refusal of ours, such as 429, in the envelope.
const Refused = z.object({ message: z.string() });

/**
 * Start a session. Throws a CallFailure that says what to do. Afterwards the page must be loaded
 * anew: the CSRF token in it belongs to no session.
 */
export async function signIn({ email, password }: Credentials): Promise<void> {
  const missing = missingFrom({ email, password });
  if (missing[0]) throw new CallFailure("not sent", missing[0].message, missing);
  const received = await send("POST", "/api/auth/sign-in/email", { email: email.trim(), password });
  if (!received.ok) throw new CallFailure(received.status, reasonOf(received));
}

/** End the session and leave for the sign-in page. */
export async function signOut(): Promise<void> {
  const received = await send("POST", "/api/auth/sign-out", {});
  if (!received.ok) throw new CallFailure(received.status, reasonOf(received));
  forgetFound();
  window.location.assign("/sign-in");
}

function missingFrom({ email, password }: Credentials): FieldError[] {
  const missing: FieldError[] = [];
  if (!email.trim()) missing.push({ path: "email", message: "Enter your email address." });
  if (!password) missing.push({ path: "password", message: "Enter your password." });
  return missing;
}

function reasonOf({ status, json }: ServerAnswer): string {
  // Which of the two is wrong is not said: it would tell strangers who has an account.
  if (status === 400 || status === 401)
    return "The email address or the password is not right. Check both and try again.";
  return (
    Refused.safeParse(json).data?.message ??
    `The server did not answer as expected (${status}). Please try again.`
  );
}
