import { useLayoutEffect } from "react";
import { reloadWithoutConfirm } from "./unsaved-changes.tsx";

/** One may take the place of another: the page is veiled as long as there is any. */
let veils = 0;
let titleBefore = "";
let focusedBefore: Element | null = null;

/**
 * While it is rendered, nothing of the page can be seen, found or read out, open dialogs and the tab's title
 * included; a dialog that is `veiled` is all there is. What was typed stays where it is.
 */
export function PageVeil() {
  // The root element and the title belong to the browser, outside of what React renders.
  useLayoutEffect(() => {
    if (veils === 0) {
      titleBefore = document.title;
      // Where one veil takes another's place, what is hidden has lost focus already.
      if (document.activeElement !== document.body) focusedBefore = document.activeElement;
    }
    veils += 1;
    document.title = "Referral Network";
    root().toggleAttribute("data-veiled", true);
    return () => {
      veils -= 1;
      if (veils > 0) return;
      document.title = titleBefore;
      root().toggleAttribute("data-veiled", false);
      queueMicrotask(giveFocusBack); // once a dialog that asked is closed
    };
  }, []);
  return null;
}

/**
 * A browser may keep a page that was left, and show it again, as it was, to whoever presses Back: it is veiled
 * before it is kept, and loaded anew instead of shown.
 */
export function loadAnewWhenShownAgain(): void {
  window.addEventListener("pagehide", ({ persisted }) => {
    if (persisted) root().toggleAttribute("data-veiled", true);
  });
  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted) reloadWithoutConfirm();
  });
}

/** To where something was being typed: what is hidden loses focus. */
function giveFocusBack(): void {
  if (veils > 0) return;
  const isElsewhere = document.activeElement !== document.body;
  if (!isElsewhere && focusedBefore instanceof HTMLElement) focusedBefore.focus();
  focusedBefore = null;
}

const root = () => document.documentElement;
