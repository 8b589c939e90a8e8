import { z } from "zod";

/** The name of a column, or with a minus before it the same from the greatest to the least. */
export type SortBy<Column extends string> = Column | `-${Column}`;

/** The order that a list is asked for, by one of its columns; a list says itself what it is without one. */
export const sortBy = <const Column extends string>(...columns: readonly Column[]) => {
  const choices = columns.flatMap((column): SortBy<Column>[] => [column, `-${column}`]);
  return z.enum(choices, { error: `must be one of ${choices.join(", ")}` }).optional();
};
