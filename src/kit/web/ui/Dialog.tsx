import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { PageCover } from "#kit/web/page-cover.tsx";
import {
  confirmDiscard,
  hasUnsavedChanges,
  type UnsavedScope,
  UnsavedScopeProvider,
} from "#kit/web/unsaved-changes.tsx";
import { Button } from "./Button.tsx";
import css from "./Dialog.module.css";
import { Row } from "./layout.tsx";

interface DialogProps {
  title: string;
  /**
   * Called by Esc and the close button, after the user agreed to lose unsaved input. The owner then stops rendering
   * the dialog.
   */
  onClose: () => void;
  /** For dialogs with a table. */
  wide?: boolean;
  /** For a one-line question. On a phone, too, the page stays visible behind it. */
  brief?: boolean;
  /** For a list to choose from: wider than a form, narrower than a table. */
  roomy?: boolean;
  /** Hides the page while it is open. */
  veiled?: boolean;
  /** Shows nothing from the page, and stays visible while the page is hidden. */
  aboveVeil?: boolean;
  children: ReactNode;
}

/**
 * A modal dialog, open as long as it is rendered. It grows downwards, so that its content stays under the pointer.
 * The browser's `<dialog>` keeps focus inside and returns it. Focus starts at the first control, as soon as there
 * is one. Esc and the close button ask first if input is unsaved; a press outside does nothing.
 */
export function Dialog({ title, onClose, children, ...looks }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const headingId = useId();
  const [scope] = useState<UnsavedScope>({ kind: "dialog" });
  const close = () => confirmDiscard(onClose, scope);

  // Only the browser's element can be made modal, by calling it.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    const stopWaiting = body.current && focusFirst(body.current);
    return () => {
      stopWaiting?.();
      shown?.close();
    };
  }, []);

  return (
    <dialog
      ref={dialog}
      className={classOf(looks)}
      aria-labelledby={headingId}
      // Handle Esc before the browser does: a second Esc closes a dialog even if `cancel` is prevented.
      onKeyDown={(event) => {
        if (event.key !== "Escape" || closesSomethingWithin(event)) return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
      // From a phone's back gesture, or another site's frame that does not pass the key on.
      onCancel={(event) => {
        event.preventDefault();
        if (event.target === dialog.current) close();
      }}
      onClose={() => {
        if (dialog.current?.open) return;
        if (hasUnsavedChanges(scope)) dialog.current?.showModal();
        close();
      }}
    >
      <div className={css["head"]}>
        <h2 id={headingId}>{title}</h2>
        <button type="button" className={css["close"]} aria-label="Close" onClick={close}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M3 3l10 10M13 3L3 13" />
          </svg>
        </button>
      </div>
      <div ref={body} className={css["body"]}>
        {looks.veiled && <PageCover />}
        <UnsavedScopeProvider scope={scope}>
          <Closing value={close}>{children}</Closing>
        </UnsavedScopeProvider>
      </div>
    </dialog>
  );
}

const Closing = createContext<() => void>(() => undefined);

/** The end of a dialog: its action button, and a button that closes it as Esc does. */
export function DialogActions({ children }: { children: ReactNode }) {
  const close = useContext(Closing);
  return (
    <Row>
      {children}
      <Button pending={false} onClick={close}>
        Cancel
      </Button>
    </Row>
  );
}

function classOf(looks: Omit<DialogProps, "title" | "onClose" | "children">): string {
  return ["dialog", ...Object.entries(looks).flatMap(([name, isOn]) => (isOn ? [name] : []))]
    .map((name) => css[name])
    .join(" ");
}

/** Whether Esc is meant for an open calendar or list in the dialog instead. */
function closesSomethingWithin({ target, currentTarget }: KeyboardEvent): boolean {
  const isListOpen = target instanceof Element && target.ariaExpanded === "true";
  return isListOpen || currentTarget.querySelector(":popover-open") !== null;
}

/**
 * Take open dialogs out of the top layer while another site's script shows an overlay, such as a bank's
 * confirmation, which a modal dialog would cover and block. The page is inert until then; afterwards the dialogs
 * are modal again.
 */
export async function hideDialogsDuring<Outcome>(show: () => Promise<Outcome>): Promise<Outcome> {
  const page = document.getElementById("root");
  const open = [...document.querySelectorAll<HTMLDialogElement>("dialog[open]")];
  page?.setAttribute("inert", "");
  for (const dialog of open) {
    dialog.style.visibility = "hidden";
    dialog.style.position = "fixed"; // so that the page does not scroll to it
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

/** Close as Esc does, for another site's frame that does not pass the key on. */
export function closeParentDialog(element: Element | null): void {
  element?.closest("dialog")?.requestClose();
}

/** The owner does not notice: the dialog is open again before its `close` event is dispatched. */
function reopen(dialog: HTMLDialogElement, open: () => void): void {
  dialog.close();
  open();
}

const fields = ":is(input:not([type=hidden], [tabindex='-1']), select, textarea):enabled";
const controls = `${fields}, button:enabled, a[href]`;

/** The content's first field, or else its last button, which changes nothing: a key may still be down. */
const firstOf = (content: HTMLElement) =>
  content.querySelector<HTMLElement>(fields) ??
  [...content.querySelectorAll<HTMLElement>(controls)].at(-1);

/**
 * Focus the first control, or the content until a form that loads with the dialog has one. Focus that has moved
 * stays. Answers how to stop waiting.
 */
function focusFirst(content: HTMLElement): () => void {
  const loading = new MutationObserver(() => {
    if (!content.querySelector(controls)) return;
    loading.disconnect();
    if (document.activeElement === content) firstOf(content)?.focus();
  });
  const control = content.querySelector<HTMLElement>(controls);
  if (!control) {
    content.tabIndex = 0; // text must scroll by keyboard too
    loading.observe(content, { childList: true, subtree: true });
  }
  (control ?? content).focus();
  return () => loading.disconnect();
}
