/** Who acts on a network's records: a signed-in person, a program, a job, or an operator's command. */
export interface ChangeAuthor {
  networkId: number;
  /** Null for programs, jobs and commands. */
  userId: number | null;
  /** The name in the audit trail. */
  name: string;
}

interface Caller extends ChangeAuthor {
  networkName: string;
  timeZone: string;
  permitsMatterEditing: boolean;
}

interface SignedIn extends Caller {
  userId: number;
  sessionId: number;
  email: string;
  /** Has recently confirmed who they are, by signing in or by password or passkey since. */
  isConfirmed: boolean;
  /** By when this administrator must set up a second factor; null if they have one or need none. */
  secondFactorDueAt: string | null;
  /** The deadline has passed: nothing is allowed except setting it up. */
  lacksSecondFactor: boolean;
}

/** A signed-in administrator. */
export interface AdminPerson extends SignedIn {
  role: "admin";
  attorneyId: null;
}

export interface AttorneyActor extends SignedIn {
  role: "attorney";
  attorneyId: number;
}

/** A program with an API token, acting as an administrator of the token's network. */
export interface Program extends Caller {
  role: "admin";
  attorneyId: null;
  userId: null;
  tokenId: number;
  mayWrite: boolean;
}

export type Person = AdminPerson | AttorneyActor;
export type Admin = AdminPerson | Program;
export type Actor = Person | Program;

/** A key unique to an account or a token: "user 5", "token 3". */
export function callerKey(actor: Actor): string {
  return actor.userId === null ? `token ${actor.tokenId}` : `user ${actor.userId}`;
}
