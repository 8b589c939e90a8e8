/**
 * For a form that is filled in repeatedly by keyboard: Enter goes to the next field, Ctrl+Enter sends. Answers how
 * to stop; a form's `ref` takes it as it is.
 */
export function listenToEnter(form: HTMLFormElement | null): (() => void) | undefined {
  const stopping = new AbortController();
  const { signal } = stopping;
  form?.addEventListener("keydown", sendByCtrlEnter, { capture: true, signal });
  form?.addEventListener("keydown", goOnByEnter, { signal });
  return () => stopping.abort();
}

/**
 * From any field, including an open list. If someone has typed into the list without choosing, the form is not
 * sent: it still holds the previous choice.
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
 * Enter still presses buttons and adds lines in a text area. In an open list it chooses, or does nothing while
 * options are loading.
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
  if (next instanceof HTMLInputElement) next.select(); // so that typing replaces the text
}

/** Skips the date field's calendar button: the date can be typed. */
const stops =
  'input:not([type="hidden"]), select, textarea, button:not([popovertarget], [disabled])';

const formOf = ({ currentTarget }: Event): HTMLFormElement | null =>
  currentTarget instanceof HTMLFormElement ? currentTarget : null;
