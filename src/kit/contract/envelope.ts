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

/** The path of the one error by which a call asks the person to prove again who it is. */
export const confirmationPath = "confirmation";

/** The path of the one error by which a page learns that somebody else is signed in by now. */
export const pageOwnerPath = "page_owner";

/** The path of the one error by which an administrator is told to set up a second factor first. */
export const secondFactorPath = "second_factor";
