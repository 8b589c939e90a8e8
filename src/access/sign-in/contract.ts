import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, Email, EmailText, Id, IdText, Name, Timestamp } from "#kit/contract/fields.ts";
import { requiredMessage } from "#kit/contract/validation-messages.ts";

export const Password = z
  .string()
  .min(1, { error: requiredMessage, abort: true })
  .min(12, "must have at least 12 characters")
  .max(128, "must have at most 128 characters");

const LibrarySession = z.object({
  user: z.object({ id: z.string(), name: z.string(), email: z.string() }),
});

/** The password was right, but a second factor is needed before there is a session. */
export const SecondFactorWanted = z.object({
  twoFactorRedirect: z.literal(true),
  twoFactorMethods: z.array(z.string()),
});

/** Signing in and out are the auth library's own calls, which answer without the envelope. */
export const signIn = endpoint({
  method: "POST",
  path: "/api/auth/sign-in/email",
  summary:
    "Sign in; the session comes only as a cookie, unless a second factor is needed first. 401 for a wrong email or password",
  body: z.object({ email: EmailText, password: z.string().max(128) }),
  object: z.union([LibrarySession, SecondFactorWanted]),
});

/** Six digits, with or without spaces. */
const OneTimeCode = z
  .string()
  .max(20, "Enter the six digits that the app shows.")
  .overwrite((text) => text.replace(/[\s-]/g, ""))
  .regex(/^\d{6}$/, "Enter the six digits that the app shows.");

const recoveryCodeMessage = "Enter one of your recovery codes, such as k3v9q-7xm2c.";

/** A recovery code, also without its dash or in capitals. */
const RecoveryCode = z
  .string()
  .max(30, recoveryCodeMessage)
  .overwrite((text) =>
    text
      .toLowerCase()
      .replace(/[\s-]/g, "")
      .replace(/^(.{5})(.{5})$/, "$1-$2"),
  )
  .regex(/^[a-z\d]{5}-[a-z\d]{5}$/, recoveryCodeMessage);

/** The library's `trustDevice` is refused. */
export const verifyCode = endpoint({
  method: "POST",
  path: "/api/auth/two-factor/verify-totp",
  summary: "Finish signing in with a code from an authenticator app. 401 for a wrong one",
  body: z.strictObject({ code: OneTimeCode }),
  object: LibrarySession,
});

export const verifyRecoveryCode = endpoint({
  method: "POST",
  path: "/api/auth/two-factor/verify-backup-code",
  summary: "Finish signing in with a recovery code, which works once. 401 for a wrong one",
  body: z.strictObject({ code: RecoveryCode }),
  object: LibrarySession,
});

export const signOut = endpoint({
  method: "POST",
  path: "/api/auth/sign-out",
  summary: "Sign out; the session ends, also for copies of its cookie",
  object: z.object({ success: z.boolean() }),
});

const Token = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]{20,100}$/,
    "The link is damaged. Open it from the email again, or copy the whole link.",
  );

