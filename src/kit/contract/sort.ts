import { z } from "zod";

/** A column's name; with a minus before it, largest first. */
export type SortBy<Column extends string> = Column | `-${Column}`;

/** A list's order by one of its columns. Each list has its own default. */
export const sortBy = <const Column extends string>(...columns: readonly Column[]) => {
  const choices = columns.flatMap((column): SortBy<Column>[] => [column, `-${column}`]);
  return z.enum(choices, { error: `must be one of ${choices.join(", ")}` }).optional();
};
