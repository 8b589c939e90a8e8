import { useState } from "react";
import type { Page } from "#contract/page.ts";
import { type Ticks, useTicks } from "#web/ui/ticks.tsx";
import type { PanelRow } from "#features/attorneys/contract.ts";
import type { Done } from "#features/subscriptions/DoneNotice.tsx";
import type { AttorneyFilters, ChosenAttorneys } from "#features/attorneys/shapes.ts";

/** For whom something is done: those that are ticked, or all that match the filters, on every page. */
export interface Chosen {
  ticks: Ticks<PanelRow>;
  count: number;
  whom: ChosenAttorneys;
  isAllThatMatch: boolean;
  /** How many match in all, where all of this page are ticked and there are others; else null. */
  couldBeAll: number | null;
  chooseAllThatMatch: () => void;
}

/** What a dialog needs that does something for them. */
export interface ChosenDialogProps {
  whom: ChosenAttorneys;
  count: number;
  onClose: () => void;
  onDone: (done: Done) => void;
}

export function useChosenAttorneys(
  list: Page<PanelRow> | undefined,
  filters: AttorneyFilters,
): Chosen {
  const rows = list?.items ?? [];
  const ticks = useTicks({ rows, keyOf: ({ id }) => id, nameOf: ({ name }) => name });
  const of = JSON.stringify(filters);
  const [allOf, setAllOf] = useState<string | null>(null); // other filters are another choice
  const total = list?.total ?? 0;
  const isAllThatMatch = allOf === of;
  const isPageTicked = rows.length > 0 && rows.every(ticks.isTicked);
  return {
    ticks: {
      ...ticks,
      isTicked: (row) => isAllThatMatch || ticks.isTicked(row),
      tick: (some, isTicked) => {
        setAllOf(null);
        ticks.tick(some, isTicked);
      },
      clear: () => {
        setAllOf(null);
        ticks.clear();
      },
    },
    count: isAllThatMatch ? total : ticks.chosen.length,
    whom: isAllThatMatch ? { filters } : { attorney_ids: ticks.chosen.map(({ id }) => id) },
    isAllThatMatch,
    couldBeAll: isPageTicked && !isAllThatMatch && total > ticks.chosen.length ? total : null,
    chooseAllThatMatch: () => {
      ticks.tick(rows, true);
      setAllOf(of);
    },
  };
}
