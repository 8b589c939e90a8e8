/**
 * Figures that the database holds for all processes alike. One statement reads them: each of its
 * columns is a figure, null where there is none to tell, and `label`, where there is one, says what
 * a row is about. It reads a handful of rows through an index, since it is asked every few seconds.
 */
export interface MetricQuery {
  /** What each figure means, for whoever reads `/metrics`. */
  metrics: Record<string, string>;
  /** What rows differ by: never a person or a network, of which there is no end, nor an address. */
  label?: string;
  sql: string;
  /** Of PostgreSQL itself: left out where our role may not read it. What the product's tables hold must be readable. */
  isOfServer?: true;
}

/** The age of the oldest, in seconds; 0 when there is none. */
export const ageInSeconds = (instant: string): string =>
  `coalesce(greatest(extract(epoch from now() - ${instant}), 0), 0)::float8`;
