import {
  type FilterNames,
  type Filters,
  type ListDeclaration,
  listWords,
} from "#kit/list/define-list.ts";

/** A list, for the tools above its table. */
export interface ListToolsInfo {
  /** Its name for saved filters. */
  name: string;
  /** The report with its rows. */
  reportType: string;
  /** What it shows, for people. */
  words: (filters: Filters, names: FilterNames) => string;
}

/** The same for a declared list. */
export const listToolsInfo = (
  list: Pick<ListDeclaration, "name" | "title" | "filters" | "report">,
): ListToolsInfo => ({
  name: list.name,
  reportType: list.report.type,
  words: (filters, names) => listWords(list, filters, names),
});
