import { useLayoutEffect } from "react";
import { reloadWithoutConfirm } from "./unsaved-changes.tsx";

/** One veil may replace another: the page is hidden while there is any. */
let veils = 0;
let titleBefore = "";
let focusedBefore: Element | null = null;

/**
 * While rendered, it hides everything on the page from sight, search and screen readers, including open dialogs and
 * the tab's title. Only a dialog with `veiled` is shown. Typed input stays.
 */
export function PageCover() {
  // The root element and the title are outside what React renders.
  useLayoutEffect(() => {
    if (veils === 0) {
      titleBefore = document.title;
      // If one veil replaces another, the hidden element has already lost focus.
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
      queueMicrotask(giveFocusBack); // after a dialog that asked has closed
    };
  }, []);
  return null;
}

/**
 * A browser may restore a page with the Back button for another user. Hide the page before it is cached, and
 * reload it instead of restoring it.
 */
export function reloadWhenRestored(): void {
  window.addEventListener("pagehide", ({ persisted }) => {
    if (persisted) root().toggleAttribute("data-veiled", true);
  });
  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted) reloadWithoutConfirm();
  });
}

/** Return focus to where the user was typing: hidden elements lose it. */
function giveFocusBack(): void {
  if (veils > 0) return;
  const isElsewhere = document.activeElement !== document.body;
  if (!isElsewhere && focusedBefore instanceof HTMLElement) focusedBefore.focus();
  focusedBefore = null;
}

const root = () => document.documentElement;
