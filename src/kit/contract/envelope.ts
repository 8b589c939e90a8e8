import { z } from "zod";

export const FieldError = z.object({ path: z.string(), message: z.string() });
export type FieldError = z.output<typeof FieldError>;

/** The shape of every JSON answer, errors included. Source: spec §7, the published interface. */
export const Envelope = z.object({
  success: z.boolean(),
  object: z.unknown(),
  message: z.string().nullable(),
  errors: z.array(FieldError).optional(),
});
export type Envelope = z.output<typeof Envelope>;

/** The error path that tells the browser to ask for the user's password or passkey again. */
export const confirmationPath = "confirmation";

/** The error path that tells a page that someone else has signed in. */
export const pageOwnerPath = "page_owner";

/** The error path that tells an administrator to set up a second factor first. */
export const secondFactorPath = "second_factor";
