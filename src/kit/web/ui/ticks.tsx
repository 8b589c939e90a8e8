import { useRef, useState } from "react";
import css from "./ticks.module.css";

/** The ticked rows, and what a DataTable's checkboxes need. */
export interface Ticks<Row> {
  /** In the order ticked, with current data for rows that the table shows. */
  chosen: readonly Row[];
  /** How many of them the table does not show: ticked on another page, or before another search. */
  elsewhere: number;
  isTicked: (row: Row) => boolean;
  canTick: (row: Row) => boolean;
  /** The accessible name of the row's checkbox. */
  nameOf: (row: Row) => string;
  tick: (rows: readonly Row[], isTicked: boolean) => void;
  /** Untick rows that the table does not show. */
  dropElsewhere: () => void;
  clear: () => void;
}

interface TicksWanted<Row> {
  /** The rows that the table shows; undefined while loading. */
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => string | number;
  nameOf: (row: Row) => string;
  /** Rows that cannot be ticked have no box, and lose their tick. Default: all can. */
  canTick?: (row: Row) => boolean;
}

/**
 * The ticks of a DataTable. They survive refetching, searching and paging, so that rows found one after another can
 * be ticked together.
 */
export function useTicks<Row>(wanted: TicksWanted<Row>): Ticks<Row> {
  const { rows = [], keyOf, nameOf, canTick = () => true } = wanted;
  const [ticked, setTicked] = useState<ReadonlyMap<string | number, Row>>(new Map());
  const shown = new Map(rows.map((row) => [keyOf(row), row]));
  const chosen = [...ticked].map(([key, row]) => shown.get(key) ?? row).filter(canTick);
  return {
    chosen,
    elsewhere: chosen.filter((row) => !shown.has(keyOf(row))).length,
    isTicked: (row) => ticked.has(keyOf(row)) && canTick(row),
    canTick,
    nameOf,
    tick: (some, isTicked) =>
      setTicked((before) => {
        const next = new Map(before);
        for (const row of some.filter(canTick)) {
          if (isTicked) next.set(keyOf(row), row);
          else next.delete(keyOf(row));
        }
        return next;
      }),
    dropElsewhere: () =>
      setTicked((before) => new Map([...before].filter(([key]) => shown.has(key)))),
    clear: () => setTicked(new Map()),
  };
}

/** The rows between the last pressed box and the one pressed with Shift. */
export function useRangeOfTicks<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string | number,
): (row: Row, isRange: boolean) => readonly Row[] {
  const last = useRef<string | number | null>(null);
  return (row, isRange) => {
    const to = rows.indexOf(row);
    const from = isRange ? rows.findIndex((other) => keyOf(other) === last.current) : to;
    last.current = keyOf(row);
    return from < 0 ? [row] : rows.slice(Math.min(from, to), Math.max(from, to) + 1);
  };
}

interface TickRowProps<Row> {
  ticks: Ticks<Row>;
  row: Row;
  rangeTo: (row: Row, isRange: boolean) => readonly Row[];
}

/** The checkbox of one row. With Shift it ticks all rows from the last pressed one. */
export function TickRow<Row>({ ticks, row, rangeTo }: TickRowProps<Row>) {
  if (!ticks.canTick(row)) return null;
  const isTicked = ticks.isTicked(row);
  return (
    <Box
      label={`Choose ${ticks.nameOf(row)}`}
      isTicked={isTicked}
      onPress={(isRange) => ticks.tick(rangeTo(row, isRange), !isTicked)}
    />
  );
}

interface TickAllProps<Row> {
  ticks: Ticks<Row>;
  rows: readonly Row[];
  caption: string;
}

/** The checkbox that ticks all shown rows, or none of them. */
export function TickAll<Row>({ ticks, rows, caption }: TickAllProps<Row>) {
  const all = rows.filter(ticks.canTick);
  const ticked = all.filter(ticks.isTicked).length;
  if (all.length === 0) return null;
  return (
    <Box
      label={`Choose all on this page: ${caption}`}
      words="Choose all on this page"
      isTicked={ticked === all.length}
      isPartly={ticked > 0 && ticked < all.length}
      onPress={() => ticks.tick(all, ticked < all.length)}
    />
  );
}

interface BoxProps {
  label: string;
  isTicked: boolean;
  isPartly?: boolean;
  /** Text beside the checkbox on a phone, where there is no heading row. */
  words?: string;
  onPress: (withShift: boolean) => void;
}

function Box({ label, isTicked, isPartly = false, words, onPress }: BoxProps) {
  return (
    <label className={css["tick"]}>
      <input
        type="checkbox"
        aria-label={label}
        checked={isTicked}
        ref={(box) => {
          if (box) box.indeterminate = isPartly; // there is no attribute for it
        }}
        onClick={(event) => onPress(event.shiftKey)}
        onChange={() => undefined} // handled by onClick, which knows whether Shift was held
      />
      {words && <span className={css["words"]}>{words}</span>}
    </label>
  );
}
