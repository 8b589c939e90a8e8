/**
 * Figures in the database, the same for all processes. One statement reads them. Each column is a figure, null if
 * there is none; `label`, if present, says what a row is about. It reads a few rows through an index, because it
 * runs every few seconds.
 */
export interface MetricQuery {
  /** What each figure means, for readers of `/metrics`. */
  metrics: Record<string, string>;
  /** What distinguishes rows. Never a person, a network or an address, of which there are too many. */
  label?: string;
  sql: string;
  /** From PostgreSQL itself: left out if our role may not read it. The product's own tables must be readable. */
  isOfServer?: true;
}

/** The age of the oldest, in seconds; 0 if there is none. */
export const ageInSeconds = (instant: string): string =>
  `coalesce(greatest(extract(epoch from now() - ${instant}), 0), 0)::float8`;
