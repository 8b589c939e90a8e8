import type { Temporal } from "temporal-polyfill";

/** The clock of a running server. Tests pass their own. */
export type Clock = () => Temporal.Instant;
