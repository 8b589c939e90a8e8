import type { ImportEndpoints } from "./contract.ts";
import type { Nouns } from "./import-words.tsx";

/** A possible column of a file. */
export interface ImportColumn {
  /** The contract's name of the field. */
  field: string;
  heading: string;
  isNeeded?: boolean;
  says: string;
  /** The values in the example file. */
  examples: readonly [string, string];
}

/** What is imported, and the words of its screen. */
export interface ImportKind {
  /** The screen's heading. */
  title: string;
  nouns: Nouns;
  /** What happens to records that already exist. */
  aboutExisting: string;
  endpoints: ImportEndpoints;
  columns: readonly ImportColumn[];
  exampleName: string;
  /** The values shown in a preview; `onlyIfAny`: only if a row has such a value. */
  shown: readonly { value: string; heading: string; onlyIfAny?: true }[];
  /** The list of the records. */
  list: { to: string; label: string };
}
