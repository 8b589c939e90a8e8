/** How much of the window can be seen, in its own pixels: a phone's keyboard covers the rest. */
interface View {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

const edge = 8;

/** What is seen of the window, less a little at each edge. */
export function seenOfWindow(): View {
  const view = window.visualViewport;
  const { clientWidth, clientHeight } = document.documentElement;
  const { offsetTop: top, offsetLeft: left } = view ?? { offsetTop: 0, offsetLeft: 0 };
  return {
    top: top + edge,
    bottom: top + (view?.height ?? clientHeight) - edge,
    left: left + edge,
    right: left + Math.min(view?.width ?? clientWidth, clientWidth) - edge,
  };
}

/** Where a field's list opens so that it stays in the window, and how high it may be there. */
export interface Room {
  placement: "top" | "bottom";
  maxHeight: number;
}

/** Below the field where all of `wanted` has room, or where there is more of it than above. */
export function roomBeside(field: Element, wanted: number): Room {
  const { top, bottom } = field.getBoundingClientRect();
  const view = seenOfWindow();
  const below = view.bottom - bottom;
  const above = top - view.top;
  const placement = below >= Math.min(wanted, above) ? "bottom" : "top";
  return { placement, maxHeight: Math.min(wanted, placement === "bottom" ? below : above) };
}

/**
 * Call `place` whenever something that is open beside a field may have lost its place: the window was
 * scrolled or resized, a phone's keyboard came or went. Until the answered function is called.
 */
export function whenViewChanges(place: () => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  window.addEventListener("resize", place, { signal });
  window.addEventListener("scroll", place, { signal, capture: true, passive: true });
  window.visualViewport?.addEventListener("resize", place, { signal });
  return () => stopping.abort();
}