export const inspectLink = endpoint({
  method: "POST",
  path: "/sign_in_links/inspect",
  summary: "The person whom a single-use link is for, if it can still be used",
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

/** A change of an account's email address, as shown by its links. */
export const EmailChange = z.object({
  name: z.string(),
  networkName: z.string(),
  oldEmail: z.string(),
  newEmail: z.string(),
  askedBy: z.string(),
  /** The address that the link was sent to. */
  mailedTo: z.enum(["old", "new"]),
  confirmedByOld: z.boolean(),
  confirmedByNew: z.boolean(),
  /** From this day on, the change needs only the new address to confirm. */
  appliesOn: Day,
  /** The change has taken effect. */
  isApplied: z.boolean(),
});
export type EmailChange = z.output<typeof EmailChange>;

const ByToken = z.strictObject({ token: Token });

export const inspectEmailChange = endpoint({
  method: "POST",
  path: "/email_changes/inspect",
  summary: "Show a change of email address, by the link sent to either address",
  body: ByToken,
  object: EmailChange,
});

export const confirmEmailChange = endpoint({
  method: "POST",
  path: "/email_changes/confirm",
  summary: "Confirm a change of email address, by the link sent to the old or the new address",
  body: ByToken,
  object: EmailChange,
});

export const keepOldEmail = endpoint({
  method: "POST",
  path: "/email_changes/keep_old",
  summary: "Stop a change of email address, by the link sent to the old address",
  body: ByToken,
  object: z.object({ email: z.string() }),
});

const CurrentPassword = z
  .string()
  .min(1, "Enter your current password.")
  .max(128, "must have at most 128 characters");

export const changePassword = endpoint({
  method: "POST",
  path: "/account/password",
  summary: "Change your password; every other session of the account ends",
  body: z.strictObject({
    current_password: CurrentPassword,
    new_password: Password,
  }),
  object: z.object({ changed: z.literal(true) }),
});

export const confirmPassword = endpoint({
  method: "POST",
  path: "/account/confirmation",
  summary: "Confirm with your password that this is you; valid for ten minutes in this session",
  body: z.strictObject({ password: CurrentPassword }),
  object: z.object({ confirmed: z.literal(true) }),
});

export const OwnSession = z.object({
  id: Id,
  /** Such as "Firefox on Windows". */
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
  summary: "Your sessions, up to a hundred, the current one first",
  object: z.array(OwnSession),
});

export const endSession = endpoint({
  method: "POST",
  path: "/account/sessions/:id/end",
  summary: "End another session of yours; 409 for the current one",
  params: z.object({ id: IdText }),
  object: z.object({ ended: z.literal(1) }),
});

export const endOtherSessions = endpoint({
  method: "POST",
  path: "/account/sessions/end_others",
  summary: "End all your sessions except the current one",
  object: z.object({ ended: z.int() }),
});

export const SecondFactor = z.object({
  /** When the authenticator app was set up; null without one. */
  authenticatorAppSince: Timestamp.nullable(),
  recoveryCodesLeft: z.number().int(),
});
export type SecondFactor = z.output<typeof SecondFactor>;

const RecoveryCodes = z.array(z.string());

export const showSecondFactor = endpoint({
  method: "GET",
  path: "/account/second_factor",
  summary: "Whether you have an authenticator app, and how many recovery codes are left",
  object: SecondFactor,
});

export const beginAuthenticatorApp = endpoint({
  method: "POST",
  path: "/account/second_factor",
  summary:
    "Start setting up an authenticator app; its secret and ten recovery codes are shown only once. Takes effect once a code is confirmed",
  object: z.object({ uri: z.string(), secret: z.string(), recoveryCodes: RecoveryCodes }),
});

export const confirmAuthenticatorApp = endpoint({
  method: "POST",
  path: "/account/second_factor/confirmation",
  summary: "Finish setting up an authenticator app; every other session of the account ends",
  body: z.strictObject({ code: OneTimeCode }),
  object: SecondFactor,
});

export const removeAuthenticatorApp = endpoint({
  method: "POST",
  path: "/account/second_factor/removal",
  summary: "Remove your authenticator app and its recovery codes",
  object: SecondFactor,
});

export const replaceRecoveryCodes = endpoint({
  method: "POST",
  path: "/account/recovery_codes",
  summary: "Make ten new recovery codes, shown only once; the old ones stop working",
  object: z.object({ recoveryCodes: RecoveryCodes }),
});

export const requestLink = endpoint({
  method: "POST",
  path: "/sign_in_links/request",
  summary: "Email a link to choose a new password, if this address has an account",
  body: z.strictObject({ email: Email }),
  object: z.object({ requested: z.literal(true) }),
});

export const Administrator = z.object({
  id: Id,
  name: z.string(),
  email: z.string(),
  createdAt: Timestamp,
  canSignIn: z.boolean(),
  hasSecondFactor: z.boolean(),
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
  summary: "Invite an administrator by email, with a single-use link",
  body: z.strictObject({ name: Name, email: Email }),
  object: z.object({ url: z.string(), expiresAt: Timestamp }),
});

export const removeAdministrator = endpoint({
  method: "POST",
  path: "/administrators/:id/removal",
  summary:
    "Remove an administrator, unless it is the last; the API tokens that they made are revoked, except those in `keep_token_ids`",
  params: z.object({ id: IdText }),
  body: z.strictObject({ keep_token_ids: z.array(Id).max(200).default([]) }),
  object: z.object({ removed: z.literal(true) }),
});

const Ended = z.object({ ended: z.int() });

export const endSessionsOfAdministrator = endpoint({
  method: "POST",
  path: "/administrators/:id/end_sessions",
  summary:
    "Sign another administrator out everywhere and email them; answers the number of sessions",
  params: z.object({ id: IdText }),
  object: Ended,
});

export const endSessionsOfAttorney = endpoint({
  method: "POST",
  path: "/attorneys/:id/end_sessions",
  summary: "Sign an attorney out everywhere and email them; answers the number of sessions",
  params: z.object({ id: IdText }),
  object: Ended,
});

export const SecondFactorRequirement = z.object({
  required: z.boolean(),
  since: Timestamp.nullable(),
});
export type SecondFactorRequirement = z.output<typeof SecondFactorRequirement>;

export const showSecondFactorRequirement = endpoint({
  method: "GET",
  path: "/administrators/second_factor_requirement",
  summary: "Whether the network's administrators need a second factor",
  object: SecondFactorRequirement,
});

export const changeSecondFactorRequirement = endpoint({
  method: "POST",
  path: "/administrators/second_factor_requirement",
  summary:
    "Require a second factor from administrators, who have seven days to set one up, or stop requiring it",
  body: z.strictObject({ required: z.boolean() }),
  object: SecondFactorRequirement,
});

export const removeSecondFactorOfAdministrator = endpoint({
  method: "POST",
  path: "/administrators/:id/second_factor_removal",
  summary:
    "Remove another administrator's lost second factor, email them and end their sessions. 409 within seven days of a changed password",
  params: z.object({ id: IdText }),
  object: z.object({ removed: z.literal(true) }),
});

export const removeSecondFactorOfAttorney = endpoint({
  method: "POST",
  path: "/attorneys/:id/second_factor_removal",
  summary:
    "Remove an attorney's lost second factor, email them and end their sessions. 409 within seven days of a changed address or password",
  params: z.object({ id: IdText }),
  object: z.object({ removed: z.literal(true) }),
});

/** JSON options for a browser's WebAuthn functions, valid once, for five minutes. */
const PasskeyOptions = z.record(z.string(), z.unknown());

const credentialText = z.string().max(10_000);

/** The WebAuthn result, as far as the library reads it. Other, browser-specific fields are dropped. */
const Credential = z.object({
  id: z.string().regex(/^[\w-]{1,1400}$/, "must be a credential's id"),
  rawId: credentialText,
  type: z.literal("public-key"),
  response: z.record(
    z.string().max(100),
    z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]),
  ),
});

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  /** The passkey's provider copies it to its owner's other devices. */
  isSynced: z.boolean(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
});
export type Passkey = z.output<typeof Passkey>;

