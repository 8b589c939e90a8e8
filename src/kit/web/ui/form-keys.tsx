/**
 * For a form that is filled by keyboard again and again: Enter goes to the next field, Ctrl+Enter sends.
 * Answers how to stop; a form's `ref` takes it as it is.
 */
export function listenToEnter(form: HTMLFormElement | null): (() => void) | undefined {
  const stopping = new AbortController();
  const { signal } = stopping;
  form?.addEventListener("keydown", sendByCtrlEnter, { capture: true, signal });
  form?.addEventListener("keydown", goOnByEnter, { signal });
  return () => stopping.abort();
}

/**
 * From any of its fields, a list that is open included. Where somebody has typed into that list and chosen nothing,
 * the form still holds whom they chose before: it is not sent.
 */
function sendByCtrlEnter(event: KeyboardEvent): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.stopPropagation();
  const { target } = event;
  if (target instanceof HTMLInputElement && target.ariaExpanded === "true" && target.value !== "")
    return;
  formOf(event)?.requestSubmit();
}

/**
 * Buttons keep Enter as their press, text of several lines as a new line, and an open list as its choice,
 * or as nothing while its options are still on their way.
 */
function goOnByEnter(event: KeyboardEvent): void {
  const { target } = event;
  const form = formOf(event);
  const isField = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
  if (event.key !== "Enter" || !isField || !form) return;
  event.preventDefault(); // it would send the form
  if (target.ariaExpanded === "true") return;
  const fields = [...form.querySelectorAll<HTMLElement>(stops)].filter((field) =>
    field.checkVisibility(),
  );
  const next = fields[fields.indexOf(target) + 1];
  next?.focus();
  if (next instanceof HTMLInputElement) next.select(); // what stands there is typed over
}

/** The button of a date's calendar is passed by: the date can be typed. */
const stops =
  'input:not([type="hidden"]), select, textarea, button:not([popovertarget], [disabled])';

const formOf = ({ currentTarget }: Event): HTMLFormElement | null =>
  currentTarget instanceof HTMLFormElement ? currentTarget : null;
