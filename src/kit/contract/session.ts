import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Id, Timestamp } from "./fields.ts";

export const SignedInUser = z.object({
  id: Id,
  name: z.string(),
  /** The email address they sign in with. */
  email: z.string(),
  role: z.enum(["admin", "attorney"]),
  attorneyId: Id.nullable(),
  networkName: z.string(),
  timeZone: z.string(),
  /** Deadline for an administrator to set up a second factor; null if they have one or need none. */
  secondFactorDueAt: Timestamp.nullable(),
  /** The deadline has passed. */
  lacksSecondFactor: z.boolean(),
});
export type SignedInUser = z.output<typeof SignedInUser>;

export const showSession = endpoint({
  method: "GET",
  path: "/session",
  summary: "Who is signed in",
  object: z.object({ user: SignedInUser.nullable() }),
});
