import { useRef, useState } from "react";
import css from "./ticks.module.css";

/** Rows that are ticked, and what the boxes of a DataTable need. */
export interface Ticks<Row> {
  /** In the order in which they were ticked; those that the table shows, as it shows them. */
  chosen: readonly Row[];
  /** How many of them the table does not show: ticked on another page, or before another search. */
  elsewhere: number;
  isTicked: (row: Row) => boolean;
  canTick: (row: Row) => boolean;
  /** What a screen reader calls the row's box. */
  nameOf: (row: Row) => string;
  tick: (rows: readonly Row[], isTicked: boolean) => void;
  /** Untick what the table does not show. */
  dropElsewhere: () => void;
  clear: () => void;
}

interface TicksWanted<Row> {
  /** What the table shows now; undefined until it has come. */
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => string | number;
  nameOf: (row: Row) => string;
  /** Rows that cannot be ticked have no box, and lose their tick. Default: all can. */
  canTick?: (row: Row) => boolean;
}

/**
 * The ticks of a DataTable. They stay while rows are refetched, searched and paged, so that what is
 * found one after another can be ticked together.
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

/** The rows from the box that was pressed last up to another, when that is pressed with Shift. */
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

/** The box of one row; with Shift it ticks all from the one that was pressed before. */
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

/** The box that ticks all rows that are shown, or none of them. */
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
  /** Beside the box on a phone, where it stands above cards and not in a row of headings. */
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
          if (box) box.indeterminate = isPartly; // no attribute says so
        }}
        onClick={(event) => onPress(event.shiftKey)}
        onChange={() => undefined} // a press says more: whether Shift was held
      />
      {words && <span className={css["words"]}>{words}</span>}
    </label>
  );
}
