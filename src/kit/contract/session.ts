import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Id, Timestamp } from "./fields.ts";

export const SignedInUser = z.object({
  id: Id,
  name: z.string(),
  /** By which they sign in. */
  email: z.string(),
  role: z.enum(["admin", "attorney"]),
  attorneyId: Id.nullable(),
  networkName: z.string(),
  timeZone: z.string(),
  /** By when an administrator must set up a second factor; null for who has one or needs none. */
  secondFactorDueAt: Timestamp.nullable(),
  /** That time is over. */
  lacksSecondFactor: z.boolean(),
});
export type SignedInUser = z.output<typeof SignedInUser>;

export const showSession = endpoint({
  method: "GET",
  path: "/session",
  summary: "Who is signed in",
  object: z.object({ user: SignedInUser.nullable() }),
});
