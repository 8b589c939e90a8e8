import { Suspense, useEffect, useRef, useState } from "react";
import { withArticle } from "#kit/contract/validation-messages.ts";
import { type Day, dayFromTyping, formatDay } from "#kit/domain/day.ts";
import { lazyComponent } from "#kit/web/lazy-component.tsx";
import { useUnsavedChanges } from "#kit/web/unsaved-changes.tsx";
import css from "./DayField.module.css";
import { Field, type FieldProps } from "./Field.tsx";
import { visibleViewport, onViewportChange } from "./viewport.tsx";
import { Loading } from "./states.tsx";

const Calendar = lazyComponent(
  "The calendar",
  async () => (await import("./Calendar.tsx")).Calendar,
);

/** The error for text that is not a date. Source: spec §8. */
const dayMessage = "Date input not valid.";

interface DayFieldProps extends FieldProps<Day | null> {
  /** The first day in the calendar. Earlier days can be typed; the server decides. */
  earliest?: Day;
  /** The form is not sent without this date. */
  required?: boolean;
  /**
   * For a field that saves without a button: called when a day is picked, or typed and confirmed by Enter or by
   * leaving the field. Null when emptied.
   */
  onSettled?: (day: Day | null) => void;
}

/**
 * A day, typed as MM/DD/YYYY, M/D/YYYY or YYYY-MM-DD, or picked from a calendar. The value is `YYYY-MM-DD`, or null
 * while empty or not valid. A form with an invalid date is not sent.
 */
export function DayField({ earliest, required = false, onSettled, ...props }: DayFieldProps) {
  const { value, onChange } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const [isLeft, setLeft] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const text = typed ?? (value === null ? "" : formatDay(value));
  useUnsavedChanges(typed !== null && typed.trim() !== ""); // a partly typed date is not a form value yet
  const isWrong = text.trim() !== "" && dayFromTyping(text) === null;

  // `useForm` reads the field's validity from the browser.
  const isMissing = required && value === null;
  const missing = `Enter ${withArticle(props.label)}, such as 01/31/2027.`;
  const problem = isWrong ? dayMessage : isMissing ? missing : "";
  useEffect(() => input.current?.setCustomValidity(problem), [problem]);

  const take = (day: Day) => {
    setTyped(null);
    setLeft(false);
    onChange(day);
    onSettled?.(day);
  };
  const settle = () => {
    setLeft(isWrong);
    if (isWrong || typed === null) return;
    setTyped(null);
    onSettled?.(dayFromTyping(typed));
  };
  const error = isWrong && isLeft ? dayMessage : props.error;

  return (
    <Field {...props} error={error}>
      {(control) => (
        <span className={css["day"]}>
          <input
            {...control}
            ref={input}
            value={text}
            placeholder="MM/DD/YYYY"
            autoComplete="off"
            inputMode="text"
            onChange={(event) => {
              setTyped(event.target.value);
              onChange(dayFromTyping(event.target.value));
            }}
            onBlur={settle}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !onSettled) return;
              event.preventDefault();
              settle();
            }}
          />
          <CalendarButton id={control.id} value={value} earliest={earliest} onPick={take} />
        </span>
      )}
    </Field>
  );
}

interface CalendarButtonProps {
  id: string;
  value: Day | null;
  earliest: Day | undefined;
  onPick: (day: Day) => void;
}

function CalendarButton({ id, value, earliest, onPick }: CalendarButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const popover = useRef<HTMLDialogElement>(null);
  const popoverId = `${id}-calendar`;

  // The browser knows the calendar's height only after it is loaded and drawn.
  useEffect(() => {
    const shown = popover.current;
    if (!isOpen || !shown) return undefined;
    const place = () => positionByField(shown, shown.getBoundingClientRect());
    const sizes = new ResizeObserver(place);
    sizes.observe(shown);
    const stop = onViewportChange(place);
    return () => {
      stop();
      sizes.disconnect();
    };
  }, [isOpen]);
  return (
    <>
      <button
        type="button"
        className={css["open"]}
        popoverTarget={popoverId}
        aria-label="Open calendar"
        aria-describedby={`${id}-label`}
      >
        <svg viewBox="0 0 18 18" aria-hidden="true">
          <path d="M2.5 4.5h13v11h-13zM2.5 8h13M6 2.5v3M12 2.5v3" />
        </svg>
      </button>
      <dialog
        ref={popover}
        id={popoverId}
        popover="auto"
        aria-label="Calendar"
        className={css["popover"]}
        onBeforeToggle={(event) => positionByField(event.currentTarget, usualSize)}
        onToggle={(event) => setOpen(event.newState === "open")}
      >
        {isOpen && (
          <Suspense fallback={<Loading />}>
            <Calendar
              value={value}
              earliest={earliest}
              onPick={(day) => {
                popover.current?.hidePopover();
                onPick(day);
              }}
            />
          </Suspense>
        )}
      </dialog>
    </>
  );
}

/** The size of a calendar that is not drawn yet, in pixels. */
const usualSize = { width: 290, height: 340 };

const gap = 4;

/** Below the field, or else above it, or else wherever the window has room. */
function positionByField(popover: HTMLElement, size: { width: number; height: number }): void {
  const field = popover.parentElement?.getBoundingClientRect();
  if (!field) return;
  const view = visibleViewport();
  const below = field.bottom + gap;
  const above = field.top - gap - size.height;
  const lowest = Math.max(view.top, view.bottom - size.height);
  const isAbove = below > lowest && above >= view.top;
  const rightmost = Math.max(view.left, view.right - size.width);
  popover.style.top = `${isAbove ? above : Math.min(Math.max(below, view.top), lowest)}px`;
  popover.style.left = `${Math.min(Math.max(field.left, view.left), rightmost)}px`;
}
