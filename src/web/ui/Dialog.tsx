import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import css from "./Dialog.module.css";

interface DialogProps {
  title: string;
  /** Asked by Esc and the close button; the owner then stops rendering the dialog. */
  onClose: () => void;
  /** For dialogs that hold a table. */
  wide?: boolean;
  children: ReactNode;
}

/**
 * A modal dialog, shown as long as it is rendered. The browser's own `<dialog>` keeps focus inside,
 * closes on Esc and gives focus back; focus starts at the first control of its content, or at the content itself. It does not
 * close on a press beside it, which would lose what was typed.
 */
export function Dialog({ title, onClose, wide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const headingId = useId();

  // Modality is a state of the browser's element, which React can only reach by calling it.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    if (body.current) focusFirst(body.current);
    return () => shown?.close();
  }, []);

  return (
    <dialog
      ref={dialog}
      className={wide ? `${css["dialog"]} ${css["wide"]}` : css["dialog"]}
      aria-labelledby={headingId}
      onCancel={(event) => {
        event.preventDefault();
        if (event.target === dialog.current) onClose();
      }}
      // Esc pressed twice closes it whatever is said to `cancel`.
      onClose={() => {
        if (!dialog.current?.open) onClose();
      }}
    >
      <div className={css["head"]}>
        <h2 id={headingId}>{title}</h2>
        <button type="button" className={css["close"]} aria-label="Close" onClick={onClose}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M3 3l10 10M13 3L3 13" />
          </svg>
        </button>
      </div>
      <div ref={body} className={css["body"]}>
        {children}
      </div>
    </dialog>
  );
}

/**
 * Make way for something that another's script lays over the page, such as a bank's question: an
 * open dialog stands above everything and keeps all else from being used. Meanwhile nothing of ours
 * can be used; afterwards the dialog is back.
 */
export async function aboveDialogs<Outcome>(show: () => Promise<Outcome>): Promise<Outcome> {
  const page = document.getElementById("root");
  const open = [...document.querySelectorAll<HTMLDialogElement>("dialog[open]")];
  page?.setAttribute("inert", "");
  for (const dialog of open) {
    dialog.style.visibility = "hidden";
    dialog.style.position = "fixed"; // else the page would scroll to it
    reopen(dialog, () => dialog.show());
  }
  try {
    return await show();
  } finally {
    page?.removeAttribute("inert");
    for (const dialog of open.filter((each) => each.isConnected)) {
      dialog.style.visibility = dialog.style.position = "";
      reopen(dialog, () => dialog.showModal());
    }
  }
}

/** What Esc does, for a frame of another site that has kept the key to itself. */
export function closeDialogAround(element: Element | null): void {
  element?.closest("dialog")?.requestClose();
}

/** Without its owner noticing: by the time that `close` is told, it is open again. */
function reopen(dialog: HTMLDialogElement, open: () => void): void {
  dialog.close();
  open();
}

function focusFirst(content: HTMLElement): void {
  const control = content.querySelector<HTMLElement>("input, select, textarea, button, a[href]");
  if (!control) content.tabIndex = 0; // what only reads must scroll by keyboard too
  (control ?? content).focus();
}
