/** Who does something to a network's records: a person signed in, a job, or an operator's command. */
export interface Doer {
  networkId: number;
  /** Null for jobs and commands. */
  userId: number | null;
  /** As the audit trail names them. */
  name: string;
}

interface SignedIn extends Doer {
  userId: number;
  sessionId: number;
  email: string;
  networkName: string;
  timeZone: string;
  permitsMatterEditing: boolean;
  /** Has proved within the last minutes who it is, by signing in or by password or passkey since. */
  isConfirmed: boolean;
  /** By when this administrator must set up a second factor; null for who has one or needs none. */
  secondFactorDueAt: string | null;
  /** That time is over: until there is one, nothing is allowed but setting it up. */
  lacksSecondFactor: boolean;
}

export interface Admin extends SignedIn {
  role: "admin";
  attorneyId: null;
}

export interface AttorneyActor extends SignedIn {
  role: "attorney";
  attorneyId: number;
}

export type Actor = Admin | AttorneyActor;
