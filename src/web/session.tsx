import { createContext, useContext } from "react";
import type { SignedInUser } from "#features/auth/contract.ts";

/** Who is signed in. `App` provides it to every screen but those for signing in. */
export const SessionContext = createContext<SignedInUser | null>(null);

export function useSession(): SignedInUser {
  const user = useContext(SessionContext);
  if (!user) throw new Error("This screen stands outside of a session.");
  return user;
}
