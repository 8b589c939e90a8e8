import { Suspense, useEffect, useEffectEvent, useState } from "react";
import { createPortal } from "react-dom";
import { useNavigate } from "react-router";
import {
  commandKey,
  goKeys,
  isCommand,
  isDialogOpen,
  isTyping,
  usesSingleKeys,
} from "#kit/web/keyboard.tsx";
import { lazyComponent } from "#kit/web/lazy-component.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Loading } from "#kit/web/ui/states.tsx";
import { confirmDiscard } from "#kit/web/unsaved-changes.tsx";
import { maxSearchLength } from "./contract.ts";
import type { Page } from "./pages.tsx";
import css from "./search.module.css";

const Finder = lazyComponent("The search", async () => (await import("./Finder.tsx")).Finder);
const ShortcutList = lazyComponent(
  "The list of shortcuts",
  async () => (await import("#kit/web/ShortcutList.tsx")).ShortcutList,
);

/** Time allowed for the second key of a two-key shortcut. */
const sequenceMs = 1500;

/** Search on every administrator's screen: a button, and keyboard shortcuts. */
export function FindAnything({ pages }: { pages: readonly Page[] }) {
  const navigate = useNavigate();
  const [shown, setShown] = useState<"search" | "shortcuts" | null>(null);
  const [typed, setTyped] = useState("");
  const close = () => {
    setShown(null);
    setTyped("");
  };
  const leaveFor = (path: string) => {
    close();
    confirmDiscard(() => void navigate(path));
  };
  useShortcuts({
    onFind: () => setShown("search"),
    onHelp: () => setShown("shortcuts"),
    onGo: leaveFor,
  });
  return (
    <>
      <button
        type="button"
        className={css["open"]}
        aria-keyshortcuts={commandKey === "Ctrl" ? "Control+K" : "Meta+K"}
        onClick={() => setShown("search")}
      >
        Find anything
        <kbd aria-hidden="true">{commandKey} K</kbd>
      </button>
      {/* Outside the navigation, which phones hide. */}
      {createPortal(
        <>
          {shown === "search" && (
            <Dialog title="Find anything" onClose={close} roomy>
              <Suspense fallback={<LoadingSearchField typed={typed} onType={setTyped} />}>
                <Finder
                  pages={pages}
                  typed={typed}
                  onType={setTyped}
                  onLeave={leaveFor}
                  onShortcuts={() => setShown("shortcuts")}
                />
              </Suspense>
            </Dialog>
          )}
          {shown === "shortcuts" && (
            <Dialog title="Keyboard shortcuts" onClose={close}>
              <Suspense fallback={<Loading />}>
                <ShortcutList />
              </Suspense>
            </Dialog>
          )}
        </>,
        document.body,
      )}
    </>
  );
}

/** Shown until Finder has loaded, so that no typing is lost. */
function LoadingSearchField({ typed, onType }: { typed: string; onType: (text: string) => void }) {
  return (
    <>
      <input
        className={css["input"]}
        aria-label="Find anything"
        value={typed}
        maxLength={maxSearchLength}
        onChange={({ target }) => onType(target.value)}
      />
      <Loading />
    </>
  );
}

interface Shortcuts {
  onFind: () => void;
  onHelp: () => void;
  onGo: (path: string) => void;
}

function useShortcuts({ onFind, onHelp, onGo }: Shortcuts): void {
  const handleKey = useEffectEvent((event: KeyboardEvent, previous: string) => {
    if (isCommand(event) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault(); // some browsers use this key to search the web
      if (!isDialogOpen()) onFind();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping() || !usesSingleKeys()) return;
    const go = previous === "g" ? goKeys[event.key] : undefined;
    if (go) onGo(go.to);
    else if (event.key === "/" && !hasListSearch()) onFind();
    else if (event.key === "?") onHelp();
    else return;
    event.preventDefault();
  });

  useEffect(() => {
    let last = { key: "", at: 0 };
    const listen = (event: KeyboardEvent) => {
      const isInTime = event.timeStamp - last.at < sequenceMs;
      handleKey(event, isInTime ? last.key : "");
      last = { key: event.key, at: event.timeStamp };
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

/** Whether the screen has a list that `/` searches. */
const hasListSearch = (): boolean =>
  document.querySelector('input[aria-keyshortcuts="/"]') !== null;
