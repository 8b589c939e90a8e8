import type { ImportEndpoints } from "./contract.ts";
import type { Nouns } from "./import-words.tsx";

/** A column that a file may have. */
export interface ImportColumn {
  /** As the contract names what it holds. */
  field: string;
  heading: string;
  isNeeded?: boolean;
  says: string;
  /** What the rows of the example file hold. */
  examples: readonly [string, string];
}

/** What is imported, and how its screen speaks of it. */
export interface ImportKind {
  /** The screen's heading. */
  title: string;
  nouns: Nouns;
  /** What happens to a record that is there already, in a sentence or two. */
  aboutKnown: string;
  endpoints: ImportEndpoints;
  columns: readonly ImportColumn[];
  exampleName: string;
  /** Which values of a row are shown before it is imported; `onlyIfAny`: where a row has such a value. */
  shown: readonly { value: string; heading: string; onlyIfAny?: true }[];
  /** Where the records are listed. */
  list: { to: string; label: string };
}
