import { useState } from "react";
import { mostPrinted, type Printing } from "#kit/web/list-pages.tsx";
import { chooseRowHeight, chosenRowHeight } from "#kit/web/row-height.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { ExportThese } from "./ExportThese.tsx";
import css from "./lists.module.css";
import { SavedFilters } from "./SavedFilters.tsx";
import type { FilterNames, Filters } from "#kit/list/define-list.ts";
import type { ListToolsInfo } from "#kit/list/list-tools-info.ts";

/** A filter that is not set is undefined or empty. */
export type GivenFilters = Record<string, string | number | undefined>;

interface ListToolsProps {
  list: ListToolsInfo;
  /** The list's filters, as its call takes them, without page and sort. */
  filters: GivenFilters;
  /** The names of records that filters refer to by id, if the screen knows them. */
  names?: FilterNames;
  printing: Printing;
  /** The export button's text if the report has other rows than the list. */
  exported?: string;
}

/**
 * The tools above a list: save and choose filters, export and print all filtered rows, and compact rows. Makes the
 * page as wide as the window.
 */
export function ListTools({ list, filters, names = {}, printing, exported }: ListToolsProps) {
  const set = setFilters(filters);
  return (
    <div className={css["tools"]} data-wide-page>
      <p className={css["printed"]}>
        {list.words(set, names)}
        {printing.isTooLong && `. Only the first ${mostPrinted.toLocaleString("en-US")} rows.`}
      </p>
      <SavedFilters list={list.name} />
      <RowHeightButton />
      <Button small kind="quiet" pending={printing.pending} onClick={printing.print}>
        Print
      </Button>
      <ExportThese
        reportType={list.reportType}
        filters={set}
        {...(exported && { label: exported })}
      />
      {printing.isTooLong && printing.pending && (
        <output className={css["notice"]}>
          {`Only the first ${mostPrinted.toLocaleString("en-US")} rows are printed. To get all of them, choose Export these.`}
        </output>
      )}
    </div>
  );
}

function setFilters(filters: GivenFilters): Filters {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) =>
      value === undefined || value === "" ? [] : [[name, String(value)]],
    ),
  );
}

/** Stored in the browser, for all lists. */
function RowHeightButton() {
  const [height, setHeight] = useState(chosenRowHeight);
  return (
    <label className={css["compact"]}>
      <input
        type="checkbox"
        checked={height === "compact"}
        onChange={({ target }) => {
          chooseRowHeight(target.checked ? "compact" : "usual");
          setHeight(chosenRowHeight());
        }}
      />
      Compact rows
    </label>
  );
}
