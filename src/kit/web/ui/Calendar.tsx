import { MantineProvider } from "@mantine/core";
import "@mantine/core/styles/UnstyledButton.css";
import { DatePicker } from "@mantine/dates";
import "@mantine/dates/styles.css";
import { useEffect, useRef } from "react";
import type { Day } from "#kit/domain/day.ts";
import { styleNonce } from "#kit/web/page-meta.tsx";
import css from "./Calendar.module.css";

interface CalendarProps {
  value: Day | null;
  earliest: Day | undefined;
  onPick: (day: Day) => void;
}

/** Picks a day of a month. Loaded when first opened, because it is most of a date field's code. */
export function Calendar({ value, earliest, onPick }: CalendarProps) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const day = ["[data-selected]", "[data-today]", "td button"]
      .map((which) => frame.current?.querySelector<HTMLElement>(`${which}:not(:disabled)`))
      .find((found) => found);
    day?.focus();
  }, []);
  return (
    <div ref={frame} className={css["calendar"]}>
      {/* Colours come from this product's theme, which handles light and dark. */}
      <MantineProvider
        forceColorScheme="light"
        withCssVariables={false}
        withGlobalClasses={false}
        getStyleNonce={styleNonce}
      >
        <DatePicker
          allowDeselect
          value={value}
          defaultDate={value ?? undefined}
          minDate={earliest}
          firstDayOfWeek={0}
          highlightToday
          ariaLabels={{ nextMonth: "Next month", previousMonth: "Previous month" }}
          previousIcon={<Arrow path="M10 3L5 8l5 5" />}
          nextIcon={<Arrow path="M6 3l5 5-5 5" />}
          // Picking the chosen day answers null. It stays chosen.
          onChange={(day) => {
            const picked = day ?? value;
            if (picked !== null) onPick(picked);
          }}
        />
      </MantineProvider>
    </div>
  );
}

function Arrow({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