const ById = z.object({ id: IdText });

export const listPasskeys = endpoint({
  method: "GET",
  path: "/account/passkeys",
  summary: "Your passkeys, newest first",
  object: z.array(Passkey),
});

export const startPasskey = endpoint({
  method: "POST",
  path: "/account/passkeys/options",
  summary: "Options for creating a passkey in the browser; needs a confirmation",
  object: PasskeyOptions,
});

export const addPasskey = endpoint({
  method: "POST",
  path: "/account/passkeys/registration",
  summary: "Add the passkey that the browser created; needs a confirmation",
  body: z.strictObject({ name: Name, response: Credential }),
  object: Passkey,
});

export const renamePasskey = endpoint({
  method: "PATCH",
  path: "/account/passkeys/:id",
  summary: "Rename a passkey",
  params: ById,
  body: z.strictObject({ name: Name }),
  object: Passkey,
});

export const removePasskey = endpoint({
  method: "POST",
  path: "/account/passkeys/:id/removal",
  summary: "Remove a passkey; needs a confirmation",
  params: ById,
  object: z.object({ removed: z.literal(true) }),
});

export const startPasskeySignIn = endpoint({
  method: "POST",
  path: "/sign_in/passkey/options",
  summary: "Options for signing in with a passkey in the browser",
  object: PasskeyOptions,
});

export const signInByPasskey = endpoint({
  method: "POST",
  path: "/sign_in/passkey",
  summary:
    "Sign in with a passkey, which replaces password and second factor; the session comes as a cookie",
  body: z.strictObject({ response: Credential }),
  object: z.object({ signedIn: z.literal(true) }),
});

export const startPasskeyConfirmation = endpoint({
  method: "POST",
  path: "/account/confirmation/passkey/options",
  summary: "Options for confirming with a passkey in the browser that this is you",
  object: PasskeyOptions,
});

export const confirmByPasskey = endpoint({
  method: "POST",
  path: "/account/confirmation/passkey",
  summary: "Confirm with a passkey that this is you; valid for ten minutes in this session",
  body: z.strictObject({ response: Credential }),
  object: z.object({ confirmed: z.literal(true) }),
});
