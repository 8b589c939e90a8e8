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
import { PageVeil } from "#kit/web/page-veil.tsx";
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
   * Called by Esc and the close button, once it was agreed to lose what was entered; the owner then
   * stops rendering the dialog.
   */
  onClose: () => void;
  /** For dialogs that hold a table. */
  wide?: boolean;
  /** For a question of one line: on a phone too it leaves in sight what it is about. */
  brief?: boolean;
  /** For a list of lines to choose from: between a form and a table. */
  roomy?: boolean;
  /** Nothing of the page can be seen meanwhile. */
  veiled?: boolean;
  /** It holds nothing of the page, and is seen although that is veiled. */
  aboveVeil?: boolean;
  children: ReactNode;
}

/**
 * A modal dialog, shown as long as it is rendered. It grows downwards: what stands in it stays under
 * the pointer when more appears below. The browser's own `<dialog>` keeps focus inside
 * and gives it back; focus starts at the first control of its content, as soon as there is one. Esc
 * and the close button ask first where something was entered; a press beside it does nothing.
 */
export function Dialog({ title, onClose, children, ...looks }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const headingId = useId();
  const [scope] = useState<UnsavedScope>({ kind: "dialog" });
  const close = () => confirmDiscard(onClose, scope);

  // Modality is a state of the browser's element, which React can only reach by calling it.
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
      // Before the browser sees it: pressed twice, Esc closes a dialog whatever is said to `cancel`.
      onKeyDown={(event) => {
        if (event.key !== "Escape" || closesSomethingWithin(event)) return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
      // From a phone's back gesture, or a frame of another site that does not pass the key on.
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
        {looks.veiled && <PageVeil />}
        <UnsavedScopeProvider scope={scope}>
          <Closing value={close}>{children}</Closing>
        </UnsavedScopeProvider>
      </div>
    </dialog>
  );
}

const Closing = createContext<() => void>(() => undefined);

/** At the end of a dialog: the button that does what it is for, and one that closes it, as Esc does. */
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

/** Whether Esc is meant for an open calendar or list of the dialog, rather than for the dialog. */
function closesSomethingWithin({ target, currentTarget }: KeyboardEvent): boolean {
  const isListOpen = target instanceof Element && target.ariaExpanded === "true";
  return isListOpen || currentTarget.querySelector(":popover-open") !== null;
}

/**
 * Take open dialogs out of the top layer while another site's script shows an overlay, such as a bank's
 * confirmation: a modal dialog would cover and block it. Meanwhile the page is inert; afterwards the
 * dialogs are modal again.
 */
export async function hideDialogsDuring<Outcome>(show: () => Promise<Outcome>): Promise<Outcome> {
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

/** Close as Esc does, for a frame of another site that does not pass the key on. */
export function closeParentDialog(element: Element | null): void {
  element?.closest("dialog")?.requestClose();
}

/** Its owner does not notice: the dialog is open again before its `close` event is dispatched. */
function reopen(dialog: HTMLDialogElement, open: () => void): void {
  dialog.close();
  open();
}

const fields = ":is(input:not([type=hidden], [tabindex='-1']), select, textarea):enabled";
const controls = `${fields}, button:enabled, a[href]`;

/** What came after the dialog was opened: its first field, else its last button, which changes nothing: a key may still be down. */
const firstOf = (content: HTMLElement) =>
  content.querySelector<HTMLElement>(fields) ??
  [...content.querySelectorAll<HTMLElement>(controls)].at(-1);

/**
 * Focus the first control, or the content itself until a form that is loaded when the dialog opens has brought one.
 * Focus that was moved meanwhile stays where it is. Answers what ends the wait.
 */
function focusFirst(content: HTMLElement): () => void {
  const loading = new MutationObserver(() => {
    if (!content.querySelector(controls)) return;
    loading.disconnect();
    if (document.activeElement === content) firstOf(content)?.focus();
  });
  const control = content.querySelector<HTMLElement>(controls);
  if (!control) {
    content.tabIndex = 0; // what only reads must scroll by keyboard too
    loading.observe(content, { childList: true, subtree: true });
  }
  (control ?? content).focus();
  return () => loading.disconnect();
}
