import { z } from "zod";
import { endpoint } from "#contract/endpoint.ts";
import { Email, Id, IdText, line, Name, Timestamp } from "#contract/fields.ts";
import { requiredMessage } from "#contract/validation-messages.ts";

export const SignedInUser = z.object({
  id: Id,
  name: z.string(),
  role: z.enum(["admin", "attorney"]),
  attorneyId: Id.nullable(),
  networkName: z.string(),
  timeZone: z.string(),
});
export type SignedInUser = z.output<typeof SignedInUser>;

export const showSession = endpoint({
  method: "GET",
  path: "/session",
  summary: "Who is signed in",
  object: z.object({ user: SignedInUser.nullable() }),
});

export const Password = z
  .string()
  .min(1, { error: requiredMessage, abort: true })
  .min(12, "must have at least 12 characters")
  .max(128, "must have at most 128 characters");

/** Signing in and out are the auth library's own: they answer without the envelope. */
export const signIn = endpoint({
  method: "POST",
  path: "/api/auth/sign-in/email",
  summary: "Sign in; the session comes as a cookie. 401 for a wrong email or password",
  body: z.object({ email: line(200), password: z.string().max(128) }),
  object: z.object({ user: z.object({ id: z.string(), name: z.string(), email: z.string() }) }),
});

export const signOut = endpoint({
  method: "POST",
  path: "/api/auth/sign-out",
  summary: "Sign out; the session ends wherever its cookie is",
  object: z.object({ success: z.boolean() }),
});

const Token = z.string().regex(/^[A-Za-z0-9_-]{20,100}$/, "must be the code of a link");

export const inspectLink = endpoint({
  method: "POST",
  path: "/sign_in_links/inspect",
  summary: "Whom a single-use link is for, if it still can be used",
  body: z.strictObject({ token: Token }),
  object: z.object({ name: z.string(), email: z.string(), networkName: z.string() }),
});

export const acceptLink = endpoint({
  method: "POST",
  path: "/sign_in_links/accept",
  summary: "Use a single-use link: choose a password; every session of the account ends",
  body: z.strictObject({ token: Token, password: Password }),
  object: z.object({ email: z.string() }),
});

const CurrentPassword = z
  .string()
  .min(1, "Enter your current password.")
  .max(128, "must have at most 128 characters");

export const changePassword = endpoint({
  method: "POST",
  path: "/account/password",
  summary: "Change one's password; every other session of the account ends",
  body: z.strictObject({
    current_password: CurrentPassword,
    new_password: Password,
  }),
  object: z.object({ changed: z.literal(true) }),
});

export const confirmPassword = endpoint({
  method: "POST",
  path: "/account/confirmation",
  summary: "Prove again that this is you, by the password: good for ten minutes, in this session",
  body: z.strictObject({ password: CurrentPassword }),
  object: z.object({ confirmed: z.literal(true) }),
});

export const OwnSession = z.object({
  id: Id,
  /** As people call it: "Firefox on Windows". */
  device: z.string(),
  address: z.string().nullable(),
  createdAt: Timestamp,
  /** Exact to five minutes. */
  lastSeenAt: Timestamp,
  isCurrent: z.boolean(),
});
export type OwnSession = z.output<typeof OwnSession>;

export const listSessions = endpoint({
  method: "GET",
  path: "/account/sessions",
  summary: "Where one is signed in, the session that asks first: at most a hundred",
  object: z.array(OwnSession),
});

export const endSession = endpoint({
  method: "POST",
  path: "/account/sessions/:id/end",
  summary: "End another session of one's own; 409 for the one that asks",
  params: z.object({ id: IdText }),
  object: z.object({ ended: z.literal(1) }),
});

export const endOtherSessions = endpoint({
  method: "POST",
  path: "/account/sessions/end_others",
  summary: "End every session of one's own but the one that asks",
  object: z.object({ ended: z.int() }),
});

export const requestLink = endpoint({
  method: "POST",
  path: "/sign_in_links/request",
  summary: "Mail a link to choose a new password, if there is such an account",
  body: z.strictObject({ email: Email }),
  object: z.object({ requested: z.literal(true) }),
});

export const Administrator = z.object({
  id: Id,
  name: z.string(),
  email: z.string(),
  createdAt: Timestamp,
  canSignIn: z.boolean(),
});
export type Administrator = z.output<typeof Administrator>;

export const listAdministrators = endpoint({
  method: "GET",
  path: "/administrators",
  summary: "The network's administrators",
  object: z.array(Administrator),
});

export const inviteAdministrator = endpoint({
  method: "POST",
  path: "/administrators",
  summary: "Invite an administrator by mail, with a single-use link",
  body: z.strictObject({ name: Name, email: Email }),
  object: z.object({ url: z.string(), expiresAt: Timestamp }),
});

export const removeAdministrator = endpoint({
  method: "POST",
  path: "/administrators/:id/removal",
  summary: "Remove an administrator, unless it would be the last",
  params: z.object({ id: IdText }),
  object: z.object({ removed: z.literal(true) }),
});
