import { useId } from "react";
import { Bar, BarChart, CartesianGrid, ReferenceLine, Tooltip, XAxis, YAxis } from "recharts";
import css from "./Chart.module.css";
import {
  type ChartPoint,
  type ChartSeries,
  type ChartUnit,
  figureText,
  shortFigureText,
} from "./chart-figures.tsx";

interface ChartPlotProps {
  title: string;
  unit: ChartUnit;
  points: ChartPoint[];
  series: ChartSeries[];
  /** Name the points below the bars, unless something else does. */
  hasLabels: boolean;
}

const tick = { fill: "var(--muted)", fontSize: 14 };

/** The width of the axis figures. Chart.module.css leaves the same space below them. */
const axisWidth = 56;

/** The bars of a `Chart`, without animation. Once focused, the arrow keys move from point to point. */
export function ChartPlot({ title, unit, points, series, hasLabels }: ChartPlotProps) {
  const id = useId().replaceAll(/\W/g, "");
  const data = points.map(({ label }, index) => ({
    label,
    index,
    first: series[0]?.values[index] ?? 0,
    second: series[1]?.values[index] ?? 0,
  }));
  const labelOf = { "aria-label": `${title}: use the arrow keys to read its values` };
  return (
    <BarChart
      {...labelOf}
      data={data}
      responsive
      className={css["bars"]}
      margin={{ top: 8, right: 0, bottom: hasLabels ? 0 : 8, left: 0 }}
      barGap={2}
      barCategoryGap="18%"
    >
      <defs>
        <pattern
          id={id}
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="6" height="6" fill="var(--surface)" />
          <rect width="3.5" height="6" fill="var(--series-2)" />
        </pattern>
      </defs>
      <CartesianGrid vertical={false} stroke="var(--line)" />
      <XAxis
        dataKey="label"
        hide={!hasLabels}
        tick={tick}
        tickLine={false}
        axisLine={false}
        interval="equidistantPreserveStart"
      />
      <YAxis
        width={axisWidth}
        tick={tick}
        tickLine={false}
        axisLine={false}
        tickCount={4}
        interval={0}
        allowDecimals={false}
        tickFormatter={(value: number) => shortFigureText(unit, value)}
      />
      <ReferenceLine y={0} stroke="var(--edge)" />
      <Tooltip
        isAnimationActive={false}
        cursor={{ fill: "var(--ink)", fillOpacity: 0.06 }}
        content={<PointFigures points={points} series={series} unit={unit} />}
      />
      <Bar dataKey="first" fill="var(--series-1)" isAnimationActive={false} maxBarSize={40} />
      {series.length > 1 && (
        <Bar
          dataKey="second"
          fill={`url(#${id})`}
          stroke="var(--series-2)"
          isAnimationActive={false}
          maxBarSize={40}
        />
      )}
    </BarChart>
  );
}

interface PointFiguresProps extends Pick<ChartPlotProps, "points" | "series" | "unit"> {
  /** Set by the chart: whether a point is active, and which. */
  active?: boolean;
  payload?: readonly { payload?: { index?: number } }[];
}

function PointFigures({ points, series, unit, active, payload }: PointFiguresProps) {
  const index = payload?.[0]?.payload?.index;
  if (!active || index === undefined) return null;
  return (
    <div className={css["figures"]}>
      <strong>{points[index]?.name}</strong>
      {series.map(({ name, values }) => (
        <span key={name}>{`${name}: ${figureText(unit, values[index] ?? 0)}`}</span>
      ))}
    </div>
  );
}
