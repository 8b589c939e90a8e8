import { z } from "zod";
import { endpoint } from "#contract/endpoint.ts";
import { Id, IdText, Name, Timestamp } from "#contract/fields.ts";

/** What a browser's WebAuthn functions take, as JSON; each is good once, for five minutes. */
const Options = z.record(z.string(), z.unknown());

const text = z.string().max(10_000);

/** What they give back; the library reads it. */
const Credential = z.looseObject({
  id: z.string().regex(/^[\w-]{1,1400}$/, "must be a credential's id"),
  rawId: text,
  type: z.literal("public-key"),
  response: z.record(z.string().max(100), z.unknown()),
});

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  /** It is copied to its owner's other devices by who keeps it. */
  isSynced: z.boolean(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
});
export type Passkey = z.output<typeof Passkey>;

const ById = z.object({ id: IdText });

export const listPasskeys = endpoint({
  method: "GET",
  path: "/account/passkeys",
  summary: "One's own passkeys, the newest first",
  object: z.array(Passkey),
});

export const startPasskey = endpoint({
  method: "POST",
  path: "/account/passkeys/options",
  summary: "What the browser needs to make a passkey; asks for a confirmation",
  object: Options,
});

export const addPasskey = endpoint({
  method: "POST",
  path: "/account/passkeys/registration",
  summary: "Add the passkey that the browser has made; asks for a confirmation",
  body: z.strictObject({ name: Name, response: Credential }),
  object: Passkey,
});

export const renamePasskey = endpoint({
  method: "PATCH",
  path: "/account/passkeys/:id",
  summary: "Call a passkey something else",
  params: ById,
  body: z.strictObject({ name: Name }),
  object: Passkey,
});

export const removePasskey = endpoint({
  method: "POST",
  path: "/account/passkeys/:id/removal",
  summary: "Remove a passkey; asks for a confirmation",
  params: ById,
  object: z.object({ removed: z.literal(true) }),
});

export const startPasskeySignIn = endpoint({
  method: "POST",
  path: "/sign_in/passkey/options",
  summary: "What the browser needs to sign in with a passkey",
  object: Options,
});

export const signInByPasskey = endpoint({
  method: "POST",
  path: "/sign_in/passkey",
  summary:
    "Sign in with a passkey, which stands for password and second factor; the session comes as a cookie",
  body: z.strictObject({ response: Credential }),
  object: z.object({ signedIn: z.literal(true) }),
});

export const startPasskeyConfirmation = endpoint({
  method: "POST",
  path: "/account/confirmation/passkey/options",
  summary: "What the browser needs to prove again by a passkey that this is you",
  object: Options,
});

export const confirmByPasskey = endpoint({
  method: "POST",
  path: "/account/confirmation/passkey",
  summary: "Prove again by a passkey that this is you: good for ten minutes, in this session",
  body: z.strictObject({ response: Credential }),
  object: z.object({ confirmed: z.literal(true) }),
});
