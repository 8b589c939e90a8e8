import { z } from "zod";
import type { FieldError } from "#kit/contract/envelope.ts";
import { requestBody } from "#kit/web/api.tsx";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { renewCsrfToken } from "#kit/web/page-meta.tsx";
import { forgetFound } from "#kit/web/recently-found.tsx";
import { type ServerAnswer, send } from "#kit/web/send.tsx";
import { setSigningOut } from "#kit/web/sign-in-redirect.tsx";
import { SecondFactorWanted, verifyCode, verifyRecoveryCode } from "./contract.ts";

export interface Credentials {
  email: string;
  password: string;
}

// The auth library's own answers, and our refusals such as 429, which use the envelope.
const Refused = z.object({ message: z.string(), code: z.string().optional() });

/** What is needed after the password: nothing, a code (or passkey), or only a passkey (SecondStep.tsx). */
export type Wanted = "nothing" | "code" | "passkey";

/** Start a session. Throws a CallFailure that says what to do. Reload the page afterwards: its CSRF token is outdated. */
export async function signIn({ email, password }: Credentials): Promise<Wanted> {
  const missing = missingFrom({ email, password });
  if (missing[0]) throw new CallFailure("not sent", missing[0].message, missing);
  const received = await sendCredentials({ email: email.trim(), password });
  if (!received.ok) throw new CallFailure(received.status, reasonOf(received));
  const { data } = SecondFactorWanted.safeParse(received.json);
  if (!data) return "nothing";
  return data.twoFactorMethods.includes("totp") ? "code" : "passkey";
}

/** A page that was open for long may have an expired CSRF token: get a new one and try once more. */
async function sendCredentials(body: Credentials): Promise<ServerAnswer> {
  const sendOnce = () => send("POST", "/api/auth/sign-in/email", body);
  const first = await sendOnce();
  return first.status === 403 && (await renewCsrfToken()) ? await sendOnce() : first;
}

export type CodeKind = "app" | "recovery";

const codeCalls = { app: verifyCode, recovery: verifyRecoveryCode };

const wrongCode: Record<CodeKind, string> = {
  app: "This code is wrong or was already used. Enter the one that the app shows now, or wait for the next one.",
  recovery: "This recovery code is wrong or was already used. Enter another one.",
};

/** Finish signing in with a code. Throws a CallFailure that says what to do. */
export async function signInWithCode(kind: CodeKind, code: string): Promise<void> {
  const endpoint = codeCalls[kind];
  const body = requestBody(endpoint, { code });
  const received = await send("POST", endpoint.path, body);
  if (received.ok) return;
  const refused = Refused.safeParse(received.json).data;
  if (refused?.code === "INVALID_CODE" || refused?.code === "INVALID_BACKUP_CODE")
    throw new CallFailure(received.status, wrongCode[kind], [
      { path: "code", message: wrongCode[kind] },
    ]);
  const isOver = received.status === 400 || received.status === 401 || received.status === 409;
  throw new CallFailure(
    received.status,
    isOver
      ? "This sign-in has ended after too many wrong codes or ten minutes. Start again with your password."
      : reasonOf(received),
  );
}

/** End the session and go to the sign-in page. */
export async function signOut(): Promise<void> {
  setSigningOut(true);
  try {
    const received = await send("POST", "/api/auth/sign-out", {});
    if (!received.ok) throw new CallFailure(received.status, reasonOf(received));
  } catch (problem) {
    setSigningOut(false);
    throw problem;
  }
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
  // Does not say which of the two is wrong, so that strangers do not learn who has an account.
  if (status === 400 || status === 401)
    return "The email address or the password is wrong. Check both and try again.";
  return (
    Refused.safeParse(json).data?.message ??
    `The server did not answer as expected (${status}). Please try again.`
  );
}
