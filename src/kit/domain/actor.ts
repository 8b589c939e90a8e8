/** Who does something to a network's records: a person signed in, a program, a job, or an operator's command. */
export interface Doer {
  networkId: number;
  /** Null for programs, jobs and commands. */
  userId: number | null;
  /** As the audit trail names them. */
  name: string;
}

interface Caller extends Doer {
  networkName: string;
  timeZone: string;
  permitsMatterEditing: boolean;
}

interface SignedIn extends Caller {
  userId: number;
  sessionId: number;
  email: string;
  /** Has proved within the last minutes who it is, by signing in or by password or passkey since. */
  isConfirmed: boolean;
  /** By when this administrator must set up a second factor; null for who has one or needs none. */
  secondFactorDueAt: string | null;
  /** That time is over: until there is one, nothing is allowed but setting it up. */
  lacksSecondFactor: boolean;
}

/** An administrator who is signed in. */
export interface AdminPerson extends SignedIn {
  role: "admin";
  attorneyId: null;
}

export interface AttorneyActor extends SignedIn {
  role: "attorney";
  attorneyId: number;
}

/** A program that calls with an API token, as an administrator of the token's network. */
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

/** A key that no other account and no other token has: "user 5", "token 3". */
export function callerKey(actor: Actor): string {
  return actor.userId === null ? `token ${actor.tokenId}` : `user ${actor.userId}`;
}
