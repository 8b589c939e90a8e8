import type { ReactNode } from "react";
import type { Attorney } from "./contract.ts";

/** The parts of an attorney's page that later folders own. `main` passes them in. */
export interface AttorneySections {
  debits: (attorney: Attorney) => ReactNode;
  payments: (attorney: Attorney) => ReactNode;
  history: (attorney: Attorney) => ReactNode;
}
