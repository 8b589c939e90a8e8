import { createContext, useContext } from "react";
import type { Day } from "#kit/domain/day.ts";
import type { SignedInUser } from "#kit/contract/session.ts";

/** The signed-in user. `App` provides it to every screen except sign-in. */
export const SessionContext = createContext<SignedInUser | null>(null);

export function useSession(): SignedInUser {
  const user = useContext(SessionContext);
  if (!user) throw new Error("This screen needs a signed-in user.");
  return user;
}

/** Today in the network's time zone, without loading the Temporal polyfill. */
export function useToday(): Day {
  return dayNow(useSession().timeZone);
}

function dayNow(timeZone: string): Day {
  const format = { timeZone, year: "numeric", month: "2-digit", day: "2-digit" } as const;
  const [month, day, year] = new Intl.DateTimeFormat("en-US", format).format(new Date()).split("/");
  return `${year}-${month}-${day}`;
}
