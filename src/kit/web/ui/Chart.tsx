import {
  type CSSProperties,
  type RefObject,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { Link } from "react-router";
import { lazyComponent } from "#kit/web/lazy-component.tsx";
import { Button } from "./Button.tsx";
import css from "./Chart.module.css";
import { type ChartPoint, type ChartSeries, type ChartUnit, figureText } from "./chart-figures.tsx";
import { type Column, DataTable } from "./DataTable.tsx";
import { Muted } from "./layout.tsx";

export interface ChartProps {
  title: string;
  /** What it shows, for which time, and how it is counted, in a sentence or two. */
  about: string;
  unit: ChartUnit;
  /** What a point is, for the table: "Month". */
  pointName: string;
  points: ChartPoint[];
  /** One or two. */
  series: ChartSeries[];
  /** Shown if every figure is zero. */
  empty: string;
}

/**
 * Figures as bars, or as a table. The drawing code is loaded once the chart is in view; until then its place is
 * kept. Each series has a colour, a pattern and a name. A point with an address has a link below its bar.
 */
export function Chart(props: ChartProps) {
  const { title, about, unit, points, series, empty } = props;
  const [isTable, setTable] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const isSeen = useWasSeen(place);
  const id = useId();
  const isEmpty = series.every(({ values }) => values.every((value) => value === 0));
  const hasLinks = points.some(({ to }) => to !== undefined);
  return (
    <section className={css["chart"]} aria-labelledby={id}>
      <div className={css["head"]}>
        <h2 id={id}>{title}</h2>
        {!isEmpty && (
          <span className="actions">
            <Button
              small
              kind="quiet"
              pending={false}
              label={`${title} as a ${isTable ? "chart" : "table"}`}
              onClick={() => setTable(!isTable)}
            >
              {isTable ? "As a chart" : "As a table"}
            </Button>
          </span>
        )}
      </div>
      <Muted small>{about}</Muted>
      {isEmpty ? (
        <p className={css["empty"]}>{empty}</p>
      ) : (
        <>
          <div className={css["picture"]} hidden={isTable}>
            {series.length > 1 && <Legend series={series} />}
            <div ref={place} className={css["plot"]}>
              {isSeen && (
                <Suspense>
                  <ChartPlot
                    title={title}
                    unit={unit}
                    points={points}
                    series={series}
                    hasLabels={!hasLinks}
                  />
                </Suspense>
              )}
            </div>
            {hasLinks && <PointLinks {...props} />}
          </div>
          <div className={css["table"]} hidden={!isTable}>
            <Figures {...props} />
          </div>
        </>
      )}
    </section>
  );
}

const ChartPlot = lazyComponent(
  "The chart",
  async () => (await import("./ChartPlot.tsx")).ChartPlot,
);

/** Whether the element has been in or near the window. */
function useWasSeen(place: RefObject<Element | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (!place.current) return undefined;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: "100px" },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [place]);
  return isSeen;
}

function Legend({ series }: { series: ChartSeries[] }) {
  return (
    <ul className={css["legend"]}>
      {series.map(({ name }, index) => (
        <li key={name}>
          <span className={css["swatch"]} data-series={index + 1} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  );
}

/** Below the bars: each point's name and figure, linking to the list behind it. */
function PointLinks({ points, series, unit }: ChartProps) {
  const columns: CSSProperties = {
    gridTemplateColumns: `repeat(${points.length}, minmax(0, 1fr))`,
  };
  return (
    <ul className={css["points"]} style={columns}>
      {points.map(({ label, name, to }, index) => (
        <li key={name}>
          {to === undefined ? label : <Link to={to}>{label}</Link>}
          <span>{figureText(unit, series[0]?.values[index] ?? 0)}</span>
        </li>
      ))}
    </ul>
  );
}

function Figures({ title, pointName, unit, points, series }: ChartProps) {
  const rows = points.map((point, index) => ({ ...point, index }));
  const columns: Column<(typeof rows)[number]>[] = [
    {
      heading: pointName,
      cell: ({ name, to }) => (to === undefined ? name : <Link to={to}>{name}</Link>),
    },
    ...series.map(({ name, values }) => ({
      heading: name,
      amount: true,
      cell: ({ index }: { index: number }) => figureText(unit, values[index] ?? 0),
    })),
  ];
  return (
    <DataTable
      caption={title}
      captionHidden
      columns={columns}
      rows={rows}
      keyOf={({ name }) => name}
      empty={null}
      pending={false}
      error={null}
      onRetry={() => undefined}
    />
  );
}
